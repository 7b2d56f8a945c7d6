import { existsSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import type { Command } from "commander";
import { harmless, inLine } from "../log.js";
import { PACKAGED } from "../places.js";
import { quoted } from "../wire/phrases.js";
import { COMMANDS, defaultState } from "./options.js";

export { harmless, inLine };

/** The margin of a line: its indent, and a label of up to three words with a gap, as in "1 of 3  Dry". */
const MARGIN = /^ *(?:\S+(?: \S+){0,2} {2,})?/;

/** Breaks lines between words to fit `columns`; continued lines are indented below the text, not the label. */
export const folded = (text: string, columns: number): string =>
  text
    .split("\n")
    .map((line) => foldedLine(line, columns))
    .join("\n");

/** A color around a whole line has no width. */
function foldedLine(line: string, columns: number): string {
  const plain = stripVTControlCharacters(line);
  const begins = line.indexOf(plain);
  if (plain === line || begins < 0) return foldedPlain(line, columns);
  return line.slice(0, begins) + foldedPlain(plain, columns) + line.slice(begins + plain.length);
}

function foldedPlain(line: string, columns: number): string {
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

/** For a person: harmless, with commands as they are called here, and lines that fit the terminal. */
export const forPerson = (text: string): string => fitting(process.stdout, harmless(asCalledHere(text)));

export const print = (text: string): void => printAsIs(forPerson(text));

/** The same, but does not change commands: for texts of others, files, and commands for another computer. */
export const printVerbatim = (text: string): void => printAsIs(fitting(process.stdout, harmless(text)));

/** Prints lines unchanged, such as JSON. `text` must be harmless already. */
export const printAsIs = (text: string): void => void process.stdout.write(`${text}\n`);

export const fitting = (
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number },
  text: string,
): string => (isTTY && columns ? folded(text, columns) : text);

/**
 * Ignores a closed output: a reader such as `head` may stop early, and a program that runs a pump must still stop it after its
 * terminal or ssh connection is gone.
 */
export function ignoreClosedOutput(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && !(error.code === "EIO" && stream.isTTY)) throw error;
  });
}

const HOME = fileURLToPath(new URL("../../../", import.meta.url));

interface Where {
  readonly home: string;
  readonly cwd: string;
  /** Whether `home` contains the program `tendril`, as a clone does. */
  readonly isClone: boolean;
}

/**
 * What a person types for `tendril` in this folder. Never `npx tendril`: outside of a clone this would fetch a package of that
 * name from npm's registry, which is not ours.
 */
export function calledAs({ home, cwd, isClone }: Where = ownPlace()): string {
  if (home === PACKAGED.programs || !isClone) return "tendril";
  const near = relative(cwd, home);
  if (near === "") return "./tendril";
  return quoted(near.startsWith("..") ? `${home}tendril` : `./${near}/tendril`);
}

const ownPlace = (): Where => ({
  home: HOME,
  cwd: process.cwd(),
  isClone: existsSync(`${HOME}tendril`),
});

/** A command of this program as a person types it here. */
export const callAs = (command: string): string => `${calledAs()} ${command}`;

/** A command in a text: its name, its next word, and what else is typed. */
const NAMED = new RegExp(
  `(?<![\\w./-])tendril (${COMMANDS.join("|")})(?![\\w-])( [a-z][a-z-]*(?![\\w-]))?(?=([^"\`;\\n]*))`,
  "g",
);

/** The options that say which runtime a command is about. */
const REPEATED = ["--state", "--config", "--url", "--token-file", "--pin"];

/** What the programs take that read their own options; their other options of these names mean something else. */
const OF_PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  agent: ["--state", "--url", "--pin"],
  log: ["--state"],
};

type Options = Readonly<Record<string, string | undefined>>;
let repeated: Options = {};
let commands: readonly Command[] = [];

/** Hints repeat these options from now on, in the commands of the program that take them. */
export function repeatInHints(options: Options, program?: Command): void {
  repeated = options;
  commands = program?.commands ?? commands;
}

/** The options of a command that is about to run which a person gave, and which say what runtime it is about. */
export function givenTo(command: Command): Options {
  const given = command.options.filter(
    (option) =>
      REPEATED.includes(option.long ?? "") &&
      command.getOptionValueSourceWithGlobals(option.attributeName()) === "cli",
  );
  const values = command.optsWithGlobals();
  return Object.fromEntries(given.map((option) => [option.long, values[option.attributeName()]]));
}

/** Adapts commands in a text, such as "tendril resume", to how they are called here, and for which runtime. */
export const asCalledHere = (text: string): string =>
  text.replaceAll(NAMED, (_, name: string, next = "", rest = "") => {
    const command = commands.find((each) => each.name() === name);
    const below = command?.commands.find((each) => ` ${each.name()}` === next);
    const taken = OF_PROGRAMS[name] ?? (below ?? command)?.options.map(({ long }) => long ?? "") ?? [];
    const words = Object.entries(repeated)
      .filter(([flag, value]) => value !== undefined && taken.includes(flag) && !rest.includes(flag))
      .map(([flag, value = ""]) => ` ${flag} ${quoted(value)}`)
      .join("");
    return `${calledAs()} ${name}${below ? next + words : words + next}`;
  });

/** The value of --state for a command in another terminal in the same folder; undefined: it needs none. */
export const stateElsewhere = (state: string): string | undefined =>
  process.env.TENDRIL_STATE === undefined && state === defaultState() ? undefined : state;
