import {
  ROOM_QUANTITIES,
  ROOM_QUANTITY_NAMES,
  type RoomQuantityName,
} from "../../drivers/room-quantities.js";
import { hours } from "../../drivers/units.js";
import { HouseTime } from "../wire/house-time.js";
import type { Overview } from "../wire/overview.js";
import { counted } from "../wire/phrases.js";
import type { Bucket, History } from "../wire/plants.js";
import { CommandError, wrongUse } from "./failure.js";
import { isNamed, overviewOf, plantArgument, type Remote } from "./remote.js";

interface HistoryOptions {
  readonly hours: number;
  readonly plant?: string;
  /** A room with a sensor. */
  readonly place?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  /** Repeats; each JSON output is then one line. */
  readonly watch?: boolean;
}

const SOIL = { tool: "get_moisture_history", aggregation: "mean" } as const;

/** For each history: tool, aggregation, field and unit. */
const HISTORIES = {
  moisture: { ...SOIL, value_field: "percent", unit: "%", quantity: "soil_moisture" },
  water: { tool: "get_water_history", aggregation: "sum", value_field: "ml_dispensed", unit: "ml" },
  light: { tool: "get_light_history", aggregation: "sum", value_field: "minutes", unit: "min" },
  ...(Object.fromEntries(
    ROOM_QUANTITY_NAMES.map((name) => [name, ofRoom(ROOM_QUANTITIES[name])]),
  ) as Readonly<Record<RoomQuantityName, Drawn>>),
} satisfies Readonly<Record<string, Drawn>>;

function ofRoom({ field, series, unit }: (typeof ROOM_QUANTITIES)[RoomQuantityName]): Drawn {
  return {
    ...{ tool: "get_climate_history", aggregation: "mean", ofRoom: true },
    ...{ value_field: field, unit, quantity: series },
  };
}

interface Drawn {
  readonly tool: string;
  readonly aggregation: "mean" | "sum";
  readonly value_field: string;
  readonly unit: string;
  /** The measured quantity; absent for recorded events. */
  readonly quantity?: string;
  /** Of a room, not of a plant. */
  readonly ofRoom?: true;
}

export type HistoryKind = keyof typeof HISTORIES;

const MARGIN = 16;
const WIDEST = 96;

/** A history as a chart, or as figures: one line per column of the chart, times in UTC. */
export async function history(
  remote: Remote,
  kind: HistoryKind,
  options: HistoryOptions,
  columns = process.stdout.columns ?? 80,
): Promise<string> {
  const { hours, json = false, csv = false, watch = false } = options;
  const { tool, unit, quantity, ofRoom: _, ...query }: Drawn = HISTORIES[kind];
  const wide = Math.max(12, Math.min(WIDEST, columns - MARGIN));
  const samples_per_hour = Math.min(3600, wide / hours);
  const house = await overviewOf(remote);
  const subject = subjectOf(house, kind, options);
  const drawn = { ...query, hours, samples_per_hour, ...subject };
  const asked = remote.call<History<Bucket>>(tool, { ...drawn, include_empty: true });
  const { items, coverage } = await emptyIfUnknown(asked);
  if (csv && quantity === undefined) return csvOf(items, unit);
  if (csv) return measuredCsv(items, query.value_field, [quantity, unit, placeOf(house, subject)]);
  if (json) return JSON.stringify(items.map(rounded), null, watch ? 0 : 2);
  const of = plantIn(house, subject);
  if (coverage.records === 0) return `nothing in the ${kind} history of ${of}the last ${hours} h`;
  const points = items.map(({ bucket_end, value }) => ({ at: Date.parse(bucket_end), value }));
  const where = subject.place === undefined ? "" : ` in ${subject.place}`;
  const heading = `${kind}${where} of ${of}the last ${hours} h (${counted(coverage.records, "record")})`;
  return `${heading}\n${chart(points, unit, 8, new HouseTime(house.zone))}`;
}

interface Subject {
  readonly plant?: string;
  readonly place?: string;
}

function subjectOf(
  { plants, climate }: Overview,
  kind: HistoryKind,
  { plant, place }: HistoryOptions,
): Subject {
  const { ofRoom, value_field }: Drawn = HISTORIES[kind];
  if (ofRoom && plant !== undefined) throw wrongUse(`${kind} is that of a room: name it with --place`);
  if (ofRoom) return { place: roomNamed(climate, value_field, place) };
  if (place !== undefined) throw wrongUse(`${kind} is that of a plant: name it with --plant`);
  // a chart of the first one, unasked, would look like the one that was meant
  if (plant === undefined && plants.length > 1)
    throw wrongUse(`name the plant with --plant: ${plants.map((each) => each.plant).join(", ")}`);
  return plantArgument(plants, plant);
}

/** "Fern, " where there are several plants, so that one had to be named. */
function plantIn({ plants }: Overview, { plant }: Subject): string {
  if (plant === undefined) return "";
  return `${plants.find((each) => isNamed(each, plant.trim()))?.name ?? plant}, `;
}

