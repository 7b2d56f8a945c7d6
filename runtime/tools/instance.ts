import { TendrilError } from "../errors.js";

/** A choice: a host name has at most 253 characters (RFC 1035, section 2.3.4). */
const LONGEST = 300;
/** Shown to people and models: one line, without control characters. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}\u2028\u2029]+$/u;

/** The name by which an agent tells itself from others with its token. Throws INVALID_ARGUMENT for what can be none. */
export function validInstance(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "string" && given.length <= LONGEST && PRINTABLE.test(given)) return given;
  throw new TendrilError(
    "INVALID_ARGUMENT",
    `the agent's name in _meta is not one line of 1–${LONGEST} characters`,
  );
}
