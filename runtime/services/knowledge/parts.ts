/** A file goes to the child, and its text comes back, in messages that are short: each is packed by the event loop at once. */
export type Part<Whole> = Whole & { readonly isLast: boolean };

/** Bytes, or code units. A choice: a millisecond's work on a PC. */
const PART = 256 * 1024;

export function* partsOf<T extends Uint8Array | string>(whole: T): Generator<Part<{ part: T }>> {
  let at = 0;
  do {
    const part = whole.slice(at, at + PART) as T;
    at += PART;
    yield { part, isLast: at >= whole.length };
  } while (at < whole.length);
}
