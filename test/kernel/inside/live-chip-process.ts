import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";
import type { Scene } from "./live-chip.js";

const LIVE_CHIP = fileURLToPath(new URL("./live-chip.js", import.meta.url));

/**
 * By util-linux: it preempts whoever else runs. A conversion that is later than the driver waits for, 9 ms, would be one
 * of another range; niceness alone lets that happen on a busy machine. One thread: with V8's helpers, which on the one
 * processor of the kernel never get a turn beside it, a collection of garbage has it spin for ever, and all others starve.
 */
const FIRST = { execPath: "chrt", execArgv: ["--fifo", "1", process.execPath, "--single-threaded"] };

/** The ADS1115 of the stub's bus, alive while the test runs. */
export class LiveChip {
  private constructor(private readonly child: ChildProcess) {}

  static async start(t: Test, address: number, powerPin: number): Promise<LiveChip> {
    const child = fork(LIVE_CHIP, [address, powerPin].map(String), FIRST);
    t.teardown(() => child.kill("SIGKILL"));
    await once(child, "message");
    return new LiveChip(child);
  }

  /** Resolves when it is so. */
  async show(scene: Scene): Promise<void> {
    this.child.send(scene);
    await once(this.child, "message");
  }
}
