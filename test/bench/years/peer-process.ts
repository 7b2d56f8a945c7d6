/** A way to keep the rows, in a process of its own: node peer-process.js NAME FOLDER ROWS [processor-time]. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { bytesWritten } from "../disk.js";
import type { Question } from "./peer.js";
import { bytesIn, PEERS } from "./peers.js";
import { rowsOf } from "./rows.js";

interface Wanted {
  readonly name: string;
  readonly rows: number;
  /** All peers have folders of their own in it. */
  readonly folder: string;
  readonly processorTime: boolean;
}

/** What the process says when it can be asked. `written` is absent where the files were there before. */
interface Filled {
  readonly size: number;
  readonly written?: number;
}

const THIS = fileURLToPath(import.meta.url);

export class PeerProcess {
  private constructor(
    private readonly process: ChildProcess,
    readonly name: string,
    readonly size: number,
    readonly written: number | undefined,
  ) {}

  static async start({ name, rows, folder, processorTime }: Wanted): Promise<PeerProcess> {
    const place = join(folder, name.replaceAll(" ", "-"));
    const child = fork(THIS, [name, place, String(rows), ...(processorTime ? ["processor-time"] : [])]);
    const { size, written } = await answer<Filled>(child);
    return new PeerProcess(child, name, size, written);
  }

  /** Milliseconds that the answer took. */
  ask(question: Question): Promise<number> {
    this.process.send(question);
    return answer<number>(this.process);
  }

  async close(): Promise<void> {
    const ended = once(this.process, "exit");
    this.process.send("close");
    await ended;
  }
}

async function answer<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController();
  const gone = once(child, "exit", { signal: ended.signal }).then(() => {
    throw new Error("the process of a peer ended before it answered");
  });
  const [said] = await Promise.race([once(child, "message", { signal: ended.signal }), gone]);
  ended.abort();
  gone.catch(() => undefined); // no longer waited for
  return said as T;
}

const IN_MEMORY = "JSONL in memory";

async function serve(name: string, folder: string, rows: number, processorTime: boolean): Promise<void> {
  const clock = new SystemClock();
  /** Processor time is that of all threads of this process: on a busy machine nearer to what a quiet one takes. */
  const now = () => {
    const { user, system } = process.cpuUsage();
    return processorTime ? (user + system) / 1000 : clock.monotonic();
  };
  const wasFilled = existsSync(folder);
  const before = bytesWritten();
  const peer = await PEERS[name]?.(folder, wasFilled && name !== IN_MEMORY ? [] : rowsOf(rows));
  if (!peer) throw new Error(`there is no peer ${name}`);
  process.on("message", async (message: Question | "close") => {
    if (message === "close") {
      await peer.close();
      process.disconnect();
      return;
    }
    const began = now();
    await peer.ask(message);
    process.send?.(now() - began);
  });
  const written = bytesWritten() - before;
  process.send?.({ size: await bytesIn(folder), ...(!wasFilled && { written }) } satisfies Filled);
}

if (process.argv[1] === THIS) {
  const [name = "", folder = "", rows = "0", time] = process.argv.slice(2);
  await serve(name, folder, Number(rows), time === "processor-time");
}
