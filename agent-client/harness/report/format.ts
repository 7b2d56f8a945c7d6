import { type EpochMillis, hours } from "../../units.js";

/** Not in the computer's language: the same run gives the same page everywhere. */
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "3 Jun". All times are UTC, as the runtime's are. */
export function day(at: EpochMillis | string): string {
  const date = new Date(at);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

/** "12:30". */
export const clockTime = (at: EpochMillis | string): string => new Date(at).toISOString().slice(11, 16);

/** "3 Jun, 12:30". */
export const moment = (at: EpochMillis | string): string => `${day(at)}, ${clockTime(at)}`;

/** "3 Jun 2026". */
export const fullDay = (at: EpochMillis | string): string => `${day(at)} ${new Date(at).getUTCFullYear()}`;

/** Thousands set apart by no-break spaces; at most `digits` decimals. */
export function figure(value: number, digits = 0): string {
  const [whole = "", decimals] = String(Number(Math.abs(value).toFixed(digits))).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, "\u00A0");
  const text = decimals === undefined ? grouped : `${grouped}.${decimals}`;
  return value < 0 && text !== "0" ? `−${text}` : text;
}

/** Points of a score, always with one decimal, so that columns line up. */
export const points = (value: number): string => value.toFixed(1).replace("-", "−");

/** "40 min", "3.5 h", "2.1 days". */
export function duration(length: number): string {
  const inHours = length / hours(1);
  if (inHours < 1) return `${figure(inHours * 60)} min`;
  return inHours < 72 ? `${figure(inHours, 1)} h` : `${figure(inHours / 24, 1)} days`;
}

/** "1 plant", "2 plants"; `plural` for an irregular noun. */
export const several = (count: number, noun: string, plural = `${noun}s`): string =>
  `${figure(count, Number.isInteger(count) ? 0 : 1)} ${count === 1 ? noun : plural}`;

/** "a", "a and b", "a, b and c". */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** Lines of at most `width` characters, broken between words; "…" replaces what is beyond `most` lines. */
export function wrapped(text: string, width: number, most: number): readonly string[] {
  // a word longer than a line is cut
  const lines = text.match(new RegExp(`\\S.{0,${width - 1}}(?= |$)|\\S{${width}}`, "gu")) ?? [];
  if (lines.length <= most) return lines;
  const last = [...(lines[most - 1] ?? "")].slice(0, width - 1).join("");
  return [...lines.slice(0, most - 1), `${last}…`];
}

/** On one line, without control characters that could steer a terminal. */
export const plain = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

/** Rows with aligned columns: the first to the left, the others, which are figures, to the right. */
export function textTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column]))));
  return rows.map((row) =>
    widths
      .map((width, column) => padded(row[column] ?? "", width, column === 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Code points: a character outside the basic plane counts as one. */
const widthOf = (text = ""): number => [...text].length;

function padded(text: string, width: number, left: boolean): string {
  const space = " ".repeat(width - widthOf(text));
  return left ? text + space : space + text;
}
