import type { Bucket, CareEvent, LightStretch, Photo, PouredDose } from "../../wire/plants.js";
import type { Action as LoggedAction, MemoryItem, Thought } from "../../wire/records.js";
import { at } from "./figures.js";

/** What the story asks the runtime for, and what it makes of the answers. */

/** Hours back, and buckets an hour: some 300 points each. */
export const RANGES = {
  hour: { hours: 1, samples: 60 },
  day: { hours: 24, samples: 12 },
  week: { hours: 168, samples: 2 },
  month: { hours: 720, samples: 0.5 },
  year: { hours: 8760, samples: 0.042 },
  /** Ten years, which is all that there is. */
  all: { hours: 87_600, samples: 0.004 },
} as const;
type RangeName = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as RangeName[];

/** The longest time of which every dose and cycle is shown by itself. */
const SHORT = RANGES.week.hours;
export const isShort = (hours: number): boolean => hours <= SHORT;

/** Buckets an hour for any time that people drag the chart to: some 300 points, and at most one a minute. */
export function samplesFor(hours: number): number {
  const range = Object.values(RANGES).find((each) => each.hours === hours);
  return range?.samples ?? Math.min(60, 300 / hours);
}

/** A figure with times of its bucket, for the chart, the table and the file. */
export interface Row {
  readonly from: number;
  readonly to: number;
  /** Percent; null: no reading. */
  readonly moisture: number | null;
  readonly readings: number;
  readonly ml: number;
  readonly doses: number;
  /** °C of the room, where it has a sensor. */
  readonly air?: number | null;
}

/** All answers are of the same buckets. */
export function rowsOf(
  moisture: readonly Bucket[],
  water: readonly Bucket[],
  air: readonly Bucket[] = [],
): Row[] {
  const warm = new Map(air.map(({ bucket_start, value }) => [bucket_start, value]));
  const poured = new Map(water.map((bucket) => [bucket.bucket_start, bucket]));
  return moisture.map(({ bucket_start, bucket_end, value, count }) => {
    const { value: ml = 0, count: doses = 0 } = poured.get(bucket_start) ?? {};
    return {
      from: at(bucket_start),
      to: at(bucket_end),
      moisture: value,
      readings: count,
      ml: ml ?? 0,
      doses,
      ...(air.length > 0 && { air: warm.get(bucket_start) ?? null }),
    };
  });
}

/** Where the bar of a bucket stands: amid the doses that are known of it; a single dose at its own time. */
export function placeOf({ from, to }: Pick<Row, "from" | "to">, poured: readonly number[]): number {
  const own = poured.filter((time) => time >= from && time < to);
  if (own.length === 0) return (from + to) / 2;
  return (Math.min(...own) + Math.max(...own)) / 2;
}

/** Readings that are missing for longer than this break the line, whatever the width of a bucket. */
const GAP = 15 * 60_000;

export const hasAir = (rows: readonly Row[]): boolean => rows.some(({ air = null }) => air !== null);

/** The line of a figure: times and values, with one null in each gap. */
export function lineOf(
  rows: readonly Row[],
  of: "moisture" | "air" = "moisture",
): { times: number[]; values: (number | null)[] } {
  const line = { times: [] as number[], values: [] as (number | null)[] };
  let last: Row | undefined;
  for (const row of rows.filter((each) => (each[of] ?? null) !== null)) {
    if (last && row.from - last.to > Math.max(0, GAP - (row.to - row.from))) push(line, last.to, null);
    push(line, (row.from + row.to) / 2, row[of] ?? null);
    last = row;
  }
  return line;
}

function push(line: { times: number[]; values: (number | null)[] }, time: number, value: number | null) {
  line.times.push(time);
  line.values.push(value);
}

export interface Action extends Omit<LoggedAction, "details"> {
  readonly details: {
    readonly tool?: string;
    readonly plant?: string;
    readonly ml?: number;
    readonly minutes?: number;
  };
}

/** A note that a person made about a plant: a memory, whose time is its place in the story. */
export type Note = Pick<
  MemoryItem,
  "id" | "content" | "event_start_at" | "created_at" | "user_id" | "media_path" | "attachments"
>;

