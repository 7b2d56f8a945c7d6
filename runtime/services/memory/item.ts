import { z } from "zod";
import { atMostBytes, codePoints, jsonObject } from "../../tools/parameters.js";
import { bothTainted, type Tainted } from "../../tools/taint.js";
import { isZone } from "../../wire/house-time.js";
import { MEMORY_SECTIONS, MEMORY_SOURCES, MEMORY_STATUSES, type MemoryItem } from "../../wire/records.js";
import type { Restored } from "../module.js";
import type { SharedFields } from "../shared-records.js";

/** Choices: a title is a line, a content some pages, a name a few words. Code points. */
const LONGEST_TITLE = 500;
const LONGEST_CONTENT = 8000;
const LONGEST_NAME = 200;
const LONGEST_PATH = 1000;
/** A choice: more tags, people or attachments than a memory needs. */
const MAX_NAMES = 50;
/** Bytes of `metadata` as JSON. */
const LARGEST_METADATA = 16_384;

/** Lengths and forms are checked, but mostly not listed: models pay for every word of a schema. */
const name = (longest = LONGEST_NAME) =>
  z
    .string()
    .trim()
    .refine((text) => text !== "", { error: "is empty" })
    .refine((text) => codePoints(text) <= longest, { error: `is longer than ${longest} characters` });
const names = (longest = LONGEST_NAME) =>
  z.array(name(longest)).refine((all) => all.length <= MAX_NAMES, { error: `has more than ${MAX_NAMES}` });
const time = name(64);
const matching = (form: RegExp, error: string) => name().refine((text) => form.test(text), { error });

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const uuidField = name()
  .toLowerCase()
  .refine((text) => UUID.test(text), { error: "must be a UUID" });

const coordinates = z
  .array(z.number())
  .refine(
    ([latitude = 91, longitude = 181, ...more]) =>
      Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && more.length === 0,
    { error: "must be a latitude from -90 to 90 and a longitude from -180 to 180" },
  )
  .describe("[latitude, longitude]");

const metadata = atMostBytes(LARGEST_METADATA, jsonObject("up to 16 kB"));

const address = name(LONGEST_PATH).refine(
  (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
  { error: "must be an address with http:// or https://" },
);

const zoneName = name().refine((zone) => isZone(zone) && /^[A-Za-z]/.test(zone), {
  error: "must be the IANA name of a time zone, such as America/Bogota",
});

/** What both a new memory and a change of one may name. */
const FIELDS = {
  tags: names(),
  people: names().describe("@names in content are added"),
  attendees: names(),
  event_start_at: time.describe("ISO 8601; without an offset in `timezone`"),
  event_end_at: time,
  timezone: zoneName,
  date_bucket: matching(/^\d{4}-\d{2}-\d{2}$/, "must be a day as YYYY-MM-DD").describe("derived"),
  due_at: time,
  completed_at: time,
  location: name(),
  coordinates,
  media_type: matching(/^[\w.+-]+\/[\w.+-]+$/, "must be a MIME type such as image/jpeg"),
  media_path: name(LONGEST_PATH).describe("in the media folder"),
  attachments: names(LONGEST_PATH),
  external_id: name(LONGEST_PATH),
  external_url: address,
  list_name: name(),
  metadata,
};
type Fields = typeof FIELDS;

/** Takes null too, as the same as leaving it out, without listing it. */
export const nullAsAbsent = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => value ?? undefined, schema.optional()).optional();

const mapped = (to: (schema: z.ZodType) => z.ZodType): unknown =>
  Object.fromEntries(Object.entries(FIELDS).map(([key, schema]) => [key, to(schema)]));

/** Of a new memory: null is the same as leaving it out. */
export const newFields = mapped(nullAsAbsent) as {
  [K in keyof Fields]: z.ZodOptional<z.ZodType<z.output<Fields[K]> | undefined>>;
};
/** Of a change: null clears. */
export const changedFields = mapped((schema) => schema.nullish()) as {
  [K in keyof Fields]: z.ZodOptional<z.ZodNullable<Fields[K]>>;
};

export const titleField = name(LONGEST_TITLE);
export const contentField = name(LONGEST_CONTENT);
/** SYSTEM is the runtime's own. */
export const sourceField = z.enum(MEMORY_SOURCES.filter((source) => source !== "SYSTEM"));
export const sectionField = z.enum(MEMORY_SECTIONS);
export const statusField = z.enum(MEMORY_STATUSES);
export const timeField = time;
export const namesField = names;
export const nameField = name();

export type { MemoryItem };

