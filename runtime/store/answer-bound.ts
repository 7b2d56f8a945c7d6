import { TendrilError } from "../errors.js";

/** Records in one answer, but for those of a history, whose buckets are bounded. A choice: more than a model reads at once. */
export const MAX_ANSWER_ROWS = 1000;
/**
 * Bytes of the records in one answer. A choice: as many as a frame has, more than any model reads; twenty of the longest
 * messages fit, which is what our agent asks for. It goes out twice, as text and as an object: some 2.2 MB in all.
 */
export const MAX_ANSWER_BYTES = 1_048_576;

/** How many of the first records fit into one answer; always one, as whatever was written must also be readable. */
export function fitting(sizes: readonly number[]): number {
  let bytes = 0;
  const tooMany = sizes.findIndex((size, at) => {
    bytes += size;
    return at >= MAX_ANSWER_ROWS || (at > 0 && bytes > MAX_ANSWER_BYTES);
  });
  return tooMany < 0 ? sizes.length : tooMany;
}

/** Throws RESULT_TOO_LARGE where the records do not fit into one answer; `instead` says what to ask, where so many of them do. */
export function assertFits(sizes: readonly number[], instead: (fits: number) => Alternative): void {
  const fits = fitting(sizes);
  if (fits === sizes.length) return;
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const records = sizes.length > MAX_ANSWER_ROWS ? `more than ${MAX_ANSWER_ROWS}` : String(sizes.length);
  throw tooLarge(`${records} records match, ${bytes} bytes in all`, instead(fits), {
    records: sizes.length,
    bytes,
    fits,
  });
}

/** As `assertFits`, for records of which the bytes alone are bounded. */
export function assertFewBytes(sizes: readonly number[], instead: (ratio: number) => Alternative): void {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= MAX_ANSWER_BYTES || sizes.length <= 1) return;
  const what = `${sizes.length} records match, ${bytes} bytes in all`;
  throw tooLarge(what, instead(MAX_ANSWER_BYTES / bytes), { records: sizes.length, bytes });
}

export interface Alternative {
  readonly words: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const tooLarge = (what: string, { words, details: more }: Alternative, details: object): TendrilError =>
  new TendrilError(
    "RESULT_TOO_LARGE",
    `${what}; one answer has at most ${MAX_ANSWER_ROWS} records and ${MAX_ANSWER_BYTES} bytes: ${words}`,
    { details: { ...details, most_records: MAX_ANSWER_ROWS, most_bytes: MAX_ANSWER_BYTES, ...more } },
  );
