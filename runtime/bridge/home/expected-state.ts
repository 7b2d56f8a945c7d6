import type { CallArguments } from "../../wire/home.js";
import type { LiveState } from "./live-states.js";

type Data = CallArguments["service_data"];
/** Whether `now` is what a service asks for. `before` is the state before it was sent. */
type Expectation = (now: LiveState, before: LiveState, data: Data) => boolean;

/** Home Assistant cannot say how the thing is [homeassistant/const.py]. */
const AWAY: ReadonlySet<string> = new Set(["unavailable", "unknown"]);
/** On the way to another state: wait. */
const MOVING = /^(opening|closing|locking|unlocking|arming|disarming|pending|returning|buffering)$/;

const isOneOf =
  (...states: readonly string[]): Expectation =>
  ({ state }) =>
    states.includes(state);
/** For what has no state of its own to follow: a button's state is the time when it was pressed. */
const touched: Expectation = (now, before) => now.updated > before.updated;
const isOn: Expectation = ({ state }) => state !== "off" && !AWAY.has(state);
const toggled: Expectation = (now, before) => now.state !== before.state && !AWAY.has(now.state);
const equals =
  (key: string): Expectation =>
  ({ state }, _, data) =>
    isSame(state, data[key]);

/**
 * The state that follows a service, by DOMAIN.SERVICE or by service alone [home-assistant.io, the pages of these
 * integrations]. A service that is not here is done when its entity was updated.
 */
const EXPECTED: Readonly<Record<string, Expectation>> = {
  "scene.turn_on": touched,
  "script.turn_on": touched,
  turn_on: isOn,
  turn_off: isOneOf("off"),
  toggle: toggled,
  "lock.lock": isOneOf("locked"),
  "lock.unlock": isOneOf("unlocked", "open"),
  "lock.open": isOneOf("open", "unlocked"),
  open_cover: isOneOf("open"),
  close_cover: isOneOf("closed"),
  open_valve: isOneOf("open"),
  close_valve: isOneOf("closed"),
  alarm_disarm: isOneOf("disarmed"),
  alarm_arm_home: isOneOf("armed_home"),
  alarm_arm_away: isOneOf("armed_away"),
  alarm_arm_night: isOneOf("armed_night"),
  alarm_arm_vacation: isOneOf("armed_vacation"),
  alarm_trigger: isOneOf("triggered"),
  "vacuum.start": isOneOf("cleaning"),
  "vacuum.pause": isOneOf("paused", "idle"),
  return_to_base: isOneOf("returning", "docked"),
  media_play: isOneOf("playing"),
  media_pause: isOneOf("paused"),
  media_stop: isOneOf("idle", "off", "stopped"),
  "timer.start": isOneOf("active"),
  "timer.pause": isOneOf("paused"),
  "timer.cancel": isOneOf("idle"),
  select_option: equals("option"),
  set_value: equals("value"),
  set_hvac_mode: equals("hvac_mode"),
};

/** The attribute that follows a key of `service_data`, if it is not called the same. */
const ATTRIBUTE: Readonly<Record<string, string>> = {
  brightness_pct: "brightness",
  position: "current_position",
  tilt_position: "current_tilt_position",
};
/** Home Assistant counts brightness to 255. */
const SCALE: Readonly<Record<string, number>> = { brightness_pct: 2.55 };

export function isFollowed(
  { domain, service, service_data: data }: CallArguments,
  before: LiveState,
  now: LiveState | undefined,
): boolean {
  if (!now || now.state === "unavailable") return false;
  if (MOVING.test(now.state) && service !== "return_to_base") return false;
  const expected = EXPECTED[`${domain}.${service}`] ?? EXPECTED[service];
  const isDone = (expected ?? attributesOrTouched)(now, before, data);
  return isDone && (service === "turn_off" || differing(now, data) === 0);
}

/** Set to what it was already, nothing is updated. */
const attributesOrTouched: Expectation = (now, before, data) =>
  touched(now, before, data) || (compared(now, data).length > 0 && differing(now, data) === 0);

/** Keys of the data that are seen in an attribute which is a number or a text. Colours are converted, and are not. */
const compared = ({ attributes }: LiveState, data: Data): string[] =>
  Object.keys(data).filter((key) => {
    const value = attributes[ATTRIBUTE[key] ?? key];
    return typeof value === "number" || typeof value === "string";
  });

const differing = (now: LiveState, data: Data): number =>
  compared(now, data).filter((key) => {
    const wanted = data[key];
    const scale = SCALE[key];
    const scaled = scale === undefined ? wanted : Math.round(Number(wanted) * scale);
    return !isSame(now.attributes[ATTRIBUTE[key] ?? key], scaled, ROUNDING);
  }).length;

/** Devices round what they are set to. A choice. */
const ROUNDING = 0.01;

/** Numbers as numbers, within a part of the wanted one; all else as texts. */
function isSame(found: unknown, wanted: unknown, within = 0): boolean {
  const [a, b] = [Number(found), Number(wanted)];
  const isNumber = String(wanted).trim() !== "" && Number.isFinite(b) && Number.isFinite(a);
  return isNumber ? Math.abs(a - b) <= Math.abs(b) * within : String(found) === String(wanted);
}

/** The thing has said that it did not work: no use to wait for it. */
export const hasFailed = (now: LiveState | undefined): boolean =>
  !now || now.state === "jammed" || now.state === "unavailable";
