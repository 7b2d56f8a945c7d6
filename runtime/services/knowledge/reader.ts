import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../../drivers/ports.js";
import { type Millis, seconds } from "../../../drivers/units.js";

/** What has a parser of its own, and who wrote it is not known. */
export type ReaderKind = "html" | "pdf";

export interface ReaderTask {
  readonly kind: ReaderKind;
  readonly bytes: Uint8Array;
}

type Waits = Pick<Clock, "sleep">;

/** The text, or why there is none: it completes "The file …". */
export type ReaderAnswer = { readonly text: string } | { readonly reason: string };

const PROGRAM = fileURLToPath(new URL("./reader-main.js", import.meta.url));
/** A choice: a book of 1,000 pages takes a Pi about so long. */
const PATIENCE: Millis = seconds(60);
/**
 * Seconds of processor, twice that patience, for all files of one child: one that nobody waits for any more ends too. And
 * whoever runs short of memory ends the child first, not the runtime.
 */
const LIMITS = 'ulimit -t 120; echo 1000 2>/dev/null >/proc/$$/oom_score_adj; exec "$0" "$@"';
/** Of newer versions of Node, and of Node 20 [nodejs.org/api/permissions.html]. Node makes its set of flags when it is read. */
const permission = (): string =>
  process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission";
/** Memory in MB, a choice: pdf.js takes 70 for a manual. */
const SMALL = ["--max-old-space-size=160", "--max-semi-space-size=2"];

/** How Node starts a program that may read its own file and nothing else: no device, no program, no thread, no native code. */
export const confined = (program: string): readonly string[] => [
  ...[permission(), `--allow-fs-read=${program}`, "--no-warnings"],
  ...["--disallow-code-generation-from-strings", ...SMALL, program],
];

/**
 * Reads files of strangers in a process of its own, which is started with the first of them and confined by Node's permission
 * model. It sees bytes, not paths.
 */
export class Reader {
  private child: ChildProcess | undefined;
  private isClosed = false;

  constructor(
    /** Real time. */
    private readonly clock: Waits,
  ) {}

  /** One at a time. Never rejects. */
  async read(kind: ReaderKind, bytes: Uint8Array): Promise<ReaderAnswer> {
    const wasUsed = this.child !== undefined;
    const answer = await this.ask({ kind, bytes });
    // a child that has read others may have used up what it was given for all of them
    if (answer === "ended" && wasUsed && !this.isClosed) return this.read(kind, bytes);
    return typeof answer === "string" ? GAVE_UP : answer;
  }

  /** Ends what is being read, too. */
  close(): void {
    this.isClosed = true;
    this.end();
  }

  private end(): void {
    this.child?.kill("SIGKILL");
    this.child = undefined;
  }

  /** Without an answer the child is gone. */
  private async ask(task: ReaderTask): Promise<ReaderAnswer | "ended" | "too late"> {
    this.child ??= start();
    const over = new AbortController();
    const answer = await first(this.child, task, [this.clock, over.signal]).catch(() => "ended" as const);
    over.abort();
    if (typeof answer === "string") this.end();
    return answer;
  }
}

function first(child: ChildProcess, task: ReaderTask, [clock, signal]: readonly [Waits, AbortSignal]) {
  const answer = once(child, "message", { signal }).then(([each]) => each as ReaderAnswer);
  const ended = once(child, "exit", { signal }).then(() => "ended" as const);
  child.send(task);
  return Promise.race([answer, ended, clock.sleep(PATIENCE, signal).then(() => "too late" as const)]);
}

const GAVE_UP: ReaderAnswer = { reason: "cannot be read: it takes too much time or memory" };

function start(): ChildProcess {
  const child = spawn("sh", ["-c", LIMITS, process.execPath, ...confined(PROGRAM)], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
    cwd: "/",
    env: {},
  });
  return child.on("error", () => undefined); // "exit", or a send that fails, tells as much
}
