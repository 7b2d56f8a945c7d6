import { TendrilError } from "../errors.js";

/** STORE_FAILED for what the disk or the database refused; `what` names the file. */
export const storeFailed = (what: string, cause: unknown): TendrilError =>
  new TendrilError(
    "STORE_FAILED",
    `${what} failed (${cause instanceof Error ? cause.message : String(cause)})`,
    { cause },
  );
