import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { Millis } from "../../drivers/units.js";

const clock = new SystemClock();

/** A Node program in a process of its own; its errors go to this terminal. */
export class Child {
  private readonly process: ChildProcess;
  private readonly ended: Promise<unknown>;
  private said = 0;

  constructor(private readonly args: readonly string[]) {
    this.process = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.ended = once(this.process, "exit");
    this.process.stdout?.on("data", () => {
      this.said += 1;
    });
  }

  /** The first group of the first line that matches. Rejects if the program ends without such a line. */
  async line(pattern: RegExp): Promise<string> {
    const output = this.process.stdout;
    if (!output) throw new Error("the program has no stdout");
    const lines = createInterface({ input: output });
    try {
      for await (const line of lines) {
        const found = pattern.exec(line)?.[1];
        if (found !== undefined) return found;
      }
      throw new Error(`node ${this.args.join(" ")} ended without a line like ${pattern}`);
    } finally {
      output.resume();
    }
  }

  /** Resolves once the program has said nothing for `time`. */
  async quiet(time: Millis): Promise<void> {
    let before: number;
    do {
      before = this.said;
      await clock.sleep(time);
    } while (this.said > before);
  }

  /** proc_pid_status(5), VmRSS: memory it holds in RAM, shared pages included, in bytes. */
  residentBytes(): number {
    const status = readFileSync(`/proc/${this.process.pid}/status`, "utf8");
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024;
  }

  async exit(): Promise<void> {
    await this.ended;
  }

  async stop(): Promise<void> {
    this.process.kill("SIGTERM");
    await this.ended;
  }
}
