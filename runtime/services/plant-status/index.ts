import { z } from "zod";
import { minutes } from "../../../drivers/units.js";
import { elapsed, stampOf } from "../../safety/stamp.js";
import type { RecordLog } from "../../store/record-log.js";
import { CALL_LOG } from "../../tools/idempotency.js";
import { sourcesIn } from "../../tools/taint.js";
import { acts, defineTool, reads, sets, untrustedIf } from "../../tools/tool.js";
import type { PlantResult } from "../../wire/overview.js";
import { type CareEvent, careEvents, releasedCares, statusResult } from "../../wire/plants.js";
import { assertInOrder, rangeInput } from "../log-tools.js";
import { defineModule, definePart, type House } from "../module.js";
import { type Outage, type Outages, outages } from "../outages/index.js";
import { CONTROL_LOG, type ControlEntry, control } from "../people/control.js";
import { type DoseRefusal, REFUSAL_LOG, wasRefused } from "../water/refusals.js";
import { careWatch } from "./care-watch.js";
import {
  plantStatusInput,
  STATUS_ERRORS,
  STATUS_LOG,
  type StatusRecord,
  statusConfig,
} from "./declarations.js";
import { plantStatus, STATUSES_REMEMBERED } from "./service.js";

/** What tells why a plant got water or got none. */
const TOLD = ["hold", "resume", "fault", "clear", "all_off", "tank_empty", "tank_filled"] as const;
type Told = ControlEntry & { readonly kind: (typeof TOLD)[number] };

/** Cycles, refused doses, holds, faults and outages of a plant, as they were written down. */
class CareRecord {
  constructor(
    private readonly statuses: RecordLog<StatusRecord, StatusRecord>,
    private readonly controls: RecordLog<ControlEntry, ControlEntry>,
    private readonly refusals: RecordLog<DoseRefusal, DoseRefusal>,
    private readonly outages: Outages,
  ) {}

  /** Both ends included, oldest first, with each later end of a fault that began in this time or before it. Rejects with RESULT_TOO_LARGE. */
  async range(
    plant: string,
    from: number,
    to: number,
  ): Promise<{ readonly events: readonly CareEvent[]; readonly sources: readonly string[] }> {
    const statuses = (await this.statuses.range(from, to)).filter((record) => record.plant === plant);
    const controls = (await this.controls.range(from, to)).filter(
      (entry): entry is Told =>
        TOLD.some((kind) => kind === entry.kind) &&
        (entry.plant === undefined || entry.plant === plant) &&
        entry.unlocked?.includes(plant) !== false,
    );
    const refusals = (await this.refusals.range(from, to)).filter(
      (record) => record.plant === plant && wasRefused(record),
    );
    const outages = await this.outages.range(plant, from, to);
    const events = [
      ...statuses.map(cycleOf),
      ...refusals.map(refusalOf),
      ...controls.map(controlOf),
      ...outages.map(outageOf),
    ];
    events.sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
    return { events, sources: sourcesIn(statuses) };
  }
}

const cycleOf = ({
  timestamp,
  agent,
  proceed,
  reason,
  problems,
  status,
  ...planned
}: StatusRecord): CareEvent => ({
  kind: "cycle",
  timestamp,
  by: agent,
  proceed,
  reason,
  ...(problems && { problems: [...problems] }),
  plant_state: status.plant_state,
  reasoning: status.reasoning,
  planned_ml: planned.planned_ml,
  planned_light_minutes: planned.planned_light_minutes,
});

const refusalOf = ({ plant: _, ...refusal }: DoseRefusal): CareEvent => ({
  kind: "dose_refused",
  ...refusal,
});

const controlOf = ({ kind, timestamp, by, reason, code }: Told): CareEvent => ({
  kind,
  timestamp,
  by,
  reason,
  ...(code !== undefined && { code }),
});

const outageOf = ({ plant: _, ...outage }: Outage): CareEvent => ({ ...outage, by: "runtime" });

const careRecord = definePart(
  "care record",
  async (house) =>
    new CareRecord(
      house.journal(STATUS_LOG),
      house.journal(CONTROL_LOG),
      house.journal(REFUSAL_LOG),
      await house.use(outages),
    ),
);

const writePlantStatus = defineTool({
  name: "write_plant_status",
  service: plantStatus,
  description:
    "Open a care cycle. Must come before water or light in every cycle: say what you measured and what you mean to do. The answer is {proceed: true}, or {proceed: false, reason} with the true figures: correct the status and write it again. One agent at a time cares for a plant: a second one is told who does. Water and light beyond the planned totals are refused; a cycle lasts 30 minutes.",
  facts: acts("Write the plant status"),
  inCare: true,
  neededForCare: true,
  role: "agent",
  perPlant: true,
  input: plantStatusInput,
  output: statusResult,
  run: (status, { service, call, plant }) => service.write(plant, status, call),
});

const releaseCare = defineTool({
  name: "release_care",
  service: plantStatus,
  description:
    "Give up the care of a plant, or of all, so that another agent may begin at once: an agent gives up its own, a person anybody's. The cycle of whoever held it is over.",
  facts: sets("Give up the care of a plant"),
  neededForCare: true,
  role: "agent",
  listedTo: "human", // an agent's program calls it when it ends; a model does not need it
  perPlant: "or all",
  input: z.strictObject({}),
  output: releasedCares,
  run: async (_, { service, plants, isoNow, call, named }) => {
    if (named !== undefined) service.assertReleasable(named, call);
    const released = await service.release(named === undefined ? plants.ids : [named], call);
    return { timestamp: isoNow(), released };
  },
});

const getCareRecord = defineTool({
  name: "get_care_record",
  service: careRecord,
  description:
    "What decided about a plant's care from start_time to end_time, both included, oldest first: each cycle with its plan, its reasoning and the runtime's answer, refused doses (repeated ones once in ten minutes), holds, faults, empty tanks, what lifted them, who switched everything off, and when a probe, a camera or the runtime was out. The end of such an outage is told also if it comes after end_time.",
  facts: reads("Record of a plant's care", { world: "closed" }),
  role: "observer",
  listedTo: "human", // an agent has its thoughts and actions
  perPlant: true,
  input: rangeInput,
  output: careEvents,
  run: async (range, { service, plant }) => {
    assertInOrder("get_care_record", range);
    const { events, sources } = await service.range(plant, range.start_time, range.end_time);
    return untrustedIf(sources, { count: events.length, events });
  },
});

/** The gate: a care cycle begins with a status, and one agent at a time cares for a plant. */
export const plantStatusModule = defineModule({
  name: "plant-status",
  canBeOff: false,
  toolset: "plants",
  config: statusConfig,
  journals: [
    { definition: STATUS_LOG, atRestore: "stays" },
    { definition: CALL_LOG, atRestore: "stays", afterLoss: endOpenCycles },
  ],
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
  const { timestamp, agent, proceed, reason, problems, status } = record;
  const { plant_state, reasoning, next_action_sequence } = status;
  return {
    ...{ timestamp, agent, proceed, reason, ...(problems && { problems: [...problems] }) },
    ...{ plant_state, reasoning, next_action_sequence: [...next_action_sequence] },
  };
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
