import { existsSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { counted, harmless, inLine } from "../harmless.js";
import { PACKAGED } from "../places.js";
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

/** For a person: harmless, with commands as they are called here, and on a terminal no word is cut at its edge. */
export const forPerson = (text: string): string => fitting(process.stdout, harmless(asCalledHere(text)));

export const print = (text: string): void => printAsIs(forPerson(text));

/** The same, with commands as the text has them: words of others, files, and what is typed on another computer. */
export const printVerbatim = (text: string): void => printAsIs(fitting(process.stdout, harmless(text)));

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
export function ignoreClosedOutput(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && !(error.code === "EIO" && stream.isTTY)) throw error;
  });
}

/** Where this program is: the folder of a clone, or of the package. */
const HOME = fileURLToPath(new URL("../../../", import.meta.url));

export interface Where {
  /** Of the program. */
  readonly home: string;
  readonly cwd: string;
  /** Whether a program `tendril` lies in `home`, as in a clone. */
  readonly isClone: boolean;
}

/**
 * What a person types for `tendril` in the folder where this is printed. Never `npx tendril`: outside of a clone that asks
 * npm's registry for a package of that name, which is not ours.
 */
export function calledAs({ home, cwd, isClone }: Where = ownPlace()): string {
  if (home === PACKAGED.programs || !isClone) return "tendril";
  const near = relative(cwd, home);
  if (near === "") return "./tendril";
  return quoted(near.startsWith("..") ? `${home}tendril` : `./${near}/tendril`);
}

export const ownPlace = (): Where => ({
  home: HOME,
  cwd: process.cwd(),
  isClone: existsSync(`${HOME}tendril`),
});

/** A command of this program as a person types it here. */
export const callAs = (command: string): string => `${calledAs()} ${command}`;

/** Every command that a hint may name; a test compares it with the help. */
export const COMMANDS = [
  ...["agent", "approvals", "approve", "backup", "calibrate", "clear", "config", "demo", "deny", "discover"],
  ...["doctor", "export", "history", "hold", "import", "join", "log", "messages", "models", "off", "pair"],
  ...["photo", "release", "reply", "restore", "resume", "serve", "setup", "simulate", "status"],
  ...["support-bundle", "tls", "token", "tools", "water", "when"],
] as const;

const NAMED = new RegExp(`(?<![\\w./-])tendril (?=(?:${COMMANDS.join("|")})\\b)`, "g");

/** Hints in a text, which say "tendril resume", so that they work where they are printed. */
export const asCalledHere = (text: string): string => text.replaceAll(NAMED, () => `${calledAs()} `);

/** As a shell takes it for one word. */
export const quoted = (path: string): string =>
  /^[\w./~+:@%,=-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
