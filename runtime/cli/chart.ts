export interface Point {
  /** Epoch milliseconds of the bucket's end. */
  readonly at: number;
  readonly value: number | null;
}

const EIGHTHS = " ▁▂▃▄▅▆▇█";

/** A column a point, drawn in eighths of a line, with the scale at the left and the times below. Gaps stay empty. */
export function chart(points: readonly Point[], unit: string, height = 8): string {
  const known = points.flatMap(({ value }) => (value === null ? [] : [value]));
  if (known.length === 0) return "no data in this window";
  const { low, high } = scale(known);
  const columns = points.map(({ value }) =>
    value === null ? -1 : ((value - low) / (high - low)) * height * 8,
  );
  const rows = Array.from({ length: height }, (_, row) =>
    drawRow(columns, height - 1 - row, labelOf(row, height, low, high, unit)),
  );
  return [...rows, timeAxis(points)].join("\n");
}

/** From zero where the values are near it, else with a tenth of room. */
function scale(values: readonly number[]): { low: number; high: number } {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = Math.max((most - least) * 0.1, 0.5);
  return { low: least >= 0 && least <= most / 2 ? 0 : least - room, high: most + room };
}

const LABEL = 9;

function labelOf(row: number, height: number, low: number, high: number, unit: string): string {
  const value = row === 0 ? high : row === height - 1 ? low : undefined;
  return (value === undefined ? "" : `${value.toFixed(1)} ${unit}`).padStart(LABEL);
}

function drawRow(columns: readonly number[], level: number, label: string): string {
  const cells = columns.map((filled) => {
    const eighths = Math.round(filled) - level * 8;
    if (filled < 0 || eighths <= 0) return level === 0 && filled >= 0 ? "▁" : " ";
    return EIGHTHS[Math.min(8, eighths)];
  });
  return `${label} ┤${cells.join("")}`;
}

function timeAxis(points: readonly Point[]): string {
  const first = clockTime(points[0]?.at ?? 0);
  const last = clockTime(points.at(-1)?.at ?? 0);
  const gap = Math.max(1, points.length - first.length - last.length);
  return `${" ".repeat(LABEL)} └${"─".repeat(points.length)}\n${" ".repeat(LABEL + 2)}${first}${" ".repeat(gap)}${last} UTC`;
}

const clockTime = (at: number): string => new Date(at).toISOString().slice(5, 16).replace("T", " ");
