import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { seconds } from "../../../drivers/units.js";
import type { Adapter, JobFailure, JobHandler } from "../../../runtime/bridge/adapter.js";
import type { Rig } from "../../rig.js";

interface Job {
  readonly job_id: string;
  readonly what: string;
  readonly arguments: object;
}

const BRIDGE = { bridge: "0123456789abcdef" };

/** The jobs of a real adapter, for a test without a bridge. */
export const handlersOf = (adapter: Adapter, config: unknown): Readonly<Record<string, JobHandler>> =>
  adapter.open(adapter.config.parse(config), {
    ...{ clock: new SystemClock(), say: () => undefined, onConnected: () => undefined },
    ...{
      tellProblem: () => undefined,
      isAsked: () => true,
      call: async () => ({}),
      upload: async () => "",
      signal: new AbortController().signal,
    },
  });

/** A bridge for a rig: real adapters do the jobs. */
export class RigBridge {
  /** Milliseconds for a job. */
  patience = 5000;

  constructor(
    private readonly rig: Rig,
    private readonly handlers: Readonly<Record<string, JobHandler>>,
  ) {}

  /** Does what is asked of it until the call is over and there is nothing more to do. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    await this.take();
    const called = call();
    let isOver = false;
    void called.finally(() => {
      isOver = true;
    });
    for (let idle = 0; !isOver || idle < 10; ) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      const jobs = await this.take();
      idle = jobs.length > 0 ? 0 : idle + 1;
      for (const job of jobs) await this.answer(job);
    }
    return called;
  }

  /** Stays connected meanwhile. */
  async passMinute(): Promise<void> {
    for (let passed = 0; passed <= 60; passed += 4) {
      await this.rig.pass(seconds(4));
      await this.take();
    }
  }

  private async answer({ job_id, what, arguments: args }: Job): Promise<void> {
    const handler = this.handlers[what];
    if (!handler) throw new Error(`no job ${what}`);
    const end = await handler(args, AbortSignal.timeout(this.patience)).then(
      (result) => ({ outcome: "done", result }),
      ({ code, message }: JobFailure) => ({ outcome: "failed", code, message }),
    );
    await this.rig.call("answer_job", { ...BRIDGE, job_id, ...end }, { as: "bridge" });
  }

  private async take(): Promise<Job[]> {
    const taken = await this.rig.get("take_jobs", { ...BRIDGE, version: "1", wait_s: 0 }, { as: "bridge" });
    return taken.jobs as Job[];
  }
}
