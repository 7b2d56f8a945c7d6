import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { afterReading } from "../clock/system-clock.js";
import { encode, type GuardPlan, Lines, type Order, type Report } from "./protocol.js";

const PROGRAM = fileURLToPath(new URL("./main.js", import.meta.url));
/** The guard needs a few kilobytes. If it ever needs more, it must die early. Other flags do not make it smaller. */
const SMALL = ["--max-old-space-size=16", "--max-semi-space-size=1"];
/** Only the main thread gets the highest priority (nice -20), and V8's helper threads do not: it must not wait for them in a loop. */
const ALONE = "--single-threaded";
/** Where the pipe is in the child. */
const PIPE = 3;

export interface GuardListener {
  report(report: Report): void;
  /** Called once, when the process is gone. */
  gone(how: string): void;
}

export class GuardProcess {
  private readonly child: ChildProcess;
  private readonly pipe: Socket | undefined;

  /** Throws where the system cannot start a process at all; later failures go to `gone`. */
  constructor(
    plan: GuardPlan,
    private readonly listener: GuardListener,
  ) {
    // in a process group of its own: Ctrl-C in a terminal is for the parent, which then ends the guard in order
    this.child = spawn(process.execPath, [...SMALL, ALONE, PROGRAM, JSON.stringify(plan)], {
      stdio: ["ignore", "ignore", "inherit", "pipe"],
      detached: true,
      cwd: "/",
      env: {},
    });
    this.awaitEnd();
    this.pipe = (this.child.stdio?.[PIPE] as Socket | undefined) ?? undefined;
    if (this.pipe) this.listen(this.pipe);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /**
   * A sign of life waits until what has come was read, which the second turn is sure to be behind: a guard that is gone may have
   * said why, and to write to it ends the pipe (EPIPE) with all that is unread.
   */
  send(order: Order): void {
    if (order.do === "beat") afterReading(() => afterReading(() => this.write(order)));
    else this.write(order);
  }

  /** The guard switches everything off and goes. */
  release(): void {
    if (this.pipe) this.pipe.end();
    else this.kill();
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }

  private write(order: Order): void {
    if (this.pipe?.writable) this.pipe.write(encode(order));
  }

  private listen(pipe: Socket): void {
    const lines = new Lines();
    pipe.setEncoding("utf8").on("data", (chunk: string) => {
      try {
        for (const report of lines.take<Report>(chunk)) this.listener.report(report);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        this.kill();
      }
    });
    // a broken pipe means that the guard is ending, and "close" follows; a guard that does not end gives no sign of life any more
    pipe.on("error", () => undefined);
  }

  private awaitEnd(): void {
    let told = false;
    const gone = (how: string) => {
      if (!told) this.listener.gone(how);
      told = true;
    };
    this.child.once("error", (error) => gone(error.message));
    // not "exit": its last reports are still in the pipe then
    this.child.once("close", (code, signal) => gone(signal ?? `status ${code}`));
  }
}
