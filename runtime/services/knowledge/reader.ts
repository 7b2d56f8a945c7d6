import { type ChildProcess, execFile, spawn } from "node:child_process";
import { on, once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Clock } from "../../../drivers/ports.js";
import { type Millis, seconds } from "../../../drivers/units.js";
import { excerpt } from "../../errors.js";
import { type Part, partsOf } from "./parts.js";

/** What has a parser of its own, and who wrote it is not known. */
export type ReaderKind = "html" | "pdf";

export interface ReaderTask {
  readonly kind: ReaderKind;
  readonly bytes: Uint8Array;
}

type Waits = Pick<Clock, "sleep">;

/** The text, or why there is none: it completes "The file …". */
export type ReaderAnswer =
  | { readonly text: string }
  /** `isPassing`: it says nothing about the file, which is tried again later. */
  | { readonly reason: string; readonly isPassing?: boolean };

const run = promisify(execFile);

/** Code units of a file's text. A choice: five times the text of a thick manual. */
const LONGEST_TEXT = 10_000_000;

const PROGRAM = fileURLToPath(new URL("./reader-main.js", import.meta.url));
/** A choice: a book of 1,000 pages takes a Pi about so long. */
const PATIENCE: Millis = seconds(60);
/** A choice: a Pi 3 that has other work loads Node and pdf.js in some 10 s. */
const READY_WITHIN: Millis = seconds(30);
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
 * Starts a program with all of its code loaded (it says "ready"), and takes from it the numbers that the kernel gives to whatever is
 * opened: from then on it opens no socket, also if it runs code of a stranger, and cannot undo that. What is open stays: the pipe to
 * this process. Rejects where that cannot be done, with NotReady where the program does not start in its time.
 */
export async function shutIn(program: string, args: readonly string[], clock: Waits): Promise<ChildProcess> {
  const child = spawn("sh", ["-c", LIMITS, process.execPath, ...confined(program), ...args], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
    cwd: "/",
    env: {},
  });
  child.on("error", () => undefined); // "exit", or a send that fails, tells as much
  try {
    await readyOf(child, clock);
    await run("prlimit", [`--pid=${child.pid}`, "--nofile=0:0"]);
    return child;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

class NotReady extends Error {}

async function readyOf(child: ChildProcess, clock: Waits): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, "exit", { signal }).then(() => {
    throw new Error("the reader ended before it was ready");
  });
  const late = clock.sleep(READY_WITHIN, signal).then(() => {
    throw new NotReady();
  });
  await Promise.race([once(child, "message", { signal }), ended, late]).finally(() => over.abort());
}

/**
 * Reads files of strangers in a process of its own, which is started with the first of them and confined by Node's permission
 * model and by the kernel. It sees bytes, not paths.
 */
export class Reader {
  private child: Promise<ChildProcess> | undefined;
  /** One for PDF reads HTML too. */
  private readsPdf = false;
  private isClosed = false;
  /** No other file waits for a program that does not start. */
  private isStuck = false;

  constructor(
    /** Real time. */
    private readonly clock: Waits,
    private readonly program = PROGRAM,
  ) {}

  /** One at a time. Never rejects. */
  async read(kind: ReaderKind, bytes: Uint8Array): Promise<ReaderAnswer> {
    if (kind === "pdf" && !this.readsPdf) this.end();
    const wasUsed = this.child !== undefined;
    const answer = await this.ask({ kind, bytes });
    // a child that has read others may have used up what it was given for all of them
    if (answer === "ended" && wasUsed && !this.isClosed) return this.read(kind, bytes);
    if (answer === "not ready") return NOT_READY;
    return typeof answer === "string" ? { reason: REASONS[answer] } : answer;
  }

  /** Ends what is being read, too. */
  close(): void {
    this.isClosed = true;
    this.end();
  }

  private end(): void {
    this.child?.then(
      (child) => child.kill("SIGKILL"),
      () => undefined, // it is gone already
    );
    this.child = undefined;
  }

  /** Without an answer the child is gone. */
  private async ask(task: ReaderTask): Promise<ReaderAnswer | "not ready" | keyof typeof REASONS> {
    if (this.isStuck) return "not ready";
    if (!this.child) this.readsPdf = task.kind === "pdf";
    this.child ??= shutIn(this.program, [task.kind], this.clock);
    const child = await this.child.catch((error: unknown) => {
      this.isStuck = error instanceof NotReady;
    });
    const over = new AbortController();
    const answer = child
      ? await first(child, task, [this.clock, over.signal]).catch(() => "ended" as const)
      : this.isStuck
        ? "not ready"
        : "not shut in";
    over.abort();
    if (typeof answer === "string") this.end();
    return answer;
  }
}

function first(child: ChildProcess, task: ReaderTask, [clock, signal]: readonly [Waits, AbortSignal]) {
  const answer = answerOf(child, signal);
  const ended = once(child, "exit", { signal }).then(() => "ended" as const);
  sendTo(child, task).catch(() => undefined); // "exit" tells as much
  return Promise.race([answer, ended, clock.sleep(PATIENCE, signal).then(() => "too late" as const)]);
}

async function sendTo(child: ChildProcess, { kind, bytes }: ReaderTask): Promise<void> {
  for (const { part, isLast } of partsOf(bytes)) {
    const message: Part<ReaderTask> = { kind, bytes: part, isLast };
    await new Promise<void>((resolve, reject) =>
      child.send(message, (error) => (error ? reject(error) : resolve())),
    );
  }
}

/** A child that a file has taken over says what it likes, and as much as it likes. */
async function answerOf(child: ChildProcess, signal: AbortSignal): Promise<ReaderAnswer | "ended"> {
  let whole = "";
  for await (const [message] of on(child, "message", { signal })) {
    const answer = answerIn(message, whole);
    if (answer === "ended" || "reason" in answer) return answer;
    whole = answer.text;
    if (answer.isLast) return { text: whole };
  }
  return "ended";
}

/** `before`: the text so far. */
function answerIn(message: unknown, before: string): Part<{ text: string }> | { reason: string } | "ended" {
  const { text, reason, isLast } = (message ?? {}) as Partial<Record<"text" | "reason" | "isLast", unknown>>;
  if (typeof text === "string")
    return before.length + text.length > LONGEST_TEXT
      ? { reason: `has more than ${LONGEST_TEXT} characters` }
      : { text: before + text, isLast: isLast === true };
  return typeof reason === "string" ? { reason: excerpt(reason) } : "ended";
}

/** Of a reader that does not start: a machine that has too much to do. */
export const NOT_READY: ReaderAnswer = {
  reason: `is not read: its reader did not start within ${READY_WITHIN / 1000} s; it is tried again later`,
  isPassing: true,
};

const GAVE_UP = "cannot be read: it takes too much time or memory";
const REASONS = {
  ended: GAVE_UP,
  "too late": GAVE_UP,
  "not shut in":
    "is not read: its reader cannot be kept from the network here (prlimit, of the package util-linux)",
};
