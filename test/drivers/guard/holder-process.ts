import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";
import type { GuardPlan } from "../../../drivers/guard/protocol.js";
import type { InputState } from "../../../drivers/inputs.js";
import type { PulseReport } from "../../../drivers/ports.js";
import { spawnNode } from "../../spawn-node.js";
import type { Held } from "./holder.js";

const HOLDER = fileURLToPath(new URL("./holder.js", import.meta.url));

/** A line of the holder's. */
export interface Told {
  readonly guard?: number;
  readonly plan?: GuardPlan;
  readonly on?: number;
  readonly report?: PulseReport;
  readonly refused?: string;
  readonly trouble?: string;
  readonly at?: number;
  readonly input?: InputState;
  readonly closed?: boolean;
}

/** A runtime reduced to its relays, as a process of its own. */
export class HolderProcess {
  private constructor(
    readonly child: ChildProcess,
    /** The next line of what it tells. Rejects if there is none. */
    readonly next: () => Promise<Told>,
    readonly guard: number,
    readonly plan: GuardPlan,
  ) {}

  /** `within` is what starts it in turn. */
  static async start(t: Test, held: Held, within: readonly string[] = []): Promise<HolderProcess> {
    const child = spawnNode([HOLDER, JSON.stringify(held)], {}, within);
    t.teardown(() => child.kill("SIGKILL"));
    child.stderr.pipe(process.stderr);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<Told> => {
      const { value, done } = await lines.next();
      if (done) throw new Error("the holder is gone");
      return JSON.parse(value);
    };
    const { guard, plan, refused } = await next();
    if (guard === undefined || plan === undefined) throw new Error(`the holder has no guard: ${refused}`);
    return new HolderProcess(child, next, guard, plan);
  }

  /** Nothing of it, nor of its guard, runs any more. The guard first: it would do its work at its parent's death. */
  async killBoth(): Promise<void> {
    const gone = once(this.child, "exit");
    process.kill(this.child.pid ?? 0, "SIGSTOP");
    process.kill(this.guard, "SIGKILL");
    this.child.kill("SIGKILL");
    await gone;
  }
}
