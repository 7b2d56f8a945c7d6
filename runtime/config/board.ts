import type { BoardConfig } from "../../drivers/open-board.js";
import type { MlPerSecond } from "../../drivers/units.js";
import { volts } from "../../drivers/units.js";
import type { Config, PlantConfig } from "./schema.js";

/** The part of the configuration that the drivers need, in their units. */
export const boardConfig = (config: Config): BoardConfig => ({
  kind: config.board,
  plants: config.plants.map(hardware),
});

const hardware = ({ id, species, probe, pump }: PlantConfig): BoardConfig["plants"][number] => ({
  id,
  ...(species !== undefined && { species }),
  probe: {
    address: probe.address,
    channel: probe.channel as 0 | 1 | 2 | 3,
    calibration: { dry: volts(probe.dry_volts), wet: volts(probe.wet_volts) },
  },
  pump: { flow: pump.flow_ml_per_s as MlPerSecond },
});
