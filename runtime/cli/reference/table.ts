/** For the head of a page that nobody should edit. */
export const GENERATED =
  "<!-- Written by `npm run docs` from the declarations. A test holds both together. -->";

/** A Markdown table, with an empty line behind it. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(" | ")} |`;
  return `${[line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}

const escaped = (cell: string): string => cell.replaceAll("|", "\\|").replaceAll("\n", " ");
