import type { Test } from "tap";
import { SimulatedClock } from "../../drivers/clock/simulated-clock.js";
import {
  type BoardOptions,
  openBoard,
  type PlantHardware,
  type PlantHardwareConfig,
} from "../../drivers/open-board.js";
import { type MlPerSecond, volts } from "../../drivers/units.js";

export const FLOW = 1.5 as MlPerSecond;
export const BASIL: PlantHardwareConfig = {
  id: "basil",
  probe: { address: 0x48, channel: 0, calibration: { dry: volts(2.75), wet: volts(1.2) } },
  pump: { flow: FLOW },
};

type RigOptions = Partial<BoardOptions> & { readonly clock?: SimulatedClock };

/** A bench on simulated time, its first plant a basil. */
export async function benchRig(t: Test, options: RigOptions = {}, plants = [BASIL]) {
  const { clock = new SimulatedClock() } = options;
  const board = await openBoard({ kind: "bench", plants }, { speed: 1, seed: 1, ...options, clock });
  t.teardown(() => board.close());
  return { clock, board, bench: board.bench, ...hardware(board.plants, "basil") };
}

export function hardware<H extends PlantHardware>(plants: ReadonlyMap<string, H>, id: string): H {
  const found = plants.get(id);
  if (!found) throw new Error(`no ${id} on this board`);
  return found;
}
