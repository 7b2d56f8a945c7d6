import { type Millis, seconds } from "../../../drivers/units.js";
import { type CallAnswer, type CallArguments, HOME_LIMITS } from "../../wire/home.js";
import { JobFailure } from "../adapter.js";
import { hasFailed, isFollowed } from "./expected-state.js";
import type { LiveState, LiveStates } from "./live-states.js";
import { CutOff, HomeRefusal, type HomeSocket, Unreachable } from "./socket.js";
import { cut, nameOf } from "./texts.js";

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
  const isDone = args.entity_ids.every((id) => follows(args, before.get(id), live.get(id)));
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

const follows = (args: CallArguments, before: LiveState | undefined, now: LiveState | undefined): boolean =>
  before !== undefined && isFollowed(args, before, now);

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
    args.entity_ids.every((id) => hasFailed(live.get(id)) || follows(args, before.get(id), live.get(id)));
  return live.until(isOver, seconds(args.settle_s), signal);
}
