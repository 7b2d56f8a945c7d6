import { minutes } from "../../../drivers/units.js";
import { elapsed, stampOf } from "../../safety/stamp.js";
import { CALL_LOG } from "../../tools/idempotency.js";
import type { PlantResult } from "../../wire/overview.js";
import { defineModule, type House } from "../module.js";
import { control } from "../people/control.js";
import { careRecord } from "./care-record.js";
import { careWatch } from "./care-watch.js";
import { STATUS_ERRORS, STATUS_LOG, type StatusRecord, statusConfig } from "./declarations.js";
import { plantStatus, STATUSES_REMEMBERED } from "./service.js";
import { getCareRecord, releaseCare, writePlantStatus } from "./tools.js";

/** The gate: a care cycle begins with a status, and one agent at a time cares for a plant. */
export const plantStatusModule = defineModule({
  name: "plant-status",
  canBeOff: false,
  toolset: "plants",
  config: statusConfig,
  journals: [{ definition: STATUS_LOG }, { definition: CALL_LOG, afterLoss: endOpenCycles }],
  errors: STATUS_ERRORS,
  parts: [plantStatus, careWatch, careRecord],
  tools: [writePlantStatus, releaseCare, getCareRecord],
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

/**
 * For a lost record of calls: a client that repeats a call in its open cycle would act twice. So all open cycles end,
 * and an agent begins a new one with new readings.
 */
async function endOpenCycles(house: House): Promise<void> {
  const { clock } = house;
  const releases = await house.use(control);
  const maxAge = minutes(house.config(statusConfig).cycle.max_age_minutes);
  const timestamp = house.timestamp();
  for (const { record } of await house.journal(STATUS_LOG).newestFirst(STATUSES_REMEMBERED, 0)) {
    const { plant, proceed, care, timestamp: status_at } = record;
    const { certain, atLeast } = elapsed(record.stamp, stampOf(clock));
    const isOver = certain && atLeast > maxAge;
    if (isOver || !proceed || care !== "taken" || releases.isReleased(plant, status_at)) continue;
    const reason = "the record of calls is lost, so no cycle goes on";
    await releases.record({ timestamp, kind: "care_released", plant, by: "runtime", reason, status_at });
  }
}