/** What a caller gave of a memory: fields that are checked one by one, not yet against each other. */
export type GivenFields = {
  readonly [K in keyof Fields]?: z.output<Fields[K]> | null | undefined;
} & {
  readonly [K in "title" | "content" | "source" | "section" | "status"]?: MemoryItem[K] | undefined;
} & {
  readonly [K in "chat_id" | "created_at" | "updated_at"]?: string | null | undefined;
};

/** What is not given and not there. */
export const EMPTY_ITEM = {
  section: "NOTE",
  tags: [],
  status: "ACTIVE",
  people: [],
  attendees: [],
  event_start_at: null,
  event_end_at: null,
  timezone: null,
  date_bucket: null,
  due_at: null,
  completed_at: null,
  location: null,
  coordinates: null,
  media_type: null,
  media_path: null,
  attachments: [],
  external_id: null,
  external_url: null,
  list_name: null,
  chat_id: null,
  metadata: {},
} as const;

/**
 * What has to become of the record that a memory is too. It stands in the line that changes the memory, before the record's own
 * journal is written; the next line of the memory says that it is done. A start does what a crash has cut off.
 */
export type Pending =
  | { readonly create: true }
  | { readonly set: Partial<SharedFields>; readonly delete?: true };

/** A record of another tool's journal that a memory is: a task, or an item of a list. */
export interface SharedWith {
  readonly log: string;
  readonly id: number;
}

/** The token that writes, and what it had read. */
export interface Writer extends Tainted {
  readonly by: string;
}

export const lineOf = (writer: Writer): Writer => ({ by: writer.by, ...bothTainted(writer) });

/**
 * A line of journal/memory-items.jsonl: a memory, or what became of it. `memory`: the number by which `list_memories` knows what
 * `add_memory` remembers; the line's writer is then who remembers it. `shared`: what that record says of the memory counts, and not
 * this line.
 */
export type ItemEntry = { readonly timestamp: string; readonly by?: string } & Tainted &
  Known &
  (
    | { readonly item: MemoryItem; readonly pending?: Pending }
    | { readonly of: number; readonly set: Partial<MemoryItem>; readonly pending?: Pending }
    | Erasure
  );

interface Known {
  readonly memory?: number;
  readonly shared?: SharedWith;
}

/**
 * `key` begins an erasure, `finished` says that it has gone through all journals. A line with neither is what was left of another
 * line.
 */
interface Erasure {
  readonly erased: true;
  readonly of?: number;
  readonly key?: string;
  readonly finished?: true;
}

export interface ItemRecord extends Tainted {
  /** Null: erased. */
  readonly item: MemoryItem | null;
  readonly memory: number | null;
  /** Who remembers it, where it has a number. */
  readonly by?: string;
  readonly shared?: SharedWith;
  readonly pending?: Pending;
  /** How many lines it is made of. */
  readonly version: number;
  /** Of a memory whose erasure has not gone through all journals yet: its id. */
  readonly erasing: string | null;
}

export const ITEM_LOG = {
  name: "memory-items",
  erasable: true,
  fold: (previous: ItemRecord | undefined, entry: ItemEntry): ItemRecord => {
    const known = kept(previous, entry);
    if ("item" in entry) return { ...known, item: entry.item, erasing: null };
    if ("erased" in entry) {
      const erasing = entry.finished ? null : (entry.key ?? previous?.erasing ?? null);
      return { ...known, item: null, erasing };
    }
    if (!previous) throw new Error(`memory-items.jsonl: memory ${entry.of} changed before it was added`);
    const { pending: _, ...before } = previous;
    return { ...before, ...known, item: previous.item && { ...previous.item, ...entry.set } };
  },
};

/** They are erased once more. */
export const memoriesErasedSince = ({
  before,
  today,
  timestamp,
}: Restored<ItemRecord>): readonly ItemEntry[] =>
  before.flatMap(({ id: of, record: { item } }) =>
    item && today.get(of)?.item === null
      ? [{ timestamp, by: "a restore", of, erased: true as const, key: item.id }]
      : [],
  );

/** What every line leaves known of a memory, whatever it says. */
function kept(previous: ItemRecord | undefined, entry: ItemEntry): Omit<ItemRecord, "item" | "erasing"> {
  const version = (previous?.version ?? 0) + 1;
  const { memory, by } = entry.memory === undefined ? (previous ?? { memory: null }) : entry;
  const shared = entry.shared ?? previous?.shared;
  const pending = "pending" in entry ? entry.pending : undefined;
  return {
    ...{ memory: memory ?? null, version, ...(by !== undefined && { by }), ...(shared && { shared }) },
    ...(pending && { pending }),
    ...bothTainted(previous ?? {}, entry),
  };
}
