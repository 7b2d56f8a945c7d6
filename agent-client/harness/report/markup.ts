/** Text that is markup already; whatever is not of this class gets escaped. */
export class Markup {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

export type Part = Markup | string | number | readonly Part[];

/** HTML and SVG, strict enough for an XML parser. Names and texts of plants, models and people can only enter escaped. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.reduce((text, string, index) => `${text}${inMarkup(parts[index - 1] ?? "")}${string}`));

function inMarkup(part: Part): string {
  if (part instanceof Markup) return part.toString();
  if (typeof part === "object") return part.map(inMarkup).join("");
  return escaped(String(part));
}

/** Characters that no XML 1.0 document may hold (section 2.2), and the controls that it advises against. */
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
