import type { BoardConfig } from "../board.js";
import { openInterlockPanel } from "../devices/interlock/awaited-interlock.js";
import type { InterlockPanel } from "../devices/interlock/panel.js";
import { openSerialLine } from "../devices/interlock/serial-line.js";
import { DriverError } from "../errors.js";
import { replaceOffList } from "../guard/off-list.js";
import type { Load } from "../inputs.js";
import type { Clock, PulsedOutput } from "../ports.js";
import { messageOf } from "../system-error.js";
import type { KernelFolders } from "./outputs.js";
import { Switches } from "./switches.js";

export type OutputOf = (plant: string, load: Load) => PulsedOutput | undefined;

/** The guard's relays; where there is an interlock, each with its contact in series. */
export const outputsOf =
  (switches: Switches, interlock: InterlockPanel | undefined): OutputOf =>
  (plant, load) => {
    const relay = switches.output(plant, load);
    return relay && interlock ? interlock.interlocked(`${plant}-${load}`, load, relay) : relay;
  };

/** The relays of a board without its probes and cameras: guard, list of what to switch off, and interlock as ever. */
export interface Relays {
  readonly output: OutputOf;
  close(): Promise<void>;
}

/** Everything is off when it resolves. Only for the owner of the state folder. Rejects as {@link Switches.open} and the interlock do. */
export async function openRelays(
  config: BoardConfig,
  clock: Clock,
  { stateFolder, kernel }: { readonly stateFolder: string; readonly kernel: KernelFolders },
): Promise<Relays> {
  const switches = await Switches.open(config, clock, {
    kernel,
    beforeStart: (plan) => replaceOffList(stateFolder, plan),
  });
  const closers: Closer[] = [() => switches.close()];
  try {
    const interlock = await openInterlock(config, clock);
    if (interlock) closers.unshift(() => interlock.close());
    return { output: outputsOf(switches, interlock), close: () => closeAll(closers) };
  } catch (error) {
    throw await closedAfter(error, closers);
  }
}

export type Closer = () => Promise<void>;

/** Closes in reverse order, all of them even where one fails. Rejects with the first failure. */
export async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) await close().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Closes after `error`. Returns the error to throw: that one, with what failed in closing appended. */
export async function closedAfter(error: unknown, closers: Closer[]): Promise<unknown> {
  try {
    await closeAll(closers);
    return error;
  } catch (second) {
    return withSecond(error, second);
  }
}

function withSecond(error: unknown, second: unknown): Error {
  const told = `and closing what was open failed too: ${messageOf(second)}`;
  if (error instanceof DriverError)
    return new DriverError(error.code, `${error.what}, ${told}`, { cause: error });
  return new AggregateError([error, second], `${messageOf(error)}, ${told}`);
}

/** The interlock at its serial port, or the wait for it; undefined where none is configured. */
export async function openInterlock(
  { interlock, plants }: BoardConfig,
  clock: Clock,
): Promise<InterlockPanel | undefined> {
  const port = interlock?.port;
  return port === undefined
    ? undefined
    : openInterlockPanel(plants, clock, () => openSerialLine(port, clock));
}
