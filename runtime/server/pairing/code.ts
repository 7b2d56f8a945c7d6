import { createHash, randomInt } from "node:crypto";

/** Crockford's base 32: no I, L, O or U, so that a person reads what was meant (https://www.crockford.com/base32.html). */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** 15 letters are 75 bits: beyond guessing, also for who has seen a proof and tries at home. */
const LETTERS = 15;

/** A new pairing code: 75 random bits, then a letter by which a typing mistake shows. */
export function newCode(): string {
  const letters = Array.from({ length: LETTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return letters + checkOf(letters);
}

/** The letter of the first five bits of the SHA-256. */
const checkOf = (letters: string): string =>
  ALPHABET[(createHash("sha256").update(letters).digest()[0] ?? 0) >> 3] ?? "";

/** What people read in place of a letter that the alphabet leaves out. */
const MEANT: Readonly<Record<string, string>> = { O: "0", I: "1", L: "1" };

/** A code as a person has typed it, in its one true spelling; undefined for one with a typing mistake. */
export function readCode(typed: string): string | undefined {
  const code = typed
    .toUpperCase()
    .replaceAll(/[\s-]/g, "")
    .replaceAll(/[OIL]/g, (letter) => MEANT[letter] ?? letter);
  const known = code.length === LETTERS + 1 && [...code].every((letter) => ALPHABET.includes(letter));
  return known && checkOf(code.slice(0, LETTERS)) === code.at(-1) ? code : undefined;
}

/** In groups of four, as it is shown: K7QF-2M9X-RT4B-WC3T. */
export const spelled = (code: string): string => code.match(/.{4}/g)?.join("-") ?? code;
