import { readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { z } from "zod";
import { replaceFileNow } from "../../drivers/durable-file.js";
import { makeFolderNow } from "../../drivers/make-folder.js";
import { isMissing } from "../../drivers/system-error.js";
import { parseJson } from "../../runtime/wire/refusal.js";
import { UsageError } from "../errors.js";

/** What a file held: nothing yet, something that cannot be understood, or a value. */
export type Held<T> = { readonly is: "absent" | "unreadable" } | { readonly is: "value"; readonly value: T };

/**
 * A small JSON file that is either the old one or the new one, whenever the power goes. Synchronous, so that nothing
 * comes between reading and writing. For one agent: two that share it overwrite each other's.
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

  /** On disk when it returns. Throws the system's error, or a UsageError for a folder that cannot be made. */
  write(value: T): void {
    makeFolder(dirname(this.path), 0o700);
    replaceFileNow(this.path, `${JSON.stringify(value)}\n`, 0o600);
  }

  /** Absent from now on; that it was absent is no error. Throws the system's error. */
  remove(): void {
    rmSync(this.path, { force: true });
  }
}

/** Makes a folder and those it lies in. Throws a UsageError in plain words. */
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
