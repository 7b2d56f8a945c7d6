import type { CalendarEntry } from "../calendar-entries.js";
import { household } from "../household/household.js";
import type { House } from "../module.js";
import type { MemoryItem } from "./item.js";
import { memoryItems } from "./parts.js";

/** A choice: so many memories are read at once. */
const PAGE = 200;

/** Memories with `event_start_at`, as events in their person's calendar. */
export async function* memoryEntries(
  house: House,
  sees: (owner: string) => boolean,
): AsyncGenerator<CalendarEntry> {
  const { zoneOf } = house.get(household);
  const filters = { status: "ACTIVE", tags: [], people: [], from: -Infinity, to: Infinity };
  const found = await house.get(memoryItems).search(undefined, filters, { sees, first: undefined });
  for (let offset = 0; offset < found.count; offset += PAGE)
    for (const { item } of await found.read(PAGE, offset))
      if (item.event_start_at !== null) yield entryOf(item, item.event_start_at, zoneOf);
}

function entryOf(item: MemoryItem, start: string, zoneOf: (owner: string) => string): CalendarEntry {
  const { id, title, content, location, event_end_at: end, timezone, user_id, completed_at } = item;
  return {
    uid: `memory-${id}@tendril`,
    title,
    description: content,
    location,
    start,
    end,
    zone: timezone ?? zoneOf(user_id),
    maybeAllDay: true,
    recurrence: null,
    done: completed_at !== null,
    created: item.created_at,
    changed: item.updated_at,
  };
}
