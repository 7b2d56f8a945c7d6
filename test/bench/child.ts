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
  private readonly lines: AsyncIterator<string>;
  private readonly ended: Promise<unknown>;
  private said = 0;

  /** `under`: a program with its arguments that becomes Node, as setpriv(1) does. */
  constructor(
    private readonly args: readonly string[],
    under: readonly string[] = [],
  ) {
    const [program = process.execPath, ...rest] = [...under, process.execPath, ...args];
    const child = spawn(program, rest, { stdio: ["ignore", "pipe", "inherit"] });
    this.process = child;
    this.ended = once(child, "exit");
    this.lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stdout.on("data", () => {
      this.said += 1;
    });
  }

  /** The first group of the next line that matches. Rejects if the program ends without such a line. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) throw new Error(`node ${this.args.join(" ")} ended without a line like ${pattern}`);
      const found = pattern.exec(value)?.[1];
      if (found !== undefined) return found;
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

  /** Linux's documentation, sched-stats: time that its main thread had a processor, in ms. */
  processorTime(): number {
    const [onProcessor] = readFileSync(`/proc/${this.process.pid}/schedstat`, "utf8").split(" ");
    return Number(onProcessor) / 1e6;
  }

  async exit(): Promise<void> {
    await this.ended;
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    this.process.kill(signal);
    await this.ended;
  }
}
