import { type EpochMillis, hours } from "../../clock.js";

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
const moment = (at: EpochMillis | string): string => `${day(at)}, ${clockTime(at)}`;

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

/** "1 plant", "2 plants" */
export const several = (count: number, noun: string): string =>
  `${figure(count, Number.isInteger(count) ? 0 : 1)} ${noun}${count === 1 ? "" : "s"}`;

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

/** Text that is markup already; anything else is escaped. */
export class Markup {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

export type Part = Markup | string | number | readonly Part[];

/** HTML and SVG that an XML parser accepts. Names and texts of plants, models and people are always escaped. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.reduce((text, string, index) => `${text}${inMarkup(parts[index - 1] ?? "")}${string}`));

function inMarkup(part: Part): string {
  if (part instanceof Markup) return part.toString();
  if (typeof part === "object") return part.map(inMarkup).join("");
  return escaped(String(part));
}

/** Characters that XML 1.0 forbids (section 2.2), and the control characters that it discourages. */
const FORBIDDEN = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string): string =>
  text.replace(FORBIDDEN, "\uFFFD").replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");

/** The head of a column. Figures are aligned to the right. */
type Column = string | { readonly figures: string };

/** A table that scrolls if it does not fit. */
export const table = (columns: readonly Column[], rows: readonly (readonly Part[])[]): Markup => html`
<div class="scroll"><table>
<thead><tr>${columns.map((head) => cellOf("th", head, typeof head === "string" ? head : head.figures))}</tr></thead>
<tbody>${rows.map(
  (row) => html`
<tr>${columns.map((head, index) => cellOf("td", head, row[index] ?? ""))}</tr>`,
)}
</tbody></table></div>`;

const cellOf = (name: "th" | "td", column: Column, content: Part): Markup => {
  const tag = new Markup(name);
  return html`<${tag}${typeof column === "string" ? "" : html` class="figures"`}>${content}</${tag}>`;
};

export const figures = (...heads: readonly string[]): readonly Column[] =>
  heads.map((head) => ({ figures: head }));

export const facts = (entries: readonly (readonly [name: string, value: Part])[]): Markup =>
  html`<dl class="facts">${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** A text from elsewhere: keeps its lines and spaces, and does not change the writing direction around it. */
export const quoted = (text: string): Markup => html`<bdi class="quoted">${text}</bdi>`;

/** A time that is not broken over two lines. */
export const when = (at: string): Markup => html`<time datetime="${at}">${moment(at)}</time>`;
