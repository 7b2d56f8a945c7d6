import { type Millis, seconds } from "../../../drivers/units.js";
import { type CallAnswer, type CallArguments, HOME_LIMITS } from "../../wire/home.js";
import { JobFailure } from "../adapter.js";
import { cut, type LiveState, type LiveStates, nameOf } from "./live-states.js";
import { CutOff, HomeRefusal, type HomeSocket, Unreachable } from "./socket.js";

/** A choice: Home Assistant answers when the service has ended, and a slow one takes half a minute. */
const LONGEST_SERVICE: Millis = seconds(60);

type Failure = Pick<CallAnswer, "code" | "message">;

/**
 * Calls one service on exactly these entities, and waits for their states. `socket` is the connection that may act; the
 * states come by the other one. Throws JobFailure: "unknown" once the call was sent and its answer is lost.
 */
export async function callService(
  args: CallArguments,
  socket: HomeSocket,
  live: LiveStates,
  signal: AbortSignal,
): Promise<CallAnswer> {
  const before = new Map(args.entity_ids.map((id) => [id, live.get(id)]));
  const refusal = unusable(before) ?? (await sent(args, socket, signal));
  if (!refusal) await settled(args, before, live, signal);
  const isDone = args.entity_ids.every((id) => isFollowed(args, before.get(id), live.get(id)));
  return {
    outcome: refusal ? "failed" : isDone ? "done" : "unconfirmed",
    ...refusal,
    entities: args.entity_ids.map((id) => ({
      entity_id: id,
      friendly_name: nameOf(id, before.get(id)),
      before: shown(before.get(id)),
      after: shown(live.get(id)),
    })),
  };
}

const shown = (state: LiveState | undefined) => (state ? cut(state.state, HOME_LIMITS.state) : null);

/** Home Assistant answers success for what does not exist, and skips what is unavailable. */
function unusable(before: ReadonlyMap<string, LiveState | undefined>): Failure | undefined {
  for (const [id, state] of before) {
    if (!state) return { code: "entity_not_found", message: `${id} has no state: nothing was sent` };
    if (state.state === "unavailable")
      return { code: "entity_unavailable", message: `${id} is unavailable: nothing was sent` };
  }
  return undefined;
}

/** Why Home Assistant refused; undefined for success. */
async function sent(
  args: CallArguments,
  socket: HomeSocket,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const { domain, service, entity_ids, service_data } = args;
  const fields = { domain, service, service_data, target: { entity_id: entity_ids } };
  if (signal.aborted) throw new JobFailure("TOO_SLOW", "the time was over before the call was sent");
  try {
    await socket.ask("call_service", fields, { within: LONGEST_SERVICE, signal });
    return undefined;
  } catch (error) {
    if (error instanceof HomeRefusal)
      return { code: cut(error.code, HOME_LIMITS.name), message: cut(error.message, HOME_LIMITS.message) };
    if (error instanceof CutOff)
      throw new JobFailure("CUT_OFF", `after the call: ${error.message}`, "unknown");
    if (error instanceof Unreachable) throw new JobFailure("NOT_CONNECTED", error.message);
    throw error;
  }
}

function settled(
  args: CallArguments,
  before: ReadonlyMap<string, LiveState | undefined>,
  live: LiveStates,
  signal: AbortSignal,
): Promise<void> {
  const isOver = () =>
    args.entity_ids.every((id) => hasFailed(live.get(id)) || isFollowed(args, before.get(id), live.get(id)));
  return live.until(isOver, seconds(args.settle_s), signal);
}

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
  before: LiveState | undefined,
  now: LiveState | undefined,
): boolean {
  if (!before || !now || now.state === "unavailable") return false;
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
const hasFailed = (now: LiveState | undefined): boolean =>
  !now || now.state === "jammed" || now.state === "unavailable";
