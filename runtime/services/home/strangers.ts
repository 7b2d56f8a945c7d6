/**
 * Which words of Home Assistant are no free text. States that are one of a fixed set, numbers and times tell an agent
 * nothing but themselves; all other text may be anybody's, and taints the turn that reads it.
 */

/** What results name as the source of such words. */
export const SOURCE = "home assistant";

/** States and values that Home Assistant's own components define [developers.home-assistant.io/docs/core/entity]. */
const ENUMERATED: ReadonlySet<string> = new Set(
  [
    "on off true false none unknown unavailable open closed opening closing stopped home not_home idle",
    "locked unlocked locking unlocking jammed playing paused standby buffering cleaning docked returning error",
    "heat cool auto heat_cool dry fan_only heating cooling drying fan preheating defrosting eco electric",
    "performance high_demand heat_pump gas disarmed armed_home armed_away armed_night armed_vacation",
    "armed_custom_bypass arming disarming pending triggered mowing active above_horizon below_horizon",
    "recording streaming single double hold forward reverse low medium high",
    "onoff brightness color_temp hs xy rgb rgbw rgbww white measurement total total_increasing",
  ].flatMap((line) => line.split(" ")),
);

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?(e-?\d{1,3})?$/i;
const TIME = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Of a state, and of a text in an attribute. */
export const isFreeText = (text: string): boolean =>
  !ENUMERATED.has(text.toLowerCase()) && !NUMBER.test(text) && !TIME.test(text);

/** Attributes whose values are short words of Home Assistant's own or of the device's maker. */
const SHORT_WORDS: ReadonlyMap<string, RegExp> = new Map([
  ["unit_of_measurement", /^[\p{L}\d%°/³²µ·]{1,10}$/u],
  ["device_class", /^[a-z0-9_]{1,24}$/],
  ["state_class", /^[a-z0-9_]{1,24}$/],
  ["icon", /^mdi:[a-z0-9-]{1,40}$/],
]);

/** A choice: names of attributes in Home Assistant's own components are shorter. */
const KEY = /^[a-z][a-z0-9_]{0,31}$/;

/** Whether it is a short id of Home Assistant's own form, such as an area's: no free text. */
export const isShortId = (id: string): boolean => KEY.test(id);

/** A unit or a device class as Home Assistant and makers have them; undefined for any other text. */
export const shortWord = (key: "unit_of_measurement" | "device_class", value: unknown): string | undefined =>
  typeof value === "string" && SHORT_WORDS.get(key)?.test(value) === true ? value : undefined;

/** Whether an attribute has free text anywhere. */
export function hasFreeText(key: string, value: unknown): boolean {
  if (!KEY.test(key)) return true;
  if (typeof value === "string") return isFreeText(value) && SHORT_WORDS.get(key)?.test(value) !== true;
  if (Array.isArray(value)) return value.some((each) => hasFreeText(key, each));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).some(([inner, each]) => hasFreeText(inner, each));
  return false;
}