/** A photo whose picture is still there. */
export type PhotoSeen = Pick<Photo, "timestamp" | "width" | "height" | "dark"> & { readonly url: string };

/** Something that happened, at its place on the time axis. */
export type StoryEvent =
  | { readonly kind: "dose"; readonly time: number; readonly dose: PouredDose }
  | { readonly kind: "note"; readonly time: number; readonly note: Note }
  | { readonly kind: "photo"; readonly time: number; readonly photo: PhotoSeen }
  | { readonly kind: "cycle" | "refused" | "control"; readonly time: number; readonly event: CareEvent };

/** Newest first, as people read a diary. */
export function eventsOf(
  doses: readonly PouredDose[],
  record: readonly CareEvent[],
  notes: readonly Note[] = [],
  photos: readonly PhotoSeen[] = [],
): StoryEvent[] {
  const all: StoryEvent[] = [
    ...doses.map((dose) => ({ kind: "dose" as const, time: at(dose.timestamp), dose })),
    ...notes.map((note) => ({
      kind: "note" as const,
      time: at(note.event_start_at ?? note.created_at),
      note,
    })),
    ...photos.map((photo) => ({ kind: "photo" as const, time: at(photo.timestamp), photo })),
    ...record.map((event) => ({ kind: kindOf(event), time: at(event.timestamp), event })),
  ];
  return all.sort((a, b) => b.time - a.time);
}

function kindOf({ kind }: CareEvent): "cycle" | "refused" | "control" {
  if (kind === "dose_refused") return "refused";
  return kind === "cycle" ? "cycle" : "control";
}

/** A cycle lasts half an hour. */
const CYCLE = 30 * 60_000;

/** An entry of the list: something that happened, or cycles one after the other that planned nothing. */
type StoryEntry = StoryEvent | { readonly kind: "quiet"; readonly cycles: readonly StoryEvent[] };

/** Cycles that planned nothing, folded: doses, refusals and faults are what people look for. */
export function foldQuiet(events: readonly StoryEvent[]): StoryEntry[] {
  const entries: StoryEntry[] = [];
  for (const event of events) {
    const last = entries.at(-1);
    if (!isQuiet(event)) entries.push(event);
    else if (last?.kind === "quiet")
      entries[entries.length - 1] = { ...last, cycles: [...last.cycles, event] };
    else entries.push({ kind: "quiet", cycles: [event] });
  }
  return entries;
}

const isQuiet = (event: StoryEvent): boolean =>
  event.kind === "cycle" &&
  event.event.proceed === true &&
  !event.event.planned_ml &&
  !event.event.planned_light_minutes;

/** A time in which nothing could be measured, and why. */
interface OutageSpan {
  readonly why: "probe" | "off";
  readonly from: number;
  readonly to: number;
}

/** From the record, oldest first; a fault of the probe without an end lasts until `to`. */
export function outagesIn(record: readonly CareEvent[], to: number): OutageSpan[] {
  const spans: OutageSpan[] = [];
  let failedAt: number | undefined;
  for (const { kind, since, timestamp } of record) {
    if (kind === "probe_fault") failedAt ??= at(timestamp);
    if (kind === "probe_ok") failedAt = undefined;
    const why = ({ probe_ok: "probe", started: "off" } as const)[kind as "probe_ok" | "started"];
    if (why && since !== undefined) spans.push({ why, from: at(since), to: at(timestamp) });
  }
  return failedAt === undefined ? spans : [...spans, { why: "probe", from: failedAt, to }];
}

/** Bars with their places on the chart: of those that are too near to each other for two figures, one figure with the sum. */
export function figuresOfBars<
  Bar extends { readonly ml: number; readonly middle: number; readonly top: number },
>(
  bars: readonly Bar[],
  room: number,
): { readonly ml: number; readonly middle: number; readonly top: number }[] {
  const groups: Bar[][] = [];
  for (const bar of bars) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    if (group && first && bar.middle - first.middle < room) group.push(bar);
    else groups.push([bar]);
  }
  return groups.map((group) => ({
    ml: group.reduce((sum, { ml }) => sum + ml, 0),
    middle: ((group[0]?.middle ?? 0) + (group.at(-1)?.middle ?? 0)) / 2,
    top: Math.min(...group.map(({ top }) => top)),
  }));
}

