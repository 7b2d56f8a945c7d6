import { CUT_MARK, HOME_LIMITS } from "../../wire/home.js";
import type { LiveState } from "./live-states.js";

/** The text, or its beginning with a mark. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}${CUT_MARK}`;

export const nameOf = (entityId: string, state: LiveState | undefined): string => {
  const name = state?.attributes.friendly_name;
  return typeof name === "string" && name !== "" ? cut(name, HOME_LIMITS.name) : entityId;
};

/** Seconds since 1970, as Home Assistant has them in subscriptions and history, as ISO 8601 in UTC. */
export const instantOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Opens a camera's picture, or anything else: `access_token`, `entity_picture`. */
const SECRET_KEY = /token|password|secret|api_?key|^entity_picture/i;
/** Such an address stands in attributes of cameras, persons and media players. */
const SECRET_VALUE = /token=|authSig=|\/api\/(camera|image|media_player)_proxy/;
/** Under this key stand the names of what did not fit. */
const LEFT_OUT = "…";

/** Attributes without what gives access to something, cut per text and in total. */
export function shownAttributes(attributes: LiveState["attributes"]): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  const leftOut: string[] = [];
  let left: number = HOME_LIMITS.attributes;
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "friendly_name" || SECRET_KEY.test(key)) continue;
    const short = shortened(value);
    const size = key.length + JSON.stringify(short ?? null).length;
    if (size > left) leftOut.push(key);
    else if (short !== undefined) shown[key] = short;
    left -= size > left ? 0 : size;
  }
  if (leftOut.length > 0) shown[LEFT_OUT] = cut(`left out: ${leftOut.join(", ")}`, HOME_LIMITS.text);
  return shown;
}

/** Undefined for an address that gives access. */
function shortened(value: unknown): unknown {
  if (typeof value === "string") return SECRET_VALUE.test(value) ? undefined : cut(value, HOME_LIMITS.text);
  if (Array.isArray(value)) return value.map((each) => shortened(each) ?? null);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !SECRET_KEY.test(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, shortened(each) ?? null]));
}
