import type { Test } from "tap";
import { Pump } from "../../drivers/devices/pump.js";
import type { PlantHardware } from "../../drivers/open-board.js";
import type { PulsedOutput } from "../../drivers/ports.js";
import type { MlPerSecond } from "../../drivers/units.js";
import type { Rig } from "../rig.js";

const FLOW = 1.5 as MlPerSecond;

/** Gives basil other hardware than the bench has for it, as a real board may; the bench gets its own back at the end. */
export function refit(t: Test, rig: Rig, change: (all: PlantHardware) => PlantHardware): () => void {
  const plants = rig.core.board.plants as Map<string, PlantHardware>;
  const all = plants.get("basil") as PlantHardware;
  plants.set("basil", change(all));
  const restore = () => void plants.set("basil", all);
  t.teardown(restore);
  return restore;
}

/** Pump and light of basil over an output of the test's own. */
export const withOutput = (t: Test, rig: Rig, output: PulsedOutput, flow: MlPerSecond = FLOW) =>
  refit(t, rig, (all) => ({ ...all, pump: new Pump(output, flow), light: output }));
