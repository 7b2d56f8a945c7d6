import type { Board } from "../../../drivers/open-board.js";
import type { PlantResult } from "../../wire/overview.js";
import { fittedParts } from "../fitted.js";
import type { LightService } from "../light/service.js";
import { type MoistureService, publicReading } from "../moisture/service.js";
import type { SoilWatch } from "../moisture/soil-watch.js";
import type { CareWatch } from "../plant-status/care-watch.js";
import type { PlantStatusService } from "../plant-status/service.js";
import type { StatusRecord } from "../plant-status/table.js";
import type { WaterService } from "../water/service.js";
import type { Control } from "./control.js";

/** The services that know something of a plant. */
export interface Witnesses {
  readonly moisture: MoistureService;
  readonly soil: Pick<SoilWatch, "limit">;
  readonly water: WaterService;
  readonly light: LightService;
  readonly control: Control;
  readonly status: PlantStatusService;
  readonly careWatch: CareWatch;
  readonly board: Pick<Board, "plants">;
}

/** What the configuration says of a plant. */
export interface PlantNamed {
  readonly id: string;
  readonly name?: string | undefined;
  readonly species?: string | undefined;
}

/** Everything at a glance, from what is in memory: nothing is read from a sensor. */
export function plantOverview(
  witnesses: Witnesses,
  { id: plant, name = plant, species }: PlantNamed,
): PlantResult {
  const { moisture, soil, water, light, control, status, careWatch, board } = witnesses;
  const reading = moisture.last(plant);
  return {
    plant,
    name,
    species: species ?? null,
    moisture: reading ? publicReading(reading) : null,
    probe_fault: copy(moisture.fault(plant)),
    water: { ...water.usage(plant), pouring: water.isPouring(plant), not_above: notAbove(soil, plant) },
    light: { ...light.status(plant) },
    hold: copy(control.hold(plant)),
    fault: copy(control.faults(plant)[0]),
    faults: control.faults(plant).map((fault) => ({ ...fault })),
    fitted: fittedParts(board, plant),
    care: status.care(plant) ?? null,
    uncared: careWatch.uncared(plant),
    last_status: lastStatus(status.last(plant)),
  };
}

function notAbove(soil: Witnesses["soil"], plant: string): PlantResult["water"]["not_above"] {
  const limit = soil.limit(plant);
  return limit ? { ...limit } : null;
}

const copy = <T extends object>(value: T | undefined): T | null => (value ? { ...value } : null);

function lastStatus(record: StatusRecord | undefined): PlantResult["last_status"] {
  if (!record) return null;
  const { timestamp, agent, proceed, reason, status } = record;
  const { plant_state, reasoning } = status;
  const next_action_sequence = status.next_action_sequence.map((action) => ({ ...action }));
  return { timestamp, agent, proceed, reason, plant_state, reasoning, next_action_sequence };
}
