/** The call cannot be carried out as it was written; the message says what to change. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
