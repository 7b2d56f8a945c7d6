import { type FileHandle, open } from "node:fs/promises";
import { closedAfter } from "../../drivers/durable-file.js";

export type Readable = Pick<FileHandle, "read">;

/** A line of a journal with its place in the file, in bytes; `end` is behind the newline. */
export type JournalLine =
  | SoundLine
  | { readonly start: number; readonly end: number; readonly damaged: true };

/** One that can be read. */
export interface SoundLine {
  readonly start: number;
  readonly end: number;
  readonly id: number;
  readonly entry: Readonly<Record<string, unknown>>;
}

const NEWLINE = 0x0a;
const CHUNK = 65_536;

/** The complete lines between two places, the first of which begins a line. */
export async function* readLines(handle: Readable, from: number, to: number): AsyncGenerator<JournalLine> {
  let rest = Buffer.alloc(0);
  let start = from;
  for (let at = from; at < to; ) {
    const chunk = await readBytes(handle, at, Math.min(CHUNK, to - at));
    at += chunk.length;
    rest = Buffer.concat([rest, chunk]);
    let begin = 0;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, begin)) {
      yield parseLine(rest.subarray(begin, end), start);
      start += end + 1 - begin;
      begin = end + 1;
    }
    rest = rest.subarray(begin);
  }
}

/** All lines of a journal that nobody writes to: those that can be read, and the bytes of the others. */
export async function linesIn(file: string): Promise<{ sound: readonly SoundLine[]; damaged: Buffer }> {
  return closedAfter(await open(file, "r"), async (handle) => {
    const { size } = await handle.stat();
    const sound: SoundLine[] = [];
    const damaged: Buffer[] = [];
    for await (const line of readLines(handle, 0, size))
      if ("entry" in line) sound.push(line);
      else damaged.push(await readBytes(handle, line.start, line.end - line.start));
    return { sound, damaged: Buffer.concat(damaged) };
  });
}

/** Where the last complete line of a file ends. */
export async function lastLineEnd(handle: Readable, size: number): Promise<number> {
  for (let to = size; to > 0; to -= CHUNK) {
    const from = Math.max(0, to - CHUNK);
    const newline = (await readBytes(handle, from, to - from)).lastIndexOf(NEWLINE);
    if (newline >= 0) return from + newline + 1;
  }
  return 0;
}

/** The number of the last line: its id, or, behind lines that cannot be read, one more for each of these. */
export async function lastLineId(handle: Readable, size: number): Promise<number> {
  for (let span = CHUNK; ; span *= 4) {
    const from = size > span ? await lastLineEnd(handle, size - span) : 0;
    let [last, found] = [0, false];
    for await (const line of readLines(handle, from, size)) {
      found ||= "id" in line;
      last = "id" in line ? line.id : last + 1;
    }
    if (found || from === 0) return last;
  }
}

/** Reads exactly `length` bytes; the file is known to hold them. */
export async function readBytes(handle: Readable, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new Error(`the file ended at ${position + filled} while it was read`);
    filled += bytesRead;
  }
  return buffer;
}

function parseLine(bytes: Buffer, start: number): JournalLine {
  const place = { start, end: start + bytes.length + 1 };
  try {
    const { id, ...entry } = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
    return typeof id === "number" && Number.isSafeInteger(id) && id > 0
      ? { ...place, id, entry }
      : { ...place, damaged: true };
  } catch {
    return { ...place, damaged: true };
  }
}

/** What stands behind the last complete line of a journal. */
export interface Tail {
  /** Where it begins, in bytes: the end of the last complete line. */
  readonly start: number;
  readonly bytes: number;
  /** It can be what a crash has left of writing the next line. Everything else is damage, which may have been complete lines. */
  readonly torn: boolean;
}

/** Looks at the end of a journal of `size` bytes. Undefined where it ends with a complete line. */
export async function tailOf(handle: Readable, size: number): Promise<Tail | undefined> {
  const start = await lastLineEnd(handle, size);
  if (start === size) return undefined;
  const bytes = size - start;
  const next = (await lastLineId(handle, start)) + 1;
  // the beginning of a beginning is one too: a large block of zeros is not read into memory
  const begins = async (length: number) => isBeginningOfLine(await readBytes(handle, start, length), next);
  const torn = (await begins(Math.min(bytes, CHUNK))) && (bytes <= CHUNK || (await begins(bytes)));
  return { start, bytes, torn };
}

/**
 * Whether the bytes are how line `id` of a journal begins, or all of that line but its newline. A batch of lines is one write,
 * so complete lines of the same batch may stand before it.
 */
export function isBeginningOfLine(bytes: Buffer, id: number): boolean {
  const head = Buffer.from(`{"id":${id},`);
  const length = Math.min(head.length, bytes.length);
  if (!bytes.subarray(0, length).equals(head.subarray(0, length))) return false;
  const text = decoded(bytes);
  return text !== undefined && isBeginningOfJson(text);
}

/** The text of UTF-8 that may be cut off within a character; undefined for other bytes. */
function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

/** What completes a text that is cut off within a string: the rest of an escape, the quote, and the value if it was a key. */
const ENDS_IN_STRING = ["", "\\", "0", "00", "000", "0000"].flatMap((rest) => [`${rest}"`, `${rest}":0`]);
/** What completes one that is cut off elsewhere: a value, a key with its value, or the rest of true, false or null. */
const ENDS_ELSEWHERE = ["", "0", ":0", '"":0', "rue", "ue", "e", "alse", "lse", "se", "ull", "ll", "l"];

function isBeginningOfJson(text: string): boolean {
  const { inString, closers } = openIn(text);
  const ends = inString ? ENDS_IN_STRING : ENDS_ELSEWHERE;
  return ends.some((end) => isJson(text + end + closers));
}

const CLOSERS = new Map([
  ["{", "}"],
  ["[", "]"],
]);

/** What is open at the end of the text: a string, and brackets, with what closes them. */
function openIn(text: string): { inString: boolean; closers: string } {
  const closers: string[] = [];
  let inString = false;
  for (const [token] of text.matchAll(/\\.?|["{}[\]]/gs)) {
    if (token === '"') inString = !inString;
    else if (!inString) follow(token, closers);
  }
  return { inString, closers: closers.toReversed().join("") };
}

function follow(bracket: string, closers: string[]): void {
  const closer = CLOSERS.get(bracket);
  if (closer === undefined) closers.pop();
  else closers.push(closer);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
