import { hours } from "../../../drivers/units.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { CalendarEntry } from "../calendar-entries.js";
import { household } from "../household/household.js";
import type { House } from "../module.js";
import type { Task } from "./task-log.js";
import { tasks } from "./tasks.js";

/** A choice: tasks that were done longer ago leave the calendar. */
const SHOWN_AFTER_DONE = hours(30 * 24);

/** Tasks with a time, for people and for the agent, in their calendar. */
export async function* taskEntries(
  house: House,
  sees: (owner: string) => boolean,
): AsyncGenerator<CalendarEntry> {
  const since = house.clock.now() - SHOWN_AFTER_DONE;
  const all = house.get(tasks);
  const { zoneOf } = house.get(household);
  for (const task of all.listed(({ owner, due }) => due !== null && sees(owner))) yield entryOf(task, zoneOf);
  for await (const task of all.done.all({ since: isoUtc(since), sees }))
    if (task.record.due !== null) yield entryOf(task, zoneOf);
}

function entryOf({ record }: Task, zoneOf: (owner: string) => string): CalendarEntry {
  const { task_id, description, details, due, recurrence, owner, timestamp, done_at, lapsed } = record;
  const changed = [timestamp, record.updated_at, done_at, record.last_done_at].filter((at) => at !== null);
  return {
    ...{ uid: `task-${task_id}@tendril`, title: description, description: details, location: null },
    ...{ start: due ?? timestamp, end: null, zone: record.zone ?? zoneOf(owner), maybeAllDay: false },
    ...{
      recurrence: done_at === null ? recurrence : null,
      done: done_at !== null && !lapsed,
      created: timestamp,
    },
    changed: changed.sort().at(-1) ?? timestamp,
  };
}
