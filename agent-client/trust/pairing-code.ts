import { createHash } from "node:crypto";

/** Crockford's base 32 (https://www.crockford.com/base32.html), as the runtime writes codes in. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** What people read in place of a letter that it leaves out. */
const MEANT: Readonly<Record<string, string>> = { O: "0", I: "1", L: "1" };
const CODE = new RegExp(`^[${ALPHABET}]{16}$`);

/** A code as a person has typed it, in its one true spelling. Throws for what no runtime has shown. */
export function pairingCode(typed: string): string {
  const code = typed
    .toUpperCase()
    .replaceAll(/[\s-]/g, "")
    .replaceAll(/[OIL]/g, (letter) => MEANT[letter] ?? letter);
  if (!CODE.test(code))
    throw new Error("must be 16 letters and digits as `tendril pair` shows them: K7QF-2M9X-RT4B-WC3T");
  if (checkOf(code.slice(0, -1)) !== code.at(-1))
    throw new Error("has a typing mistake: compare it with what `tendril pair` shows");
  return code;
}

/** The last letter says the first five bits of the SHA-256 of the others. */
const checkOf = (letters: string): string =>
  ALPHABET[(createHash("sha256").update(letters).digest()[0] ?? 0) >> 3] ?? "";
