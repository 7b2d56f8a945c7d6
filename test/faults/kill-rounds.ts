import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LinkError } from "../../agent-client/errors.js";
import type { Runtime } from "../../agent-client/link/runtime.js";
import type { ToolResult } from "../../agent-client/link/tools.js";
import { uniform } from "../../drivers/bench/math.js";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { millis } from "../../drivers/units.js";
import type { Role } from "../../runtime/wire/identity.js";
import { connectTo } from "../connect-once.js";
import { RuntimeProcess } from "../process.js";
import { spawnTendril } from "../run-tendril.js";
import { thought } from "../thought.js";

/** A call as its caller knows it: what was sent, and what came back, if anything did. */
export interface Sent {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly key: string;
  readonly as: Role;
  answer?: ToolResult;
}

/** A call number `n`, whose text is found in the records by its key. */
const WORK: ReadonlyArray<(key: string) => Pick<Sent, "tool" | "args" | "as">> = [
  (key) => ({ tool: "log_thought", as: "agent", args: thought(key) }),
  (key) => ({ tool: "log_action", as: "agent", args: { type: "observe", details: { key } } }),
  (key) => ({ tool: "save_notes", as: "agent", args: { content: key, mode: "append" } }),
  (key) => ({ tool: "send_message_to_human", as: "human", args: { message: key } }),
  () => ({ tool: "dispense_water", as: "human", args: { ml: 10 } }),
];

const clock = new SystemClock();

/** In seconds of real time the soil answers nothing: no dose is to wait for it here. */
const NEVER_WAITS = "water: { no_response: { ml: 500 } }\n";

/** Serves and kills the same state again and again, with everybody at work, and remembers what each caller was told. */
export class KillRounds {
  readonly sent: Sent[] = [];
  private readonly links = new Map<Role, Runtime>();
  private drawn = 0;
  private process: RuntimeProcess | undefined;

  constructor(
    private readonly state: string,
    private readonly seed: number,
  ) {
    writeFileSync(join(state, "tendril.yaml"), `server: { calls_per_second: 100000 }\n${NEVER_WAITS}`);
  }

  async start(): Promise<void> {
    this.process = await RuntimeProcess.start({ state: this.state });
    for (const role of ["agent", "human"] as const) this.links.set(role, await this.link(role));
  }

  /** Everybody works until the process is killed, at a moment within `within` milliseconds. */
  async workUntilKilled(round: number, within: number): Promise<void> {
    const working = WORK.map((make, at) => this.work(make, `r${round}w${at}`));
    await this.moment(within);
    await this.process?.stop("SIGKILL");
    await Promise.all(working);
  }

  /** The process is killed while it is still starting on what the last kill left. */
  async killWhileStarting(): Promise<void> {
    const { child, ended } = spawnTendril(["serve", "--bench", "--state", this.state, "--port", "0"]);
    await this.moment(700);
    child.kill("SIGKILL");
    await ended;
  }

  /** Calls again with the same key. */
  async repeat(call: Sent): Promise<ToolResult> {
    const link = this.links.get(call.as);
    if (!link) throw new Error(`no link for ${call.as}`);
    return link.call(call.tool, call.args, { idempotencyKey: call.key });
  }

  /** A call that has to work, for looking at the records. */
  async ask<T>(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<T> {
    const answer = await this.links.get("human")?.call(tool, args);
    if (answer?.ok) return answer.value as T;
    throw new Error(`${tool}: ${JSON.stringify(answer)}`);
  }

  async end(): Promise<void> {
    for (const link of this.links.values()) await link.close();
    await this.process?.stop("SIGKILL");
  }

  private moment(longest: number): Promise<void> {
    return clock.sleep(millis(uniform(this.seed, this.drawn++) * longest));
  }

  private async work(make: (typeof WORK)[number], name: string): Promise<void> {
    for (let n = 0; ; n += 1) {
      const key = `${name}n${n}`;
      const call: Sent = { ...make(key), key };
      this.sent.push(call);
      const answer = await this.repeat(call).catch(linkFailure);
      if (!answer) return;
      call.answer = answer;
    }
  }

  private async link(role: Role): Promise<Runtime> {
    if (!this.process) throw new Error("nothing is started");
    return connectTo(this.process, role);
  }
}

/** What a call that lost its link is answered with: nothing. Throws every other error. */
export function linkFailure(error: unknown): undefined {
  if (!(error instanceof LinkError)) throw error;
}
