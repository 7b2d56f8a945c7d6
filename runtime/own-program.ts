import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { Millis } from "../drivers/units.js";

const PROGRAM = fileURLToPath(new URL("./cli/tendril.js", import.meta.url));
/** As systemd/tendril-backup.service starts one. */
const SMALL = ["--max-old-space-size=96", "--max-semi-space-size=2", "--v8-pool-size=1"];

interface Ended {
  readonly stdout: string;
  /** The last line of its errors, without its name; what ended it if it said nothing. */
  readonly trouble: string;
  readonly isRight: boolean;
}

/** The highest there is [proc_pid_oom_score_adj(5)]: whoever runs short of memory ends this program, not the runtime or its guard. */
const FIRST_TO_GO = "1000";

/** Runs a command of `tendril` beside this runtime, at the lowest priority. After `longest` it is killed. Never rejects. */
export function runCommand(args: readonly string[], longest: Millis): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { timeout: longest, killSignal: "SIGKILL" as const };
    const child = execFile(
      process.execPath,
      [...SMALL, PROGRAM, ...args],
      options,
      (error, stdout, stderr) => {
        const said = stderr.trim().split("\n").at(-1) || (error?.message ?? "");
        resolve({ stdout, trouble: said.replace(/^(<\d>)?tendril: /, ""), isRight: error === null });
      },
    );
    if (child.pid === undefined) return;
    try {
      setPriority(child.pid, constants.priority.PRIORITY_LOW);
      writeFileSync(`/proc/${child.pid}/oom_score_adj`, FIRST_TO_GO);
    } catch {
      // it has ended already; how, its end tells. Or the system has no such file: macOS
    }
  });
}
