import type { RecordLog } from "../../store/record-log.js";
import { sourcesIn } from "../../tools/taint.js";
import type { CareEvent } from "../../wire/plants.js";
import { definePart } from "../module.js";
import { type Outage, type Outages, outages } from "../outages/outages.js";
import { CONTROL_LOG, type ControlEntry } from "../people/control.js";
import { type DoseRefusal, REFUSAL_LOG } from "../water/refusals.js";
import { STATUS_LOG, type StatusRecord } from "./declarations.js";

/** What tells why a plant got water or got none. */
const TOLD = ["hold", "resume", "fault", "clear", "tank_empty", "tank_filled"] as const;
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
        TOLD.some((kind) => kind === entry.kind) && (entry.plant === undefined || entry.plant === plant),
    );
    const refusals = (await this.refusals.range(from, to)).filter((record) => record.plant === plant);
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

const cycleOf = ({ timestamp, agent, proceed, reason, status, ...planned }: StatusRecord): CareEvent => ({
  kind: "cycle",
  timestamp,
  by: agent,
  proceed,
  reason,
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

export const careRecord = definePart(
  "care record",
  async (house) =>
    new CareRecord(
      house.journal(STATUS_LOG),
      house.journal(CONTROL_LOG),
      house.journal(REFUSAL_LOG),
      await house.use(outages),
    ),
);
