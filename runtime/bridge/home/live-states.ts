import { untilTold } from "../../../drivers/clock/waiting.js";
import type { Clock } from "../../../drivers/ports.js";
import type { Millis } from "../../../drivers/units.js";
import { CUT_MARK, HOME_LIMITS } from "../../wire/home.js";
import type { HomeSocket } from "./socket.js";

/** An entity's state as Home Assistant last told it. */
export interface LiveState {
  readonly state: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Seconds since 1970, both. */
  readonly changed: number;
  readonly updated: number;
}

/** An event of `subscribe_entities` [homeassistant/components/websocket_api/messages.py]: all, or what differs. */
interface EntitiesEvent {
  readonly a?: Readonly<Record<string, Added>>;
  readonly c?: Readonly<Record<string, Changed>>;
  readonly r?: readonly string[];
}
interface Added {
  readonly s: string;
  readonly a?: Readonly<Record<string, unknown>>;
  readonly lc: number;
  /** Absent if it is the same as `lc`. */
  readonly lu?: number;
}
interface Changed {
  readonly "+"?: Partial<Added>;
  readonly "-"?: { readonly a?: readonly string[] };
}

/** The states of all entities, kept up to date by one subscription. */
export class LiveStates {
  private states = new Map<string, LiveState>();
  private readonly watchers = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /** Begins anew on this connection. Resolves when all states are there. */
  async follow(socket: HomeSocket): Promise<void> {
    this.states = new Map();
    let isFilled = () => {};
    const filled = new Promise<void>((resolve) => {
      isFilled = resolve;
    });
    await socket.subscribe("subscribe_entities", {}, (event) => {
      this.apply(event as EntitiesEvent);
      isFilled();
    });
    await Promise.race([filled, socket.closed]);
    // what is no longer told is not known
    void socket.closed.then(() => {
      this.states = new Map();
      this.tell();
    });
  }

  get(entityId: string): LiveState | undefined {
    return this.states.get(entityId);
  }

  all(): ReadonlyMap<string, LiveState> {
    return this.states;
  }

  /** Waits until `is` holds, at most `longest`. Looks at once, and after each event. */
  until(is: () => boolean, longest: Millis, signal: AbortSignal): Promise<void> {
    return untilTold({ clock: this.clock, longest, signal }, (tell) => {
      const look = () => void (is() && tell());
      this.watchers.add(look);
      look();
      return () => void this.watchers.delete(look);
    });
  }

  private apply({ a = {}, c = {}, r = [] }: EntitiesEvent): void {
    for (const [id, { s, a: attributes = {}, lc, lu = lc }] of Object.entries(a))
      this.states.set(id, { state: String(s), attributes, changed: lc, updated: lu });
    for (const [id, change] of Object.entries(c)) {
      const old = this.states.get(id);
      if (old) this.states.set(id, changedBy(old, change));
    }
    for (const id of r) this.states.delete(id);
    this.tell();
  }

  private tell(): void {
    for (const look of this.watchers) look();
  }
}

function changedBy(old: LiveState, { "+": set = {}, "-": gone = {} }: Changed): LiveState {
  const { s = old.state, a = {}, lc = old.changed, lu = set.lc ?? old.updated } = set;
  const removed = new Set(gone.a);
  const kept = Object.entries(old.attributes).filter(([name]) => !removed.has(name));
  return { state: s, attributes: { ...Object.fromEntries(kept), ...a }, changed: lc, updated: lu };
}

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
