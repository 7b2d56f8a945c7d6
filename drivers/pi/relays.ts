import type { BoardConfig } from "../board.js";
import type { InterlockPanel } from "../devices/interlock/panel.js";
import { replaceOffList } from "../guard/off-file.js";
import type { Load } from "../inhibits.js";
import type { Clock, PulsedOutput } from "../ports.js";
import { type Closer, closeAll, closedAfter } from "./closers.js";
import { openInterlock } from "./interlock.js";
import type { KernelFolders } from "./outputs.js";
import { Switches } from "./switches.js";

export type OutputOf = (plant: string, load: Load) => PulsedOutput | undefined;

/** The guard's relays; where there is an interlock, each with its contact in series. */
export const outputsOf =
  (switches: Switches, interlock: InterlockPanel | undefined): OutputOf =>
  (plant, load) => {
    const relay = switches.output(plant, load);
    return relay && interlock ? interlock.behind(`${plant}-${load}`, load, relay) : relay;
  };

/** The relays of a board without its probes and cameras: guard, list of what to switch off, and interlock as ever. */
export interface Relays {
  readonly output: OutputOf;
  close(): Promise<void>;
}

/** Everything is off when it resolves. For who owns the state folder. Rejects as {@link Switches.open} and the interlock do. */
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
