import type { PlantResult } from "../../wire/overview.js";
import { defineModule } from "../module.js";
import { careWatch } from "./care-watch.js";
import { STATUS_ERRORS, STATUS_LOG, type StatusRecord, statusConfig } from "./declarations.js";
import { plantStatus } from "./service.js";
import { releaseCare, writePlantStatus } from "./tools.js";

/** The gate: a care cycle begins with a status, and one agent at a time cares for a plant. */
export const plantStatusModule = defineModule({
  name: "plant-status",
  canBeOff: false,
  toolset: "plants",
  config: statusConfig,
  journals: [{ definition: STATUS_LOG }],
  errors: STATUS_ERRORS,
  parts: [plantStatus, careWatch],
  tools: [writePlantStatus, releaseCare],
  agenda: { plant: (house, plant) => ({ care: house.get(plantStatus).care(plant) ?? null }) },
  overview: {
    plant: (house, plant) => ({
      care: house.get(plantStatus).care(plant) ?? null,
      uncared: house.get(careWatch).uncared(plant),
      last_status: shown(house.get(plantStatus).last(plant)),
    }),
  },
  everyHour: (house) => house.get(careWatch).look(),
});

function shown(record: StatusRecord | undefined): PlantResult["last_status"] {
  if (!record) return null;
  const { timestamp, agent, proceed, reason, status } = record;
  const { plant_state, reasoning, next_action_sequence } = status;
  const planned = [...next_action_sequence];
  return { timestamp, agent, proceed, reason, plant_state, reasoning, next_action_sequence: planned };
}
