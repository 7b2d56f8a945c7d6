import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder } from "../../../drivers/make-folder.js";
import { readIfThere, writeDurably } from "../../store/durable-file.js";
import { namesIn } from "../../store/state-folder.js";
import { calendarEvent, MAX_EVENTS } from "../../wire/calendar.js";
import { parseJson } from "../../wire/refusal.js";

/** A calendar as it was fetched last. */
const fetched = z.object({
  fetched_at: z.string(),
  from: z.string(),
  to: z.string(),
  /** The bridge's word for this state of the calendar. */
  version: z.string(),
  events: z.array(calendarEvent).max(MAX_EVENTS),
  left_off: z.int(),
});
export type Fetched = z.output<typeof fetched>;

const SUFFIX = ".json";

/**
 * A file for each calendar, replaced whole. It is a copy of others' words and can be deleted: the next fetch brings it
 * back.
 */
export class CalendarCache {
  constructor(private readonly folder: string) {}

  /** Undefined if there is none that can be read. */
  async read(name: string): Promise<Fetched | undefined> {
    const text = await readIfThere(this.fileOf(name));
    return text === undefined ? undefined : fetched.safeParse(parseJson(text)).data;
  }

  /** Throws STORE_FAILED. */
  async write(name: string, kept: Fetched): Promise<void> {
    await makeFolder(this.folder, 0o700);
    await writeDurably(this.fileOf(name), JSON.stringify(kept));
  }

  async remove(name: string): Promise<void> {
    await rm(this.fileOf(name), { force: true });
  }

  /** Deletes what is left of calendars that are no longer in the configuration. */
  async keepOnly(names: readonly string[]): Promise<void> {
    const wanted = new Set(names.map((name) => `${name}${SUFFIX}`));
    const files = await namesIn(this.folder);
    for (const file of files.filter((each) => !wanted.has(each))) await rm(join(this.folder, file));
  }

  private fileOf(name: string): string {
    return join(this.folder, `${name}${SUFFIX}`);
  }
}
