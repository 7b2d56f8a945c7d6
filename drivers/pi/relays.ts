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
import { Switches, type SwitchOptions } from "./switches.js";

/** The relays of a board, with the guard and, if one is configured, the interlock or the wait for it. */
export interface Relays {
  readonly switches: Switches;
  readonly interlock: InterlockPanel | undefined;
  /** One of the guard's relays. If there is an interlock, its contact is in series. */
  output(plant: string, load: Load): PulsedOutput | undefined;
  /** What has to be closed, the last one first. Who opens more adds to it. */
  readonly closers: Closer[];
}

interface RelayOptions {
  /** Where the list is kept of what to switch off. Only for the owner of the folder. */
  readonly stateFolder?: string | undefined;
  readonly kernel?: KernelFolders;
}

/** Everything is off when it resolves. Rejects as {@link Switches.open} and the interlock do. */
export async function openRelays(
  config: BoardConfig,
  clock: Clock,
  { stateFolder, ...options }: RelayOptions,
): Promise<Relays> {
  const beforeStart: SwitchOptions["beforeStart"] = async (plan) => {
    if (stateFolder !== undefined) await replaceOffList(stateFolder, plan);
  };
  const switches = await Switches.open(config, clock, { ...options, beforeStart });
  const closers: Closer[] = [() => switches.close()];
  try {
    const port = config.interlock?.port;
    const openLine = port === undefined ? undefined : () => openSerialLine(port, clock);
    const interlock = openLine && (await openInterlockPanel(config.plants, clock, openLine));
    if (interlock) closers.unshift(() => interlock.close());
    const output = (plant: string, load: Load) => {
      const relay = switches.output(plant, load);
      return relay && interlock ? interlock.interlocked(`${plant}-${load}`, load, relay) : relay;
    };
    return { switches, interlock, output, closers };
  } catch (error) {
    throw await afterClosing(error, closers);
  }
}

type Closer = () => Promise<void>;

/** Closes in reverse order, all of them even where one fails. Rejects with the first failure. */
export async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) await close().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Closes after `error`. Returns the error to throw: that one, with what failed in closing appended. */
export async function afterClosing(error: unknown, closers: Closer[]): Promise<unknown> {
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
