import type { FileHandle } from "node:fs/promises";

/** A file that can be read at any place. */
export type Readable = Pick<FileHandle, "read">;

/** A line of a journal with its place in the file, in bytes; `end` is behind the newline. */
export type JournalLine =
  | {
      readonly start: number;
      readonly end: number;
      readonly id: number;
      readonly entry: Readonly<Record<string, unknown>>;
    }
  | { readonly start: number; readonly end: number; readonly damaged: true };

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
