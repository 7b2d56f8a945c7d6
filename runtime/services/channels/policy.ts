import { HouseTime } from "../../wire/house-time.js";
import type { Approvable } from "./declarations.js";

type Args = Readonly<Record<string, unknown>>;

/** What agents may call by a yes on a channel, where a tool alone says it. */
const BY_TOOL: Readonly<Record<string, Approvable>> = {
  dispense_water: "water",
  turn_on_light: "light",
  sendEmail: "mail",
};

/** Domains of Home Assistant whose services can make nothing worse than a room warm, bright or loud. A choice. */
const HARMLESS: readonly string[] = ["light", "fan", "climate", "humidifier", "media_player"];
/** What a service of these domains is taken for, if it is not one that closes. */
const GUARDED: Readonly<Record<string, Approvable>> = {
  lock: "unlock",
  cover: "open",
  valve: "open",
  alarm_control_panel: "disarm",
};
/** Services that close or guard. */
const CLOSING: readonly string[] = ["lock", "close_cover", "stop_cover", "close_valve", "stop_valve"];
/** Words in the name of a service or entity that count wherever they stand. */
const GUARDED_WORDS: readonly (readonly [RegExp, Approvable])[] = [
  [/unlock/i, "unlock"],
  [/disarm/i, "disarm"],
  [/open|garage|gate|door/i, "open"],
];

/** What a yes to this call would be for. In doubt the kind that fewer channels may approve. */
export function approvalKind(tool: string | undefined, args: Args): Approvable {
  if (tool === "call_ha_service") return homeKind(args);
  return BY_TOOL[tool ?? ""] ?? "other";
}

/** Of the arguments of a request, as the home family writes them down: with concrete entities. */
function homeKind(args: Args): Approvable {
  const { domain, service, entity_ids: ids } = args;
  if (!Array.isArray(ids)) return "other";
  const domains = [String(domain), ...ids.map((id) => String(id).split(".")[0] ?? "")];
  const guarded = domains.map((each) => GUARDED[each]).find((each) => each !== undefined);
  const closes = CLOSING.includes(String(service)) || /^alarm_arm_/.test(String(service));
  if (guarded) return closes ? "home" : guarded;
  const word = GUARDED_WORDS.find(([pattern]) => pattern.test(JSON.stringify(args)));
  if (word) return word[1];
  return domains.every((each) => HARMLESS.includes(each)) ? "home" : "other";
}

const DAY_MINUTES = 24 * 60;

/** Milliseconds until the quiet hours ("22:00-07:00") end; 0 outside of them. At most a minute too long. */
export function quietFor(hours: string | undefined, zone: string, now: number): number {
  if (hours === undefined) return 0;
  const [from = 0, to = 0] = hours.split("-").map(minutesOf);
  const at = minutesOf(new HouseTime(zone).clock(now));
  const since = (at - from + DAY_MINUTES) % DAY_MINUTES;
  const lasts = (to - from + DAY_MINUTES) % DAY_MINUTES;
  return since < lasts ? (lasts - since) * 60_000 : 0;
}

const minutesOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return hours * 60 + minutes;
};
