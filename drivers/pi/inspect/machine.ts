import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * The files that describe a computer, below a folder that stands for its root: "/", or a recorded tree. It only reads.
 * A file that cannot be read counts as absent.
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

export interface Said {
  /** Its standard output, then its standard error. */
  readonly said: string;
  /** Undefined where it could not be started, or was ended. */
  readonly status: number | undefined;
}

export type RunProgram = (file: string, args: readonly string[]) => Promise<Said>;

/** A choice: rpicam-still looks for cameras in a second or two on the slowest Pi; systemctl and the like answer at once. */
const PATIENCE_MS = 15_000;
/** Nothing of ours; messages in English. */
const ENVIRONMENT = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" };

/** Runs a program of the system without a shell, and never rejects. */
export const runProgram: RunProgram = (file, args) =>
  new Promise((resolve) => {
    const options = { env: ENVIRONMENT, timeout: PATIENCE_MS, killSignal: "SIGKILL" as const, cwd: "/" };
    execFile(file, args, options, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code;
      resolve({ said: `${stdout}${stderr}`, status: typeof status === "number" ? status : undefined });
    });
  });
