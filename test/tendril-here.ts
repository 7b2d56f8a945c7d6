import { AsyncLocalStorage } from "node:async_hooks";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { Mutex } from "../drivers/mutex.js";
import { type Ran, TENDRIL } from "./run-tendril.js";

/**
 * `tendril ARGS` inside the process of the test: the program itself, without the third of a second that a process takes to start.
 * For commands that end by themselves, start no program and want no signal. What the process does at its start and end is the
 * matter of test/cli.test.ts and others, which use `tendril` of run-tendril.ts.
 */

/** Keeps what is written. */
class Kept extends Writable {
  private readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString("utf8");
  }
}

const STREAMS = ["stdin", "stdout", "stderr"] as const;
type Streams = Readonly<Record<(typeof STREAMS)[number], unknown>>;

/** The streams of a command, for what it calls; tap writes to those of the process meanwhile. */
const command = new AsyncLocalStorage<Streams>();
for (const name of STREAMS) {
  const own = Object.getOwnPropertyDescriptor(process, name)?.get;
  const get = () => command.getStore()?.[name] ?? own?.call(process);
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get });
}

/** Those that a program may handle. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** A process has one list of arguments, one environment and one exit code. */
const turns = new Mutex();
let runs = 0;

/** Of the two bundles that `tendril` chooses from (systemd/programs/bundle.ts): chosen here, for each begins but once in a process. */
const bundleFor = ([name]: readonly string[]): string =>
  join(dirname(TENDRIL), name === "serve" ? "serving.js" : "commands.js");

/** Runs `tendril ARGS` to its end, without a terminal and with nothing on stdin. */
export const tendrilHere = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  programHere(bundleFor(args), args, env);

/** The same of another program that ends by its exit code: not the agent, which ends its process itself. */
export const programHere = (
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ran> =>
  turns.run(async () => {
    const [stdout, stderr] = [new Kept(), new Kept()];
    const { argv, exitCode, env: own } = process;
    const handlers = SIGNALS.map((signal) => process.listeners(signal));
    process.argv = [process.execPath, program, ...args];
    process.env = { ...own, ...env };
    process.exitCode = 0;
    runs += 1;
    try {
      // a program that is imported under another address begins anew; its parts are loaded once
      const address = `${pathToFileURL(program).href}?run=${runs}`;
      await command.run({ stdin: Readable.from([]), stdout, stderr }, () => import(address));
      return { code: Number(process.exitCode), out: stdout.text, err: stderr.text };
    } finally {
      Object.assign(process, { argv, exitCode, env: own });
      for (const [at, signal] of SIGNALS.entries())
        for (const each of process.listeners(signal))
          if (!handlers[at]?.includes(each)) process.off(signal, each);
    }
  });
