import type { Stamp } from "../../safety/stamp.js";
import type { LightRecord } from "../light/table.js";
import type { Logs } from "../logs.js";
import type { DoseRecord } from "../water/table.js";
import type { StatusRecord } from "./table.js";

/** Something that somebody did for a plant, as the journals have it. */
export interface CareEvent {
  readonly plant: string;
  readonly timestamp: string;
  readonly stamp: Stamp;
  /** `care`: a completed care; `refused`: a status that was not cleared; `planned`: one whose plan is yet to be carried out. */
  readonly what: "care" | "refused" | "planned";
  /** Of a refused status. */
  readonly reason?: string;
}

export type CareLogs = Pick<Logs, "statuses" | "doses" | "light">;

/** A choice: more than an agent writes in the time between two counts, which is an hour. */
const LOOKED_THROUGH = 100;

/** What the journals hold of the plant since then, oldest first. Time is the wall clock's where that was another boot. */
export async function careEventsSince(since: Stamp, plant: string, logs: CareLogs): Promise<CareEvent[]> {
  const newest = <Rec>(log: {
    newestFirst(n: number, offset: number, of: string): Promise<{ record: Rec }[]>;
  }) => log.newestFirst(LOOKED_THROUGH, 0, plant);
  const events = [
    ...(await newest(logs.statuses)).map(({ record }) => statusEvent(record)),
    ...(await newest(logs.doses)).map(({ record }) => doseEvent(record)),
    ...(await newest(logs.light)).map(({ record }) => lightEvent(record)),
  ];
  return events
    .flatMap((event) => (event && isAfter(event.stamp, since) ? [event] : []))
    .sort((a, b) => a.stamp.wall_ms - b.stamp.wall_ms);
}

const isAfter = (stamp: Stamp, since: Stamp): boolean =>
  stamp.boot === since.boot ? stamp.mono_ms > since.mono_ms : stamp.wall_ms > since.wall_ms;

/**
 * A cleared status completes a care if its plan switches nothing, or if a person wrote it: that person has looked at the
 * plant. An agent that was turned away did nothing for the plant.
 */
export function statusEvent(record: StatusRecord): CareEvent | undefined {
  const { plant, timestamp, stamp, care, proceed, reason } = record;
  const heading = { plant, timestamp, stamp };
  if (care === "turned_away") return undefined;
  if (!proceed) return { ...heading, what: "refused", reason: reason ?? "" };
  const switchesNothing = record.planned_ml === 0 && record.planned_light_minutes === 0;
  return { ...heading, what: care === undefined || switchesNothing ? "care" : "planned" };
}

/**
 * Water that flowed completes a care, whoever asked for it. An uncertain dose does not: a pump that fails each time must not
 * look like care for weeks.
 */
export function doseEvent({
  plant,
  timestamp,
  stamp,
  ml_dispensed,
  outcome,
}: DoseRecord): CareEvent | undefined {
  const flowed = ml_dispensed > 0 && (outcome === "completed" || outcome === "stopped");
  return plant !== undefined && flowed ? { plant, timestamp, stamp, what: "care" } : undefined;
}

/**
 * Light that is over completes a care; one that failed, or may have, does not. When a power cut ended it nobody knows: it
 * counts from its beginning.
 */
export function lightEvent(record: LightRecord): CareEvent | undefined {
  const { plant, timestamp, on_stamp, off_stamp, minutes, ended } = record;
  if (minutes === 0 || !off_stamp || ended === "failed" || ended === "uncertain") return undefined;
  return { plant, timestamp, stamp: ended === "restart" ? on_stamp : off_stamp, what: "care" };
}
