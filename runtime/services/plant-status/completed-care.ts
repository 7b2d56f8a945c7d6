import type { Stamp } from "../../safety/stamp.js";
import type { RecordLog } from "../../store/record-log.js";
import type { Stored } from "../../store/records.js";
import type { StatusProblem } from "../../wire/status-problems.js";
import type { LightEntry, LightRecord } from "../light/ledger.js";
import type { DoseEntry, DoseRecord } from "../water/declarations.js";
import type { StatusRecord } from "./declarations.js";

/** Something that was done for a plant, from a journal. */
interface CareEvent {
  readonly plant: string;
  readonly timestamp: string;
  readonly stamp: Stamp;
  /**
   * `care`: completed; `refused`: a status that was not cleared; `planned`: a status whose plan is not carried out yet.
   */
  readonly what: "care" | "refused" | "planned";
  /** Why a status was refused. */
  readonly problems?: readonly StatusProblem[] | undefined;
}

interface CareLogs {
  readonly statuses: RecordLog<StatusRecord, StatusRecord>;
  readonly doses: RecordLog<DoseEntry, DoseRecord>;
  readonly light: RecordLog<LightEntry, LightRecord>;
}

export type StoredEvent = CareEvent & { readonly log: keyof CareLogs; readonly id: number };

/** The number of the newest counted record, by journal. */
type Counted = Readonly<Record<keyof CareLogs, number>>;

/** A choice: two days of an agent that writes every half hour. Only the newest matter. */
const LOOKED_THROUGH = 100;

/** Calls `take` with each event from now on. */
export function followCare({ statuses, doses, light }: CareLogs, take: (event: StoredEvent) => void): void {
  statuses.watch((stored) => placed("statuses", stored, statusEvent).forEach(take));
  doses.watch((stored) => placed("doses", stored, doseEvent).forEach(take));
  light.watch((stored) => placed("light", stored, lightEvent).forEach(take));
}

/** The plant's records in the journals that are not counted yet, oldest first. */
export async function uncountedCare(
  counted: Counted,
  plant: string,
  { statuses, doses, light }: CareLogs,
): Promise<StoredEvent[]> {
  const newest = [LOOKED_THROUGH, 0, plant] as const;
  return [
    ...(await statuses.newestFirst(...newest)).flatMap((stored) => placed("statuses", stored, statusEvent)),
    ...(await doses.newestFirst(...newest)).flatMap((stored) => placed("doses", stored, doseEvent)),
    ...(await light.newestFirst(...newest)).flatMap((stored) => placed("light", stored, lightEvent)),
  ]
    .filter(({ log, id }) => id > counted[log])
    .sort((a, b) => a.stamp.wall_ms - b.stamp.wall_ms);
}

function placed<Rec>(
  log: keyof CareLogs,
  { id, record }: Stored<Rec>,
  eventOf: (record: Rec) => CareEvent | undefined,
): StoredEvent[] {
  const event = eventOf(record);
  return event ? [{ ...event, log, id }] : [];
}

/**
 * A cleared status completes a care if its plan switches nothing, or if a person wrote it, who has then looked at the
 * plant. A status that was turned away does not count.
 */
function statusEvent(record: StatusRecord): CareEvent | undefined {
  const { plant, timestamp, stamp, care, proceed, problems } = record;
  const heading = { plant, timestamp, stamp };
  if (care === "turned_away") return undefined;
  if (!proceed) return { ...heading, what: "refused", problems };
  const switchesNothing = record.planned_ml === 0 && record.planned_light_minutes === 0;
  return { ...heading, what: care === undefined || switchesNothing ? "care" : "planned" };
}

/**
 * Water that flowed completes a care, whoever asked for it. An uncertain dose does not: a pump that always fails must
 * not look like care.
 */
function doseEvent({ plant, timestamp, stamp, ml_dispensed, outcome }: DoseRecord): CareEvent | undefined {
  const flowed = ml_dispensed > 0 && (outcome === "completed" || outcome === "stopped");
  return plant !== undefined && flowed ? { plant, timestamp, stamp, what: "care" } : undefined;
}

/**
 * Light that has ended completes a care, unless it failed or may have. If a power cut ended it, it counts from its
 * beginning, because its end is unknown.
 */
function lightEvent(record: LightRecord): CareEvent | undefined {
  const { plant, timestamp, on_stamp, off_stamp, minutes, ended } = record;
  if (minutes === 0 || !off_stamp || ended === "failed" || ended === "uncertain") return undefined;
  return { plant, timestamp, stamp: ended === "restart" ? on_stamp : off_stamp, what: "care" };
}
