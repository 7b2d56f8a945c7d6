import { hours } from "../../drivers/units.js";
import { HouseTime } from "../wire/house-time.js";

export interface Point {
  /** Epoch milliseconds of the bucket's end. */
  readonly at: number;
  readonly value: number | null;
}

const EIGHTHS = " ▁▂▃▄▅▆▇█";

/** A column a point, drawn in eighths of a line, with the scale at the left and the times below. Gaps stay empty. */
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
  const rows = Array.from({ length: height }, (_, row) =>
    drawRow(columns, height - 1 - row, labelOf(row, height, low, high, unit)),
  );
  return [...rows, timeAxis(points, time)].join("\n");
}

/** Marks of a scale that people read easily. */
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** A choice: a rise of less is noise of a probe, or less than a dose, and does not fill the chart. */
const LEAST_SPAN = 5;

/** From and to round figures: from zero where the values are near it. */
function scale(values: readonly number[], unit: string): { low: number; high: number } {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const from = least >= 0 && least <= most / 2 ? 0 : least;
  const span = Math.max(most - from, LEAST_SPAN);
  const step = STEPS.find((each) => each * 4 >= span) ?? 10_000;
  const low = Math.floor(from / step) * step;
  const high = Math.max(Math.ceil(most / step), low / step + Math.ceil(span / step)) * step;
  return { low, high: unit === "%" && most <= 100 ? Math.min(100, high) : high };
}

const LABEL = 9;

function labelOf(row: number, height: number, low: number, high: number, unit: string): string {
  const value = row === 0 ? high : row === height - 1 ? low : undefined;
  return (value === undefined ? "" : `${value} ${unit}`).padStart(LABEL);
}

function drawRow(columns: readonly number[], level: number, label: string): string {
  const cells = columns.map((filled) => {
    const eighths = Math.round(filled) - level * 8;
    if (filled < 0 || eighths <= 0) return level === 0 && filled >= 0 ? "▁" : " ";
    return EIGHTHS[Math.min(8, eighths)];
  });
  return `${label} ┤${cells.join("")}`;
}

/** A choice: from there on it may be two years whose days look alike. */
const NEEDS_YEAR = hours(300 * 24);

function timeAxis(points: readonly Point[], time: HouseTime): string {
  const [from, to] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const isLong = to - from > NEEDS_YEAR || time.day(from).slice(0, 4) !== time.day(to).slice(0, 4);
  const label = (at: number) => (isLong ? time.day(at) : time.minute(at).slice(5));
  const [first, last] = [label(from), label(to)];
  const gap = Math.max(1, points.length - first.length - last.length);
  const margin = " ".repeat(LABEL);
  return `${margin} └${"─".repeat(points.length)}\n${margin}  ${first}${" ".repeat(gap)}${last}\n${margin}  ${time.zone}`;
}
