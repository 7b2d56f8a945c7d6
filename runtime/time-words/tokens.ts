/** A word, a run of digits, or a mark such as a colon. */
export interface Token {
  /** In lower case, without accents on letters. */
  readonly text: string;
  /** No space stands before it. */
  readonly glued: boolean;
}

/** The name of a zone, such as "america/new_york" or "utc+02:00"; a word with its apostrophe; digits; one mark. */
const TOKEN =
  /(?:utc|gmt)[+-]\d{1,2}(?::?\d\d)?|[a-z]+(?:_[a-z]+)*(?:\/[a-z][a-z_+-]*\d*)+|[a-z]+(?:'[a-z]*)?|\d+|[^\sa-z\d]/gu;

/** The pieces of a phrase, in order; nothing is left out but spaces. */
export function tokensOf(phrase: string): readonly Token[] {
  const text = plain(phrase);
  return [...text.matchAll(TOKEN)].map(({ 0: piece, index }) => ({
    text: piece,
    glued: index > 0 && !/\s/u.test(text[index - 1] ?? ""),
  }));
}

/** Typographic quotes and dashes are written as a keyboard has them. */
const plain = (phrase: string): string =>
  phrase
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[‘’´`]/gu, "'")
    .replace(/[‐-―−]/gu, "-");
