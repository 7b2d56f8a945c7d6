/** Characters of a message and of a caption: core.telegram.org/bots/api, sendMessage and sendPhoto. */
export const LONGEST_TEXT = 4096;
export const LONGEST_CAPTION = 1024;
/** Bytes of a photo: core.telegram.org/bots/api, sendPhoto. */
export const LARGEST_PHOTO = 10_000_000;

/** No previews: else Telegram would open an address that a model has written. */
export const QUIETLY = { link_preview_options: { is_disabled: true } } as const;

/** The text in as many messages as it needs; cut at the end of a line or a word where there is one. */
export function linesOf(text: string): readonly string[] {
  if (text.length <= LONGEST_TEXT) return [text];
  const head = text.slice(0, LONGEST_TEXT);
  const end =
    [head.lastIndexOf("\n"), head.lastIndexOf(" ")].find((at) => at > LONGEST_TEXT / 2) ?? wholePoints(head);
  return [text.slice(0, end), ...linesOf(text.slice(end).trimStart())];
}

/** Never in the middle of a character that takes two. */
const wholePoints = (text: string): number => (/[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length);
