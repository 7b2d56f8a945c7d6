/** Whether Node reports this errno: "EEXIST", "EADDRINUSE". */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

export const isMissing = (error: unknown): boolean => hasCode(error, "ENOENT");

/** What an error says of itself. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether a process with this number exists. A process of another user counts too. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}
