/**
 * Every control character but line feed: what an agent or a device says must not steer the person's terminal (ECMA-48). And what
 * turns the direction of a line (Unicode, UAX #9), hides in it, or ends it: U+202E makes "lm 02" of "20 ml". The joiner stays,
 * which makes one sign of several emoji.
 */
const STEERING = /(?![\n\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export const harmless = (text: string): string => text.replaceAll(STEERING, "\u{fffd}");

/** A text of others within a line of ours: it cannot begin a line that looks like one of ours. */
export const inLine = (text: string): string => harmless(text.replaceAll("\n", "\\n"));

/** "1 record", "2 records" */
export const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
