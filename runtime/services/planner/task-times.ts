import { minutes } from "../../../drivers/units.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { TaskRecord } from "./task-log.js";

/** A choice: what comes later than this was missed. */
const LATE_FROM = minutes(10);

/** When a person is to be reminded, or the agent is to find it: undefined where the task is over or has no time. */
export function tellAt({ for: kind, due, done_at, remind_before, later }: TaskRecord): string | undefined {
  if (due === null || done_at !== null) return undefined;
  if (kind === "agent") return due;
  return later ?? isoUtc(Date.parse(due) - minutes(remind_before ?? 0));
}

/** Whether anybody has to be told. That the agent was told counts only where a time that was missed is skipped. */
export function isWaiting(record: TaskRecord): boolean {
  const at = tellAt(record);
  return (
    at !== undefined && at !== record.reminded && (record.for === "person" || record.if_missed === "skip")
  );
}

/** Milliseconds from a time of the task to now; a task that was made or changed after it was not late before. */
export const lateBy = ({ timestamp, updated_at }: TaskRecord, at: string, now: number): number =>
  now - Math.max(...[at, timestamp, updated_at ?? at].map((time) => Date.parse(time)));

export const isLate = (milliseconds: number): boolean => milliseconds >= LATE_FROM;

/** Its time came while the runtime was off, and it is then to be skipped. What a person put off until later was told once. */
export const isToSkip = (record: TaskRecord, now: number): boolean =>
  record.if_missed === "skip" &&
  record.later === null &&
  record.due !== null &&
  isWaiting(record) &&
  isLate(lateBy(record, record.due, now));
