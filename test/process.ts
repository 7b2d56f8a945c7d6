import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Role } from "../runtime/wire/identity.js";
import { spawnNode } from "./spawn-node.js";
import { ProgramHere } from "./tendril-here.js";

const TENDRIL = fileURLToPath(new URL("../runtime/cli/tendril.js", import.meta.url));
const SERVING = join(dirname(TENDRIL), "serving.js");
const LISTENING = /^listening on (ws:\S+)$/m;

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

/** What a test asks of a runtime that serves. */
export abstract class Served {
  constructor(
    /** ws://127.0.0.1:PORT/mcp */
    readonly url: string,
    readonly state: string,
    protected readonly ownsState: boolean,
  ) {}

  /** http://127.0.0.1:PORT/mcp */
  get http(): string {
    return this.url.replace(/^ws/, "http");
  }

  async token(name: Role | string): Promise<string> {
    return (await readFile(join(this.state, "tokens", name), "utf8")).trim();
  }

  /** Sends `signal` if it still runs and waits for its end. */
  abstract stop(signal?: NodeJS.Signals): Promise<Ending>;
}

/** A runtime as people run it: `tendril serve`, a process of its own on a free loopback port. */
export class RuntimeProcess extends Served {
  private constructor(
    private readonly child: ChildProcess,
    private readonly log: Promise<string>,
    ...served: ConstructorParameters<typeof Served>
  ) {
    super(...served);
  }

  /** Resolves when it listens. Rejects with what the process said if it ended before. */
  static async start({ program = TENDRIL, env, ...options }: ProcessOptions = {}): Promise<RuntimeProcess> {
    const { folder, serve } = await prepared(options);
    const child = spawnNode([program, ...serve], env);
    const log = text(child.stderr);
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      const url = LISTENING.exec(line)?.[1];
      if (url) return new RuntimeProcess(child, log, url, folder, options.state === undefined);
    }
    if (options.state === undefined) await rm(folder, { recursive: true, force: true });
    throw new Error(`the runtime ended without listening: ${await log}`);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** SIGSTOP makes it stand still, SIGCONT go on. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.child.kill(signal);
  }

  /** SIGKILL on a bench is a power cut. */
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

/** `tendril serve` in the process of the test, a sixth of what a process costs: for tests of what it answers, not of how it begins or dies. */
export class RuntimeHere extends Served {
  private constructor(
    private readonly running: ProgramHere,
    ...served: ConstructorParameters<typeof Served>
  ) {
    super(...served);
  }

  /** As `RuntimeProcess.start`. */
  static async start({ env, ...options }: Omit<ProcessOptions, "program"> = {}): Promise<RuntimeHere> {
    const { folder, serve } = await prepared(options);
    const running = ProgramHere.start(SERVING, serve, env);
    const [, url = ""] = await running.until(LISTENING);
    return new RuntimeHere(running, url, folder, options.state === undefined);
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ending> {
    this.running.signal(signal);
    const { code, err } = await this.running.ended;
    if (this.ownsState) await rm(this.state, { recursive: true, force: true });
    return { code, signal: null, log: err };
  }
}

/** Its state folder, and what `tendril` is told. */
async function prepared({ speed = 60, real = false, state, args = [] }: ProcessOptions) {
  const folder = state ?? (await mkdtemp(join(tmpdir(), "tendril-process-")));
  const board = real ? [] : ["--bench", "--speed", String(speed)];
  return { folder, serve: ["serve", ...board, "--port", "0", "--state", folder, ...args] };
}
