/** What somebody may have meant who wrote a name wrong: a key of a file, a tool. */

/** Characters of a name that are compared. A choice: twice the longest name of a tool. */
const COMPARED = 80;

/** The `most` names nearest to `name`, nearest first; equally near ones keep their order. */
export function nearestNames(name: string, names: readonly string[], most: number): readonly string[] {
  const wanted = name.slice(0, COMPARED).toLowerCase();
  return names
    .map((each) => ({ each, far: distance(wanted, each.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ each }) => each);
}

/**
 * The one of `names` that `name` probably is, misspelt: at most a third of the characters differ. A choice: "write_status" is
 * nearly "write_plant_status"; names that people give to plants are farther from any tool's name.
 */
export function nearlyNamed(name: string, names: readonly string[]): string | undefined {
  const [nearest] = nearestNames(name, names, 1);
  if (nearest === undefined) return undefined;
  const longer = Math.max(name.length, nearest.length);
  if (longer > COMPARED || distance(name.toLowerCase(), nearest.toLowerCase()) * 3 > longer) return undefined;
  return nearest;
}

/**
 * Edit distance: characters to insert, delete or replace (Levenshtein 1966), row by row (Wagner and Fischer 1974). Two
 * neighbours that are swapped are one (Damerau 1964).
 */
function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let at = 0; at < a.length; at += 1) {
    const below = [(row[0] ?? 0) + 1];
    for (let column = 1; column <= b.length; column += 1) {
      const [diagonal = 0, over = 0, left = 0] = [row[column - 1], row[column], below[column - 1]];
      const swapped = areSwapped(a, b, at, column - 1) ? (before[column - 2] ?? 0) + 1 : over + 1;
      below.push(Math.min(diagonal + (b[column - 1] === a[at] ? 0 : 1), over + 1, left + 1, swapped));
    }
    [before, row] = [row, below];
  }
  return row.at(-1) ?? 0;
}

const areSwapped = (a: string, b: string, at: number, column: number): boolean =>
  at > 0 && column > 0 && a[at] === b[column - 1] && a[at - 1] === b[column];
