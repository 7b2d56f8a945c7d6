import { counted, harmless, inLine } from "../harmless.js";
import type { HouseTime } from "../wire/house-time.js";

export { counted, harmless, inLine };

/** What stands before a line's text: its indent, and a word or three with a gap, as in "1 of 3  Dry". */
const MARGIN = /^ *(?:\S+(?: \S+){0,2} {2,})?/;

/** Lines broken between words to fit `columns`; what goes on stands beneath the text, not beneath its label. */
export const folded = (text: string, columns: number): string =>
  text
    .split("\n")
    .map((line) => foldedLine(line, columns))
    .join("\n");

function foldedLine(line: string, columns: number): string {
  const margin = MARGIN.exec(line)?.[0].length ?? 0;
  const lines: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const at = rest.lastIndexOf(" ", columns);
    if (at <= margin) break; // one long word, such as a path
    lines.push(rest.slice(0, at));
    rest = " ".repeat(margin) + rest.slice(at + 1);
  }
  return [...lines, rest].join("\n");
}

/** Times of results, which are UTC, as people in the house read them. */
export const timesIn = (text: string, time: HouseTime): string =>
  text.replaceAll(
    /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z/g,
    (at) => `${time.minute(at)} ${time.zone}`,
  );

/** For a person: on a terminal no word is cut at its edge. */
export const print = (text: string): void => printAsIs(fitting(process.stdout, harmless(text)));

/** For programs too, such as JSON: lines stay as they are. `text` is harmless already. */
export const printAsIs = (text: string): void => void process.stdout.write(`${text}\n`);

export const fitting = (
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number },
  text: string,
): string => (isTTY && columns ? folded(text, columns) : text);

/**
 * A reader that has seen enough, such as `head`, is no failure: what it does not want is lost. Nor is a terminal that is gone,
 * with its ssh connection: whoever runs a pump still has to stop it.
 */
export function endQuietly(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && !(error.code === "EIO" && stream.isTTY)) throw error;
  });
}
