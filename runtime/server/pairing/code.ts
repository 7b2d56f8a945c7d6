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

/** In groups of four, as it is shown: K7QF-2M9X-RT4B-WC3D. */
export const spelled = (code: string): string => code.match(/.{4}/g)?.join("-") ?? code;
