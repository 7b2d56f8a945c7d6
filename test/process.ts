import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Role } from "../runtime/wire/identity.js";
import { spawnNode } from "./spawn-node.js";

const TENDRIL = fileURLToPath(new URL("../runtime/cli/tendril.js", import.meta.url));
const LISTENING = /^listening on (ws:\S+)$/;

export interface ProcessOptions {
  /** How much faster than real time the bench runs, up to 60. */
  readonly speed?: number;
  /** On the hardware that the configuration in `state` names, in place of the bench. */
  readonly real?: boolean;
  /** An existing state folder; by default a new one, which `stop` removes. */
  readonly state?: string;
  /** The command line; by default that of this build. */
  readonly program?: string;
  /** Further arguments of `tendril serve`. */
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What the process wrote to stderr in all. */
  readonly log: string;
}

/** A runtime as people run it: `tendril serve`, a process of its own on a free loopback port. */
export class RuntimeProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly log: Promise<string>,
    /** ws://127.0.0.1:PORT/mcp */
    readonly url: string,
    readonly state: string,
    private readonly ownsState: boolean,
  ) {}

  /** Resolves when it listens. Rejects with what the process said if it ended before. */
  static async start({
    speed = 60,
    real = false,
    state,
    program = TENDRIL,
    args = [],
    env = {},
  }: ProcessOptions = {}): Promise<RuntimeProcess> {
    const folder = state ?? (await mkdtemp(join(tmpdir(), "tendril-process-")));
    const board = real ? [] : ["--bench", "--speed", String(speed)];
    const serve = ["serve", ...board, "--port", "0", "--state", folder, ...args];
    const child = spawnNode([program, ...serve], env);
    const log = text(child.stderr);
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      const url = LISTENING.exec(line)?.[1];
      if (url) return new RuntimeProcess(child, log, url, folder, state === undefined);
    }
    if (state === undefined) await rm(folder, { recursive: true, force: true });
    throw new Error(`the runtime ended without listening: ${await log}`);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** http://127.0.0.1:PORT/mcp */
  get http(): string {
    return this.url.replace(/^ws/, "http");
  }

  async token(name: Role | string): Promise<string> {
    return (await readFile(join(this.state, "tokens", name), "utf8")).trim();
  }

  /** SIGSTOP makes it stand still, SIGCONT go on. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.child.kill(signal);
  }

  /** Sends `signal` if it still runs and waits for its end. SIGKILL on a bench is a power cut. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ending> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, "exit");
      this.child.kill(signal);
      await ended;
    }
    if (this.ownsState) await rm(this.state, { recursive: true, force: true });
    return { code: this.child.exitCode, signal: this.child.signalCode, log: await this.log };
  }
}
