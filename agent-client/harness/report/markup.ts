import { moment } from "./format.js";

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

/**
 * A table that becomes a list of cards on a narrow page. The roles keep it a table for screen readers.
 */
export const table = (columns: readonly Column[], rows: readonly (readonly Part[])[]): Markup => html`
<table class="cards" role="table">
<thead role="rowgroup"><tr role="row">${columns.map(headCell)}</tr></thead>
<tbody role="rowgroup">${rows.map(
  (row) => html`
<tr role="row">${columns.map((column, index) => cell(column, row[index] ?? ""))}</tr>`,
)}
</tbody></table>`;

const headCell = (column: Column): Markup =>
  html`<th role="columnheader" scope="col"${kind(column)}>${headOf(column)}</th>`;

const cell = (column: Column, content: Part): Markup =>
  html`<td role="cell" data-head="${headOf(column)}"${kind(column)}><div>${content}</div></td>`;

const headOf = (column: Column): string => (typeof column === "string" ? column : column.figures);

const kind = (column: Column): Markup | "" => (typeof column === "string" ? "" : html` class="figures"`);

export const figures = (...heads: readonly string[]): readonly Column[] =>
  heads.map((head) => ({ figures: head }));

export const facts = (entries: readonly (readonly [name: string, value: Part])[]): Markup =>
  html`<dl class="facts">${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** A text from elsewhere: keeps its lines and spaces, and does not change the writing direction around it. */
export const quoted = (text: string): Markup => html`<bdi class="quoted">${text}</bdi>`;

/** A time that is not broken over two lines. */
export const when = (at: string): Markup => html`<time datetime="${at}">${moment(at)}</time>`;
