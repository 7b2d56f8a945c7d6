/** A longer name is no slip of the pen, and need not be compared to its end. A choice: twice the longest name of a tool. */
const COMPARED = 80;

/** The `most` of `names` that are nearest to `name`, the nearest first; those as near in their own order. */
export function nearestNames(name: string, names: readonly string[], most: number): readonly string[] {
  const wanted = name.slice(0, COMPARED).toLowerCase();
  return names
    .map((each) => ({ each, far: distance(wanted, each.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ each }) => each);
}

/**
 * A slip of the pen or of the memory: no more than a third of the characters differ from one of `names`. A choice:
 * "write_status" is nearly "write_plant_status"; names that people give are farther from any tool's.
 */
export function isNearly(name: string, names: readonly string[]): boolean {
  const [nearest = ""] = nearestNames(name, names, 1);
  const longer = Math.max(name.length, nearest.length);
  return longer <= COMPARED && distance(name.toLowerCase(), nearest.toLowerCase()) * 3 <= longer;
}

/** How many characters are to be put in, left out or replaced (Levenshtein 1966), row by row (Wagner and Fischer 1974). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [index, character] of [...a].entries()) row = nextRow(row, index + 1, character, b);
  return row.at(-1) ?? 0;
}

function nextRow(above: readonly number[], first: number, character: string, b: string): number[] {
  const row = [first];
  for (let column = 1; column <= b.length; column += 1) {
    const [diagonal = 0, over = 0, left = 0] = [above[column - 1], above[column], row[column - 1]];
    row.push(Math.min(diagonal + (b[column - 1] === character ? 0 : 1), over + 1, left + 1));
  }
  return row;
}
