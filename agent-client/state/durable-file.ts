import { readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { z } from "zod";
import { makeFolderNow, replaceFileNow } from "../../drivers/durable-file.js";
import { isMissing } from "../../drivers/system-error.js";
import { parseJson } from "../../runtime/wire/refusal.js";
import { UsageError } from "../errors.js";

/** The content of a file: none yet, unreadable, or a value. */
type Held<T> = { readonly is: "absent" | "unreadable" } | { readonly is: "value"; readonly value: T };

/**
 * A small JSON file. After a power cut it is either the old or the new one. Synchronous, so that nothing happens between
 * reading and writing. For one agent: two with the same file would overwrite each other's values.
 */
export class DurableFile<T> {
  constructor(
    readonly path: string,
    private readonly schema: z.ZodType<T>,
  ) {}

  read(): Held<T> {
    try {
      const read = this.schema.safeParse(parseJson(readFileSync(this.path, "utf8")));
      return read.success ? { is: "value", value: read.data } : { is: "unreadable" };
    } catch (error) {
      return { is: isMissing(error) ? "absent" : "unreadable" };
    }
  }

  /** The value is on disk when this returns. Throws the system's error, or a UsageError if the folder cannot be made. */
  write(value: T): void {
    makeFolder(dirname(this.path), 0o700);
    replaceFileNow(this.path, `${JSON.stringify(value)}\n`, 0o600);
  }

  /** Removes the file, if it exists. Throws the system's error. */
  remove(): void {
    rmSync(this.path, { force: true });
  }
}

/** Makes a folder and its parents. Throws a UsageError in plain words. */
export function makeFolder(folder: string, mode = 0o777): void {
  if (folder === "") throw new UsageError("a folder needs a name");
  try {
    makeFolderNow(folder, mode);
  } catch (cause) {
    const { code, path = folder } = cause as NodeJS.ErrnoException;
    throw new UsageError(`the folder ${path} cannot be made: ${REASONS[code ?? ""] ?? code}`, { cause });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "there is a file of that name",
  ENOTDIR: "it would lie in a file",
  ENOENT: "nothing can be made there",
  EACCES: "you may not write there",
  EROFS: "nothing can be written there",
};
