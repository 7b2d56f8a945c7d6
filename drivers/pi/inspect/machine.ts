import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * The files by which a computer tells of itself, below a folder that stands for its root: "/", or a recorded tree. Only reads,
 * and what cannot be read is not there.
 */
export class Machine {
  constructor(readonly root = "/") {}

  /** Where a file of this computer really is. */
  path(file: string): string {
    return join(this.root, file);
  }

  has(file: string): boolean {
    return attempt(() => statSync(this.path(file))) !== undefined;
  }

  bytes(file: string): Buffer | undefined {
    return attempt(() => readFileSync(this.path(file)));
  }

  /** Without what surrounds it, and without the NUL at the end of the device tree's strings. */
  text(file: string): string | undefined {
    return this.bytes(file)?.toString("utf8").replaceAll("\0", "").trim();
  }

  /** Sorted; numbers by their value, so that i2c-10 comes after i2c-2. */
  names(folder: string): readonly string[] {
    const names = attempt(() => readdirSync(this.path(folder))) ?? [];
    return names.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  }

  /** What a symbolic link says, as it stands there. */
  link(file: string): string | undefined {
    return attempt(() => readlinkSync(this.path(file)));
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // not there, or root's alone: nothing can be said of it either way
  }
}
