import { SystemClock } from "../../drivers/clock/system-clock.js";
import { messageOf } from "../../drivers/system-error.js";
import { seconds } from "../../drivers/units.js";
import { agentInWords } from "../wire/approval-words.js";
import { HouseTime } from "../wire/house-time.js";
import type { Lifted } from "../wire/people.js";
import type { ReleasedCares } from "../wire/plants.js";
import { CommandError } from "./failure.js";
import { print } from "./print.js";
import { isNamed, overviewOf, plantArgument, Refused, type Remote, switchOff, withRemote } from "./remote.js";
import { type Address, isFromFolder, runtimeUrl } from "./state.js";

/** A choice: a person waits before the plants. A runtime under a flood of connections answers within 5 s. */
const HOLDS_WITHIN = seconds(10);
/** A choice: as long as the first attempt takes at most. Meanwhile a person can do something else. */
const HINTS_AFTER = seconds(5);

/**
 * Switches everything off, without a token if the runtime is on this machine; then sets the hold; then switches off again, in
 * case an agent has switched something on in between.
 */
export async function off(address: Address): Promise<void> {
  let isOff = false;
  let isHinted = false;
  const disarm = new SystemClock().after(HINTS_AFTER, () => {
    if (isOff) return;
    isHinted = true;
    process.stderr.write(`tendril: NO ANSWER YET: PUMPS AND LIGHTS MAY BE ON\n${OTHER_WAYS}\n`);
  });
  try {
    isOff = await switchOff(runtimeUrl(address));
    await holdAll(address, isOff, () => {
      isOff = true;
    });
  } catch (error) {
    if (isOff) throw error;
    const exitCode = error instanceof CommandError ? error.exitCode : undefined;
    if (await isStopped(address)) throw new CommandError(stoppedWords(address), exitCode);
    const ways = isHinted ? "" : `\n${OTHER_WAYS}`;
    throw new CommandError(`PUMPS AND LIGHTS MAY BE ON: ${messageOf(error)}${ways}`, exitCode);
  } finally {
    disarm();
  }
}

/** Only of the runtime that this machine's folder is about. */
async function isStopped(address: Address): Promise<boolean> {
  if (!isFromFolder(address)) return false;
  const { stoppedCleanly } = await import("../store/state-lock.js"); // loads native code, which an off does not need
  return stoppedCleanly(address.state);
}

const stoppedWords = ({ state }: Address): string =>
  `no runtime holds ${state}: the last one switched its pumps and lights off when it stopped. If something is on all the same, or another runtime has the plants:
  press the stop button, or pull the plugs of pumps and lights
  tendril off --state with its folder, or --url with its address
  on its machine, if it is a service: sudo systemctl stop tendril (switches every relay off)`;

/** None of them needs this program. */
const OTHER_WAYS = `Do one of these now:
  press the stop button, or pull the plugs of pumps and lights
  press "Everything off" on the page
  on the runtime's machine: curl -X POST http://127.0.0.1:8731/off (8731, or the port that you chose)
  there, if it is a service: sudo systemctl stop tendril (switches every relay off, also of a runtime that hangs)`;

async function holdAll(address: Address, switched: boolean, whenOff: () => void): Promise<void> {
  if (switched) print("everything is off");
  let isReached = false;
  const holding = async (remote: Remote) => {
    isReached = true;
    if (switched) whenOff();
    else await stopAll(remote).then(whenOff, () => undefined); // a relay that sticks: told below, where it is tried again
    try {
      await setHold(remote, undefined, "tendril off");
    } catch (error) {
      await remote.call("stop_all").catch(() => undefined); // why there is no hold is the one to tell
      throw error;
    }
    await stopAll(remote);
    whenOff();
    print(`${switched ? "" : "everything is off and "}on hold: ${untilResume()}`);
  };
  await withRemote(address, holding, HOLDS_WITHIN).catch((error: unknown) => {
    if (!switched || isReached || !(error instanceof CommandError)) throw error;
    throw new CommandError(`everything is off, but not on hold: ${error.message}`, error.exitCode);
  });
}

/** An answer that does not say so is no off. */
async function stopAll(remote: Remote): Promise<void> {
  const { success } = await remote.call<{ readonly success?: unknown }>("stop_all");
  if (success !== true)
    throw new CommandError(
      "the answer does not say that everything is off: pull the plugs of pumps and lights",
    );
}

