import { lastLineEnd, lastLineId, type Readable, readBytes } from "./journal-lines.js";

/** What stands behind the last complete line of a journal. */
export interface Tail {
  /** Where it begins, in bytes: the end of the last complete line. */
  readonly start: number;
  readonly bytes: number;
  /** It can be what a crash has left of writing the next line. Everything else is damage, which may have been complete lines. */
  readonly torn: boolean;
}

/** As the journals are read. */
const CHUNK = 65_536;

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
