/** Whether Node reports this errno: "EEXIST", "EADDRINUSE". */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

export const isMissing = (error: unknown): boolean => hasCode(error, "ENOENT");

/** What an error says of itself. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