/** Puts one plant or all on hold: nothing is switched on until it is lifted. */
export async function hold(remote: Remote, plant: string | undefined, reason?: string): Promise<string> {
  await setHold(remote, plant, reason);
  return `${plant ?? "everything"} is on hold: ${untilResume(plant)}`;
}

/** Keeps agents from acting, or lets them again. */
export async function pauseAgents(remote: Remote, paused: boolean, reason?: string): Promise<string> {
  await remote.call("pause_agents", { paused, ...(reason && { reason }) });
  return paused ? 'agents are paused: they act again after "tendril unpause"' : "agents may act again";
}

const untilResume = (plant?: string): string =>
  `nothing will be switched on until "tendril resume${plant === undefined ? "" : ` ${plant}`}"`;

/** Throws a CommandError that says whether the hold is in force, if it is not written down: a disk can fail, or hang. */
async function setHold(remote: Remote, plant?: string, reason?: string): Promise<void> {
  try {
    await remote.call("set_hold", { hold: true, ...(plant && { plant }), ...(reason && { reason }) });
  } catch (error) {
    throw error instanceof CommandError ? await unwritten(error, remote, plant) : error;
  }
}

async function unwritten(error: CommandError, remote: Remote, plant?: string): Promise<CommandError> {
  const isRefused = error instanceof Refused;
  if (isRefused && error.code !== "STORE_FAILED") return error;
  if (!(await isHeld(remote, plant)))
    return isRefused ? new CommandError(`not on hold: ${error.message}`) : error;
  const untilWhen = isRefused
    ? "but only until the runtime restarts: the hold could not be written down"
    : "but perhaps only until the runtime restarts: it has not said that the hold is written down";
  return new CommandError(`${plant ?? "everything"} is on hold, ${untilWhen}: ${error.message}`);
}

/** Whether the plant, or each plant, is on hold now; a runtime that cannot say is not counted on. */
const isHeld = (remote: Remote, plant: string | undefined): Promise<boolean> =>
  before(remote, plant).then(
    ({ plants }) => plants.length > 0 && plants.every(({ hold: held }) => held !== null),
    () => false,
  );

/** The plants concerned as they are now, and the house's time. */
async function before(remote: Remote, plant: string | undefined) {
  const { plants, zone } = await overviewOf(remote);
  const concerned = plants.filter((each) => plant === undefined || isNamed(each, plant));
  return { plants: concerned, time: new HouseTime(zone) };
}

/** Clears the faults of one plant or of all. Also without faults, earlier doses then need no response of the soil. */
export async function clear(remote: Remote, plant: string | undefined): Promise<string> {
  const { plants, time } = await before(remote, plant);
  const { changed } = await remote.call<Lifted>("clear_fault", plant === undefined ? {} : { plant });
  const lines = plants.flatMap(({ plant: id, faults }) =>
    faults.map(({ code, since, reason }) => `cleared ${id}: ${code} since ${time.minute(since)} (${reason})`),
  );
  if (lines.length > 0) return lines.join("\n");
  const whose = plant === undefined ? "no pump was locked" : `${plant} was not locked`;
  if (!changed) return `${whose}: nothing was changed`;
  return `${whose}. Noted that you have looked: the water until now needs no response of the soil any more`;
}

/** Lifts the hold of one plant, or every hold. */
export async function resume(remote: Remote, plant: string | undefined): Promise<string> {
  const { plants, time } = await before(remote, plant);
  await remote.call("set_hold", { hold: false, ...(plant !== undefined && { plant }) });
  const lines = plants.flatMap(({ plant: id, hold }) =>
    hold
      ? [
          `lifted the hold of ${id} since ${time.minute(hold.since)} (${hold.reason}): it may be switched on again`,
        ]
      : [],
  );
  if (lines.length > 0) return lines.join("\n");
  return plant === undefined ? "nothing was on hold" : `${plant} was not on hold`;
}

/** Ends the agents' care of one plant, or of all. */
export async function release(remote: Remote, plant: string | undefined): Promise<string> {
  const { plants } = await overviewOf(remote);
  const { released: cares } = await remote.call<ReleasedCares>("release_care", plantArgument(plants, plant));
  if (cares.length === 0) {
    const named = plant ?? plants.map((each) => each.plant).join(", ");
    return `no agent holds the care of ${named}`;
  }
  return cares
    .map(
      (care) =>
        `${agentInWords(care)} no longer cares for ${care.plant}: any agent may begin now. It may take the care again unless you stop it.`,
    )
    .join("\n");
}
