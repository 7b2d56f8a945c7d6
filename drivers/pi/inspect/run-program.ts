import { execFile } from "node:child_process";

export interface Said {
  /** Its standard output, and what it had to say otherwise. */
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
