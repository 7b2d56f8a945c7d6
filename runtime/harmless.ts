/**
 * Characters of an agent's or a device's text that could control the person's terminal: control characters but for the
 * line feed (ECMA-48), and all that reorders text (Unicode, UAX #9), hides in a line or ends it: U+202E shows "20 ml"
 * as "lm 02". The joiner is allowed, because it makes one sign of several emoji.
 */
const STEERING = /(?![\n\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export const harmless = (text: string): string => text.replaceAll(STEERING, "\u{fffd}");

/** A foreign text on one line, so that it cannot imitate a line of ours. */
export const inLine = (text: string): string => harmless(text.replaceAll("\n", "\\n"));

/** "1 record", "2 records" */
export const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
