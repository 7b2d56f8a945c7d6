/** A word, a run of digits, or a mark such as a colon. */
export interface Token {
  /** In lower case, without accents on letters. */
  readonly text: string;
  /** No space stands before it. */
  readonly glued: boolean;
}

/**
 * The name of a zone, such as "america/new_york" or "utc+02:00"; a word with its apostrophe; digits; one mark.
 * "mon/wed/fri" names no zone.
 */
const TOKEN =
  /(?:utc|gmt)[+-]\d{1,2}(?::?\d\d)?|(?!(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\/)[a-z]+(?:_[a-z]+)*(?:\/[a-z][a-z_+-]*\d*)+|[a-z]+(?:'[a-z]*)?|\d+|[^\sa-z\d]/gu;

/** Slips and short forms that can be no other word of a time. "thusday" can be two. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{
      tmrw: "tomorrow",
      tmr: "tomorrow",
      tommorow: "tomorrow",
      tommorrow: "tomorrow",
      tomorow: "tomorrow",
    },
    ...{ nite: "night", tonite: "tonight", febuary: "february" },
    ...{ tuseday: "tuesday", wednsday: "wednesday", wensday: "wednesday", wendsday: "wednesday" },
    ...{ thrusday: "thursday", satuday: "saturday", saterday: "saturday" },
  }),
);

/** The pieces of a phrase, in order; nothing is left out but spaces. */
export function tokensOf(phrase: string): readonly Token[] {
  const text = plain(phrase);
  return [...text.matchAll(TOKEN)].map(({ 0: piece, index }) => ({
    text: SPELLINGS.get(piece) ?? piece,
    glued: index > 0 && !/\s/u.test(text[index - 1] ?? ""),
  }));
}

/** Quotes and dashes are written as a keyboard has them, "o clock" as "o'clock"; the last exclamation marks say nothing. */
const plain = (phrase: string): string =>
  phrase
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[‘’´`]/gu, "'")
    .replace(/\bo\s*'?\s*clock\b/gu, "o'clock")
    .replace(/[\s!]+$/u, "")
    .replace(/[‐-―−]/gu, "-");