/** Of the rooms whose sensor measures it. */
function roomNamed(climate: Overview["climate"], field: string, wanted: string | undefined): string {
  const rooms = climate.filter(({ measures }) => measures.includes(field));
  const places = rooms.map(({ place }) => place);
  if (places.length === 0)
    throw wrongUse("no room has such a sensor: docs/hardware.md says how to configure one");
  const named = places.find((place) => place.toLowerCase() === (wanted ?? place).toLowerCase());
  if (named !== undefined) return named;
  throw wrongUse(`there is no such sensor in ${wanted}; there is: ${places.join(", ")}`);
}

/** The place of the measurements: a room's name, or a plant's id. */
function placeOf({ plants }: Overview, { plant, place }: Subject): string | undefined {
  if (place !== undefined) return place;
  return (plants.find((each) => isNamed(each, plant?.trim() ?? "")) ?? plants[0])?.plant;
}

/** Each line names quantity, unit and place, so that several tables can be joined. */
const measuredCsv = (
  items: readonly Bucket[],
  column: string,
  what: readonly (string | undefined)[],
): string =>
  csvOf(items, column)
    .split("\n")
    .map((line, at) => `${line},${at === 0 ? "quantity,unit,place" : what.map(quoted).join(",")}`)
    .join("\n");

/** RFC 4180, section 2: quotes a field with a comma, a quote or a line break. */
const quoted = (field = ""): string => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

const csvOf = (items: readonly Bucket[], column: string): string =>
  [
    `from,until,${column},records`,
    ...items
      .map(rounded)
      .map(
        ({ bucket_start, bucket_end, value, count }) =>
          `${bucket_start},${bucket_end},${value ?? ""},${count}`,
      ),
  ].join("\n");

/** To a tenth: a probe's noise is larger, and a pump's flow is not known better. */
const rounded = (bucket: Bucket): Bucket => ({
  ...bucket,
  value: bucket.value === null ? null : Math.round(bucket.value * 10) / 10,
});

/** A history without records may not know the field. */
const emptyIfUnknown = (asked: Promise<History<Bucket>>) =>
  asked.catch((error: unknown) => {
    if (error instanceof CommandError && error.message.includes("UNKNOWN_FIELD"))
      return { items: [], coverage: { records: 0 } };
    throw error;
  });

interface Point {
  /** Epoch milliseconds of the bucket's end. */
  readonly at: number;
  readonly value: number | null;
}

const EIGHTHS = " ▁▂▃▄▅▆▇█";

/** One column per point, in eighths of a line, with the scale on the left and times below. Gaps stay empty. */
export function chart(
  points: readonly Point[],
  unit: string,
  height = 8,
  time: HouseTime = new HouseTime(),
): string {
  const known = points.flatMap(({ value }) => (value === null ? [] : [value]));
  if (known.length === 0) return "no data in this window";
  const { low, high } = scale(known, unit);
  const columns = points.map(({ value }) =>
    value === null ? -1 : ((value - low) / (high - low)) * height * 8,
  );
  const [lowest, highest] = [`${low} ${unit}`, `${high} ${unit}`];
  const width = Math.max(LEAST_LABEL, lowest.length, highest.length);
  const rows = Array.from({ length: height }, (_, level) => {
    const label = level === 0 ? lowest : level === height - 1 ? highest : "";
    return drawRow(columns, level, label.padStart(width));
  });
  return [...rows.reverse(), timeAxis(points, time, width)].join("\n");
}

/** Round steps of a scale. */
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** A choice: a smaller change is noise, or less than a dose, and shall not fill the chart. */
const LEAST_SPAN = 5;

/** A range between round figures; from zero if the values are near it. */
function scale(values: readonly number[], unit: string): { low: number; high: number } {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const from = least >= 0 && least <= most / 2 ? 0 : least;
  const span = Math.max(most - from, LEAST_SPAN);
  const step = STEPS.find((each) => each * 4 >= span) ?? 10_000;
  const low = Math.floor(from / step) * step;
  const high = Math.max(Math.ceil(most / step), low / step + Math.ceil(span / step)) * step;
  return { low, high: unit === "%" && most <= 100 ? Math.min(100, high) : high };
}

/** Characters. A choice: charts of different quantities stand below each other. */
const LEAST_LABEL = 9;

function drawRow(columns: readonly number[], level: number, label: string): string {
  const cells = columns.map((filled) => {
    const eighths = Math.round(filled) - level * 8;
    if (filled < 0 || eighths <= 0) return level === 0 && filled >= 0 ? "▁" : " ";
    return EIGHTHS[Math.min(8, eighths)];
  });
  return `${label} ┤${cells.join("")}`;
}

/** A choice: longer ranges need the year. */
const NEEDS_YEAR = hours(300 * 24);

function timeAxis(points: readonly Point[], time: HouseTime, width: number): string {
  const [from, to] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const isLong = to - from > NEEDS_YEAR || time.day(from).slice(0, 4) !== time.day(to).slice(0, 4);
  const label = (at: number) => (isLong ? time.day(at) : time.minute(at).slice(5));
  const [first, last] = [label(from), label(to)];
  const gap = Math.max(1, points.length - first.length - last.length);
  const margin = " ".repeat(width);
  return `${margin} └${"─".repeat(points.length)}\n${margin}  ${first}${" ".repeat(gap)}${last}\n${margin}  ${time.zone}`;
}
