import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../drivers/system-error.js";
import { parseJson } from "../../runtime/wire/refusal.js";
import type { EpochMillis } from "../clock.js";
import { UsageError } from "../errors.js";
import type { Runtime } from "../link/runtime.js";
import { makeFolder } from "../state/state-folder.js";
import { type RunLine, runLine } from "./lines.js";

/** Takes lines without the line break. */
export interface Sink {
  write(line: string): void;
}

interface LogLimits {
  /** Bytes of a file, after which the next file begins. */
  readonly file: number;
  /** Most bytes of all run files of the folder. */
  readonly total: number;
}

/** Called once if the log cannot be written. */
export type Trouble = (problem: string) => void;

/** Only the owner may read: logs contain what people wrote. */
const MODE = 0o600;

/**
 * A file that is kept open; each line is passed to the system at once. Never throws: with a full disk or an unwritable folder
 * lines are lost. They are counted, and the file gets a line about them once it can be written again.
 */
export class LogFile implements Sink {
  private fd: number | undefined;
  private bytes = 0;
  private lost = 0;
  private torn = false;
  private said = false;

  /** `path` must not exist; its folders are made. `lostLine` makes the line about missing lines. */
  constructor(
    private readonly path: string,
    private readonly lostLine: (lines: number) => string,
    private readonly onTrouble: Trouble,
  ) {}

  /** Bytes written so far. */
  get size(): number {
    return this.bytes;
  }

  write(line: string): void {
    try {
      const before = this.lost > 0 ? `${this.lostLine(this.lost)}\n` : "";
      this.append(`${this.torn ? "\n" : ""}${before}${line}\n`);
      this.lost = 0;
    } catch (error) {
      this.lost += 1;
      if (!this.said) this.onTrouble(`${this.path} cannot be written: ${messageOf(error)}`);
      this.said = true;
    }
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  /** A full disk may take only a part of a line; then the next line begins with a line break. */
  private append(text: string): void {
    const data = Buffer.from(text);
    this.fd ??= this.open();
    for (let written = 0; written < data.length; ) {
      const wrote = writeSync(this.fd, data, written);
      written += wrote;
      this.bytes += wrote;
      this.torn = written < data.length;
    }
  }

  private open(): number {
    makeFolder(dirname(this.path), 0o700);
    return openSync(this.path, "ax", MODE);
  }
}

/** A run's files in a folder. A full file is followed by the next; the oldest runs are deleted if all are too large. */
export class RotatedLog implements Sink {
  private part = 1;
  private said = false;
  private current: LogFile;

  /** `heading` is the first line of every file. */
  constructor(
    private readonly folder: string,
    private readonly first: string,
    private readonly limits: LogLimits,
    private readonly heading: string,
    private readonly lostLine: (lines: number) => string,
    private readonly onTrouble: Trouble,
  ) {
    this.current = this.begin(1);
  }

  write(line: string): void {
    if (this.current.size > this.limits.file) this.rotate();
    this.current.write(line);
  }

  private rotate(): void {
    this.current.close();
    this.part += 1;
    this.current = this.begin(this.part);
  }

  private begin(part: number): LogFile {
    const path = join(this.folder, partName(this.first, part));
    const file = new LogFile(path, this.lostLine, (problem) => this.trouble(problem));
    file.write(this.heading);
    this.prune(path);
    return file;
  }

  /** Reports only once for all files. */
  private trouble(problem: string): void {
    if (!this.said) this.onTrouble(problem);
    this.said = true;
  }

  private prune(writing: string): void {
    try {
      prune(this.folder, this.limits.total, writing);
    } catch (error) {
      this.trouble(`${this.folder} cannot be tidied: ${messageOf(error)}`);
    }
  }
}

/** Name of a run's first file, such as 2026-06-01T12-30-00.000Z-ollama-llama3-2.jsonl: names sort by time. */
export const runName = (started: EpochMillis, model: string): string =>
  `${new Date(started).toISOString().replaceAll(":", "-")}-${model.replace(/[^\w-]+/g, "-").slice(0, 80)}.jsonl`;

/** A run continues in NAME.2.jsonl, then NAME.3.jsonl. */
const partName = (first: string, part: number): string =>
  part === 1 ? first : first.replace(/\.jsonl$/, `.${part}.jsonl`);

const RUN = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[\w-]*)(?:\.(\d+))?\.jsonl$/;

interface RunFile {
  readonly path: string;
  /** The common part of the names of a run's files. */
  readonly run: string;
  readonly part: number;
}

/** The run files of a folder, oldest first, without other files. Empty if the folder does not exist. */
function runFiles(folder: string): readonly RunFile[] {
  return namesIn(folder)
    .flatMap((name) => {
      const [, run, part = "1"] = RUN.exec(name) ?? [];
      return run === undefined ? [] : [{ path: join(folder, name), run, part: Number(part) }];
    })
    .sort((a, b) => (a.run === b.run ? a.part - b.part : a.run < b.run ? -1 : 1));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Deletes the oldest run files until the rest has at most `most` bytes; never the file `writing`. */
function prune(folder: string, most: number, writing: string): void {
  const files = runFiles(folder).map(({ path }) => ({ path, bytes: statSync(path).size }));
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { path, bytes } of files) {
    if (total <= most) return;
    if (path === writing) continue;
    unlinkSync(path);
    total -= bytes;
  }
}

/** Shorter secrets are placeholders for own servers, and would match parts of words. */
const SHORTEST = 8;
const HIDDEN = "[secret]";
/** A header that a server repeats, and the runtime's links, which open a photo without a token. */
const KNOWN_SHAPES: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  [/([?&](?:signature|token|key|api_key)=)[^&"\\\s]+/gi, `$1${HIDDEN}`],
];

/** Removes these secrets from JSON text, and everything that looks like one. */
export function withoutSecrets(secrets: Secrets): (json: string) => string {
  const clean = withoutKnown(secrets);
  return (json) => KNOWN_SHAPES.reduce((text, [shape, put]) => text.replace(shape, put), clean(json));
}

type Secrets = readonly (string | undefined)[];

/** Removes these secrets from JSON text, also escaped ones. */
function withoutKnown(secrets: Secrets): (json: string) => string {
  const known = secrets
    .map((secret) => secret?.trim() ?? "")
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return (json) => known.reduce((text, secret) => text.replaceAll(secret, HIDDEN), json);
}

/**
 * A runtime that never receives these secrets: a server that repeats its key, or a manipulated model, could write them into
 * thoughts and messages. Links to photos pass, since a person shall open them.
 */
export function sentNoSecrets(runtime: Runtime, secrets: Secrets): Runtime {
  const clean = withoutKnown(secrets);
  const call: Runtime["call"] = (name, args, options) =>
    runtime.call(name, JSON.parse(clean(JSON.stringify(args))), options);
  return Object.create(runtime, { call: { value: call } });
}

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

/** Counts lines that are cut short or unknown. */
export function parseLines(text: string): RunRead {
  const texts = text.split("\n").filter((line) => line.trim() !== "");
  const lines = texts.flatMap((line) => runLine.safeParse(parseJson(line)).data ?? []);
  return { lines, unread: texts.length - lines.length };
}
