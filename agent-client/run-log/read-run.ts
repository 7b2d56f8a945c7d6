import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { basename, dirname } from "node:path";
import { parseJson } from "../../runtime/wire/refusal.js";
import { type Clock, type Millis, seconds } from "../clock.js";
import { UsageError } from "../errors.js";
import { type RunLine, runLine } from "./lines.js";
import { type RunFile, runFiles } from "./log-files.js";

interface RunRead {
  readonly lines: readonly RunLine[];
  /** Number of invalid lines, such as one that a crash cut short. */
  readonly unread: number;
}

/** The files of the newest run in all folders (names sort by time). Throws a UsageError that says where it looked. */
export function lastRun(folders: readonly string[]): readonly string[] {
  const [newest] = folders
    .map(runFiles)
    .filter((files) => files.length > 0)
    .sort((a, b) => ((a.at(-1)?.run ?? "") < (b.at(-1)?.run ?? "") ? 1 : -1));
  const last = newest?.at(-1);
  if (newest && last) return pathsOf(newest, last.run);
  throw new UsageError(
    `there is no run in ${folders.join(" or ")}: start \`tendril agent\`, or name a file or --log-dir`,
  );
}

/** A file, with those in which its run continues. Throws a UsageError if it does not exist. */
export function runAt(path: string): readonly string[] {
  if (!existsSync(path)) throw new UsageError(`there is no run in ${path}: the file does not exist`);
  const files = runFiles(dirname(path));
  const own = files.find((file) => basename(file.path) === basename(path));
  return own?.part === 1 ? pathsOf(files, own.run) : [path];
}

const pathsOf = (files: readonly RunFile[], run: string): readonly string[] =>
  files.filter((file) => file.run === run).map(({ path }) => path);

/** Throws a UsageError for files without a line of a run, or that cannot be read. */
export function readRun(paths: readonly string[]): RunRead {
  const read = paths.map((path) => parseLines(textOf(path)));
  const lines = read.flatMap(({ lines }) => lines);
  if (lines.length > 0) return { lines, unread: read.reduce((sum, { unread }) => sum + unread, 0) };
  throw new UsageError(`${paths.join(", ")} contains no run of an agent`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new UsageError(`${path} cannot be read: ${reason}`, { cause });
  }
}

/** Reads the lines of any version; counts lines that are cut short or unknown. */
export function parseLines(text: string): RunRead {
  const texts = text.split("\n").filter((line) => line.trim() !== "");
  const lines = texts.flatMap((line) => runLine.safeParse(parseJson(line)).data ?? []);
  return { lines, unread: texts.length - lines.length };
}

/** A choice: often enough for a person who watches, and cheap. */
const LOOK_AGAIN: Millis = seconds(0.5);

/** The lines of a run, then new ones as they come. `files` names the run's files at that time. Ends by the signal. */
export async function* follow(
  files: () => readonly string[],
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<RunLine> {
  const tails = new Map<string, Tail>();
  for (;;) {
    for (const path of files()) {
      const tail = tails.get(path) ?? new Tail(path);
      tails.set(path, tail);
      yield* tail.lines();
    }
    await clock.sleep(LOOK_AGAIN, signal);
  }
}

/** Reads the whole lines that were added to a file since the last time. */
class Tail {
  private at = 0;

  constructor(private readonly path: string) {}

  lines(): readonly RunLine[] {
    const added = this.read();
    const whole = added.subarray(0, added.lastIndexOf(0x0a) + 1);
    this.at += whole.length;
    return parseLines(whole.toString("utf8")).lines;
  }

  private read(): Buffer {
    const fd = openSync(this.path, "r");
    try {
      const data = Buffer.alloc(Math.max(0, fstatSync(fd).size - this.at));
      return data.subarray(0, readSync(fd, data, 0, data.length, this.at));
    } finally {
      closeSync(fd);
    }
  }
}