/** Of how many of these there are readings; without those before the first one, which nothing was measured before. */
export function coverageOf(rows: readonly Row[]): {
  readonly having: number;
  readonly all: number;
} {
  const first = rows.findIndex(({ readings }) => readings > 0);
  const known = first === -1 ? [] : rows.slice(first);
  return {
    having: known.filter(({ readings }) => readings > 0).length,
    all: known.length,
  };
}

/** Where the time axis begins: not long before the first thing that is known, and at least an hour before its end. */
export function axisFrom(data: {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly Row[];
  readonly record: readonly CareEvent[];
}): number {
  const first = data.rows.find(({ readings, doses }) => readings > 0 || doses > 0)?.from;
  const told = data.record[0] && at(data.record[0].timestamp);
  if (first === undefined && told === undefined) return data.from;
  const known = Math.min(first ?? data.to, told ?? data.to);
  return Math.max(data.from, Math.min(known - (data.to - known) / 20, data.to - HOUR));
}

const HOUR = 3_600_000;

/** From the agent's thought to the end of its calls: where to look for what belongs to an event. */
export const around = (time: number): { from: number; to: number } => ({
  from: time - CYCLE / 3,
  to: time + CYCLE / 3,
});

/** The thought that came last before it. */
export const thoughtBefore = (time: number, thoughts: readonly Thought[]): Thought | undefined =>
  thoughts.findLast(({ timestamp }) => at(timestamp) <= time) ?? thoughts[0];

/** Numbers alone, so no spreadsheet takes a cell for a formula. The air stands last, where there is a sensor. */
export function csvOf(rows: readonly Row[]): string {
  const withAir = hasAir(rows);
  const lines = rows.map(({ from, to, moisture, readings, ml, doses, air }) => {
    const cells = [iso(from), iso(to), moisture?.toFixed(2) ?? "", readings, ml, doses];
    return [...cells, ...(withAir ? [air?.toFixed(2) ?? ""] : [])].join(",");
  });
  const columns = "from_utc,to_utc,moisture_percent,readings,water_ml,doses";
  return [withAir ? `${columns},air_celsius` : columns, ...lines, ""].join("\r\n");
}

/** What happened, and when the light was on, oldest first. */
export function eventsCsvOf(events: readonly StoryEvent[], light: readonly LightStretch[]): string {
  const lit = light.map(({ timestamp, minutes }) => ({
    time: at(timestamp),
    cells: ["light", "", "", minutes, "", ""],
  }));
  const all = [...events.map((event) => ({ time: event.time, cells: cellsOf(event) })), ...lit];
  all.sort((a, b) => a.time - b.time);
  const lines = all.map(({ time, cells }) => [iso(time), ...cells.map(cell)].join(","));
  return ["time_utc,kind,by,ml,minutes,code,text", ...lines, ""].join("\r\n");
}

/** kind, by, ml, minutes, code, text */
function cellsOf(event: StoryEvent): (string | number | null | undefined)[] {
  if (event.kind === "dose") {
    const { by, ml_dispensed, outcome } = event.dose;
    return ["dose", by, ml_dispensed, "", outcome, ""];
  }
  if (event.kind === "photo") return ["photo", "", "", "", "", ""];
  if (event.kind === "note") return ["note", event.note.user_id, "", "", "", event.note.content];
  const { kind, by, ml, planned_ml = ml, planned_light_minutes, code, reason, reasoning } = event.event;
  return [kind, by, planned_ml, planned_light_minutes, code, [reasoning, reason].filter(Boolean).join(" / ")];
}

/** Words in quotes (RFC 4180), so that no spreadsheet takes them for a formula. */
function cell(value: string | number | null | undefined): string {
  const text = String(value ?? "");
  if (/^[\w.:-]*$/.test(text) && !/^[-]/.test(text)) return text;
  return `"${/^[=+\-@\t\r]/.test(text) ? "'" : ""}${text.replaceAll('"', '""')}"`;
}

const iso = (ms: number): string => new Date(ms).toISOString();
