/** Whether Node reports this errno: "EEXIST", "EADDRINUSE". */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

export const isMissing = (error: unknown): boolean => hasCode(error, "ENOENT");

/** For a `catch`: no file or folder of that name is no error. */
export function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether a process with this number exists. A process of another user counts too. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}

/** What the system's codes mean, and what a person does about it. */
const MEANINGS: Readonly<Record<string, readonly [what: string, next: string]>> = {
  ENOENT: ["there is no such file or folder", "correct the name"],
  ENOTDIR: ["part of the path is a file, not a folder", "correct the name"],
  EISDIR: ["it is a folder, not a file", "correct the name"],
  EEXIST: ["there is a file of that name", "choose another name, or move that file away"],
  EACCES: ["this user has no permission", "change the permissions, or call the command as the owner"],
  EPERM: ["this user has no permission", "change the permissions, or call the command as the owner"],
  EROFS: ["the disk is read-only", "choose another place; a memory card that fails becomes read-only"],
  ENOSPC: ["the disk is full", "make room there, or choose another place"],
  EDQUOT: ["the disk quota is used up", "make room there, or choose another place"],
  EIO: ["the disk does not work", "check the disk and its cable, and copy what can still be read"],
  EMFILE: ["too many files are open", "end other programs, or raise the limit of open files"],
};

const meaningOf = (error: unknown) =>
  error instanceof Error && "code" in error && typeof error.code === "string"
    ? { code: error.code, meaning: MEANINGS[error.code] }
    : undefined;

/** A system's error as a clause: "the disk is full, ENOSPC"; its own message where the code is not known. */
export function reasonIn(error: unknown): string {
  const { code, meaning } = meaningOf(error) ?? {};
  return meaning ? `${meaning[0]}, ${code}` : messageOf(error);
}

/**
 * A system's error for a person: where, what, and what to do next. `place` is for errors that name no file. Undefined
 * for an error that is not the system's.
 */
export function troubleIn(error: unknown, place?: string): string | undefined {
  const { code, meaning } = meaningOf(error) ?? {};
  if (!meaning) return undefined;
  const { path = place } = error as NodeJS.ErrnoException;
  return `${path === undefined ? "" : `${path}: `}${meaning[0]}; ${meaning[1]} (${code})`;
}
