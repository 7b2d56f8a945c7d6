import { SystemClock } from "../drivers/clock/system-clock.js";
import type { Adapter, JobFailure, JobHandler, JobResult } from "../runtime/bridge/adapter.js";
import type { Rig } from "./rig.js";

const BRIDGE = "0123456789abcdef";
/** Seconds, of real time: so long a bridge does not see that the runtime has died. */
const WAIT = 0.05;

interface Job {
  readonly job_id: string;
  readonly what: string;
  readonly arguments: unknown;
}

/** A bridge with one real adapter, in the process of the test. It goes on when the rig is started anew. */
export class BridgeOfTest {
  /** What the adapter has said. */
  readonly said: string[] = [];
  private readonly handlers: Readonly<Record<string, JobHandler>>;
  private readonly stop = new AbortController();

  constructor(
    private readonly rig: Rig,
    adapter: Adapter,
    config: object,
  ) {
    this.handlers = adapter.open(adapter.config.parse(config), {
      clock: new SystemClock(),
      say: (text) => void this.said.push(text),
      ...{ onConnected: () => undefined, tellProblem: () => undefined, isAsked: () => true },
      call: async (tool, args) => (await this.rig.get(tool, args, { as: "bridge" })) as JobResult,
      upload: async () => {
        throw new Error("no adapter of these tests uploads");
      },
      signal: this.stop.signal,
    });
    void this.work();
  }

  async leave(): Promise<void> {
    this.stop.abort();
    const args = { bridge: BRIDGE, version: "1", wait_s: 0, leaving: true };
    await this.rig.call("take_jobs", args, { as: "bridge" }).catch(() => undefined);
  }

  private async work(): Promise<void> {
    while (!this.stop.signal.aborted) {
      const args = { bridge: BRIDGE, version: "1", wait_s: WAIT };
      const taken = await this.rig.call("take_jobs", args, { as: "bridge" }).catch(() => undefined);
      const jobs = taken?.ok ? (taken.value.jobs as Job[]) : [];
      for (const job of jobs) void this.carryOut(job).catch(() => undefined); // the runtime has died
      if (!taken?.ok) await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** As runtime/bridge/bridge.ts does. */
  private async carryOut({ job_id, what, arguments: given }: Job): Promise<void> {
    const answer = await Promise.resolve(this.handlers[what]?.(given, this.stop.signal)).then(
      (result) => ({ outcome: "done", result }),
      ({ outcome = "failed", code = "DEFECT", message }: JobFailure) => ({ outcome, code, message }),
    );
    await this.rig.call("answer_job", { bridge: BRIDGE, job_id, ...answer }, { as: "bridge" });
  }
}
