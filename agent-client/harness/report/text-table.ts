/** Rows with aligned columns: the first column to the left, the others, which hold figures, to the right. */
export function textTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column]))));
  return rows.map((row) =>
    widths
      .map((width, column) => padded(row[column] ?? "", width, column === 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Signs as a person counts them: a letter outside the basic plane is one. */
const widthOf = (text = ""): number => [...text].length;

function padded(text: string, width: number, left: boolean): string {
  const space = " ".repeat(width - widthOf(text));
  return left ? text + space : space + text;
}
