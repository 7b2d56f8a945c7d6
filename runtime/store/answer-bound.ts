import { TendrilError } from "../errors.js";

/** Records in one answer, but for those of a history, whose buckets are bounded. A choice: more than a model reads at once. */
export const MOST_ROWS = 1000;
/**
 * Bytes of the records in one answer. A choice: as many as a frame has, more than any model reads; twenty of the longest
 * messages fit, which is what our agent asks for. It goes out twice, as text and as an object: some 2.2 MB in all.
 */
export const MOST_BYTES = 1_048_576;

/** How many of the first records fit into one answer; always one, as whatever was written must also be readable. */
export function fitting(sizes: readonly number[]): number {
  let bytes = 0;
  const tooMany = sizes.findIndex((size, at) => {
    bytes += size;
    return at >= MOST_ROWS || (at > 0 && bytes > MOST_BYTES);
  });
  return tooMany < 0 ? sizes.length : tooMany;
}

/** Throws RESULT_TOO_LARGE where the records do not fit into one answer; `instead` says what to ask, where so many of them do. */
export function assertFits(sizes: readonly number[], instead: (fits: number) => Instead): void {
  const fits = fitting(sizes);
  if (fits === sizes.length) return;
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const records = sizes.length > MOST_ROWS ? `more than ${MOST_ROWS}` : String(sizes.length);
  throw tooLarge(`${records} records match, ${bytes} bytes in all`, instead(fits), {
    records: sizes.length,
    bytes,
    fits,
  });
}

/** As `assertFits`, for records of which the bytes alone are bounded. */
export function assertFewBytes(sizes: readonly number[], instead: (ratio: number) => Instead): void {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= MOST_BYTES || sizes.length <= 1) return;
  const what = `${sizes.length} records match, ${bytes} bytes in all`;
  throw tooLarge(what, instead(MOST_BYTES / bytes), { records: sizes.length, bytes });
}

export interface Instead {
  readonly words: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const tooLarge = (what: string, { words, details: more }: Instead, details: object): TendrilError =>
  new TendrilError(
    "RESULT_TOO_LARGE",
    `${what}; one answer has at most ${MOST_ROWS} records and ${MOST_BYTES} bytes: ${words}`,
    { details: { ...details, most_records: MOST_ROWS, most_bytes: MOST_BYTES, ...more } },
  );
