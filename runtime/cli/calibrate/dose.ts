import { millis, seconds } from "../../../drivers/units.js";
import type { Dose, History, PouredDose } from "../../wire/plants.js";
import { CommandError } from "../failure.js";
import { Refused } from "../remote.js";
import { interruption } from "../terminal.js";
import type { PlantThere, Session } from "./calibration.js";

export interface PumpSession extends Session {
  /** Millilitres of a dose by the present calibration: 10 to 25. */
  readonly ml: number;
  /** Switches everything off, without a token if possible; true if it was done. */
  readonly switchOff: () => Promise<boolean>;
}

/**
 * Pours one dose, and adds its millilitres by the ledger to `jug`, also after an error. Resolves with the seconds that the pump
 * was on, by the ledger.
 */
export async function dose(
  session: PumpSession,
  there: PlantThere,
  which: string,
  jug: number[],
): Promise<number> {
  const { remote, terminal, ml } = session;
  terminal.say(`${which}: the pump runs (Ctrl-C stops it) …`);
  // the water goes into a jug, so wet soil does not matter
  const pour = () => remote.call<Dose>("dispense_water", { ml, ...there.named }, "SOIL_WET");
  try {
    jug.push((await stoppable(session, () => retryWhenBusy(session, pour))).dispensed);
  } catch (error) {
    const delivered = deliveredIn(error, ml);
    if (delivered > 0) jug.push(delivered);
    throw error;
  }
  const on = await onTime(session, there);
  terminal.say(`it was on for ${on.toFixed(1)} s`);
  return on;
}

/** A refusal says how much was poured (docs/errors.md); after a broken link it may be the whole dose. */
function deliveredIn(error: unknown, asked: number): number {
  if (error instanceof Refused) return Number(error.details.dispensed_ml ?? 0);
  return error instanceof CommandError ? 0 : asked;
}

/** The part of a session that pouring and stopping need. */
export type Pouring = Pick<PumpSession, "remote" | "terminal" | "clock" | "switchOff">;

/** On Ctrl-C stops the pump first, then waits for the dose's result. */
export async function stoppable<T>(session: Pouring, pour: () => Promise<T>): Promise<T> {
  const { interrupted } = session.terminal;
  if (interrupted.aborted) throw interruption();
  const over = new AbortController();
  const stop = () => void stopUntil(over.signal, session);
  interrupted.addEventListener("abort", stop, { once: true });
  try {
    return await pour();
  } finally {
    interrupted.removeEventListener("abort", stop);
    over.abort();
  }
}

/** Repeats the stop: the first may reach the runtime before the dose does. */
async function stopUntil(over: AbortSignal, { remote, clock, switchOff }: Pouring): Promise<void> {
  while (!over.aborted) {
    if (!(await switchOff())) await remote.call("stop_all").catch(() => undefined);
    await clock.sleep(STOP_AGAIN);
  }
}

/** A choice: a tenth of a second is a few drops. */
const STOP_AGAIN = millis(100);

/** Waits for another dose, which takes half a minute at most. */
async function retryWhenBusy<T>({ clock, terminal }: PumpSession, pour: () => Promise<T>): Promise<T> {
  try {
    return await pour();
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "PUMP_BUSY") throw error;
    terminal.say("the pump is busy with another dose: waiting");
    await clock.sleep(seconds(error.retryAfter ?? 26), terminal.interrupted);
    return pour();
  }
}

/** Seconds of the newest dose. Throws a CommandError if it is not ours, or its time is unknown. */
async function onTime({ remote, ml }: PumpSession, { named }: PlantThere): Promise<number> {
  const newest = { hours: 1, samples_per_hour: 1, aggregation: "last" };
  const { items } = await remote.call<History<PouredDose>>("get_water_history", { ...newest, ...named });
  const line = items.at(-1);
  if (line?.ml_requested === ml && line.outcome === "completed" && line.pump_ms != null)
    return line.pump_ms / 1000;
  throw new CommandError(
    "the ledger's newest dose is another one: stop the agent, and calibrate again; nothing was written",
  );
}
