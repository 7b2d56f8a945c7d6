import { createHash } from "node:crypto";

/** Tells values apart: the same for the same JSON, in whatever order its keys are. */
export const digest = (value: unknown): string =>
  createHash("sha256").update(canonical(value)).digest("base64url");

/** JSON with sorted keys: the same arguments in another order are the same call. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
