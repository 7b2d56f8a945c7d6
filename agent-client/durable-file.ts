import { readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { z } from "zod";
import { replaceFileNow } from "../drivers/durable-file.js";
import { parseJson } from "../runtime/wire/refusal.js";
import { makeFolder } from "./make-folder.js";

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
    const text = this.text();
    if (text === undefined) return { is: "absent" };
    const read = this.schema.safeParse(parseJson(text));
    return read.success ? { is: "value", value: read.data } : { is: "unreadable" };
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

  private text(): string | undefined {
    try {
      return readFileSync(this.path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      return "";
    }
  }
}
