import { AsyncLocalStorage } from "node:async_hooks";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Mutex } from "../drivers/mutex.js";
import { type Ran, TENDRIL } from "./run-tendril.js";
import { ownState } from "./spawn-node.js";

/**
 * Programs inside the process of the test: the files that people start, without the third of a second of a processor that each start
 * of a process takes. What a process does at its start, at a signal of the kernel and at its end is the matter of test/cli.test.ts,
 * test/agent-client/main.test.ts and others, which start processes.
 */

/** Keeps what is written, and says so. */
class Kept extends Writable {
  private readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk);
    this.emit("kept");
    done();
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString("utf8");
  }
}

type Handler = (...args: unknown[]) => void;

/** A program that runs in this process. Nothing ends what it leaves open behind `process.exit`, so it has to close it itself. */
export class ProgramHere {
  /** What the program finds in `process`; tap and the test find their own meanwhile. */
  readonly own: Readonly<Record<(typeof OWN)[number], unknown>>;
  readonly ended: Promise<Ran>;
  private readonly stdout = new Kept();
  private readonly stderr = new Kept();
  private readonly handlers: (readonly [event: string, handler: Handler])[] = [];
  private readonly state = ownState();
  private code: number | undefined;

  /** `begin` does what loading the program does; `typed` is what comes on stdin. */
  constructor(argv: readonly string[], env: NodeJS.ProcessEnv, begin: () => Promise<unknown>, typed = "") {
    const { stdout, stderr, state } = this;
    const exit = (code = process.exitCode) => {
      this.code ??= Number(code ?? 0);
    };
    const { NODE_OPTIONS: _, ...without } = process.env; // tap's hooks are not for what a program starts
    const all = { ...without, XDG_STATE_HOME: state, ...env };
    this.own = { argv, env: all, exit, stdin: Readable.from(typed === "" ? [] : [typed]), stdout, stderr };
    this.ended = this.run(begin);
  }

  /** Starts a program that ends by `process.exit`: `tendril serve`, the agent, the bridge. */
  static start(
    program: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
    typed?: string,
  ): ProgramHere {
    return new ProgramHere([process.execPath, program, ...args], env, () => anew(program), typed);
  }

  get out(): string {
    return this.stdout.text;
  }

  /** Resolves once stdout has it. Rejects if the program ends without. */
  until(said: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = said.exec(this.out);
        if (found) resolve(found);
        return found;
      };
      if (!look()) this.stdout.on("kept", look);
      this.ended.then(({ err }) => reject(new Error(`ended without ${said}: ${this.out}${err}`)), reject);
    });
  }

  /** As if the process got this signal, if it still runs. A program that does not handle it could only be killed as a process. */
  signal(name: NodeJS.Signals): void {
    const handlers = this.handlers.filter(([event]) => event === name);
    if (handlers.length === 0) throw new Error(`nothing handles ${name}`);
    for (const [, handler] of handlers) handler(name);
  }

  /** The program listens for something on `process`. */
  handles(event: string, handler: Handler): void {
    this.handlers.push([event, handler]);
    // a defect of the test is the test's
    if (DEFECTS.includes(event)) queueMicrotask(() => process.off(event, handler));
  }

  private async run(begin: () => Promise<unknown>): Promise<Ran> {
    count += 1;
    try {
      await running.run(this, begin);
      return { code: this.code ?? null, out: this.stdout.text, err: this.stderr.text };
    } finally {
      for (const [event, handler] of this.handlers) process.off(event, handler);
      count -= 1;
      if (count === 0) running.disable(); // else Node follows each promise of the process to its end
      await rm(this.state, { recursive: true, force: true });
    }
  }
}

const OWN = ["argv", "env", "exit", "stdin", "stdout", "stderr"] as const;
const DEFECTS = ["uncaughtException", "unhandledRejection"];

/** Whose code runs; none: the test's. */
const running = new AsyncLocalStorage<ProgramHere>();
let count = 0;

for (const name of OWN) {
  const { value, get: own = () => value } = Object.getOwnPropertyDescriptor(process, name) ?? {};
  const get = () => running.getStore()?.own[name] ?? own.call(process);
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get });
}
process.on("newListener", (event: string, handler: Handler) => running.getStore()?.handles(event, handler));

let imports = 0;
/** A program that is imported under another address begins anew; its parts are loaded once. */
function anew(program: string): Promise<unknown> {
  imports += 1;
  return import(`${pathToFileURL(program).href}?run=${imports}`);
}

/** Of the two bundles that `tendril` chooses from (systemd/programs/bundle.ts): chosen here, for each begins but once in a process. */
const bundleFor = ([name]: readonly string[]): string =>
  join(dirname(TENDRIL), name === "serve" ? "serving.js" : "commands.js");

/** `tendril ARGS` to its end, without a terminal and with nothing on stdin: for commands that start no program. */
export const tendrilHere = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  programHere(bundleFor(args), args, env);

export const AGENT: string = fileURLToPath(new URL("../agent-client/main.js", import.meta.url));
/** `tendril agent ARGS`, which is a program of its own. */
export const agentHere = (
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  typed?: string,
): ProgramHere => ProgramHere.start(AGENT, args, env, typed);

/** A process has one exit code. */
const turns = new Mutex();

/** The same of another program that ends by its exit code. */
export const programHere = (
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ran> =>
  turns.run(async () => {
    const { exitCode } = process;
    process.exitCode = 0;
    try {
      const ran = await ProgramHere.start(program, args, env).ended;
      return { ...ran, code: ran.code ?? Number(process.exitCode) };
    } finally {
      process.exitCode = exitCode;
    }
  });
