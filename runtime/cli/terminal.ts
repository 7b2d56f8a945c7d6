import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { harmless } from "../log.js";
import { type Asker, LineAsker } from "../setup/asker.js";
import { CommandError, INTERRUPTED } from "./failure.js";
import { asCalledHere, fitting } from "./print.js";

/** A person at a terminal, or lines in a pipe. */
export interface Terminal {
  say(text: string): void;
  /** A line that the next one replaces; only on a terminal. */
  show(text: string): void;
  /** The trimmed answer. Throws if the input has ended. */
  ask(question: string): Promise<string>;
  /** Aborted by Ctrl-C, SIGTERM, or a lost connection to the terminal. */
  readonly interrupted: AbortSignal;
}

export const interruption = (): CommandError => new CommandError("interrupted", INTERRUPTED);

const CLEAR_TO_END_OF_LINE = "\u001b[K"; // ECMA-48, EL

/** The command's terminal. A second Ctrl-C ends the program at once. */
export class Console implements Terminal {
  private readonly controller = new AbortController();
  private readonly lines: Interface;
  private readonly waiting: string[] = [];
  private answer: ((line: string) => void) | undefined;
  private fail: ((reason: unknown) => void) | undefined;
  private ended = false;
  private live = false;

  constructor(
    private readonly input: NodeJS.ReadStream,
    private readonly output: NodeJS.WriteStream,
  ) {
    this.lines = createInterface({ input, terminal: false });
    this.lines.on("line", (line) => this.take(line)).on("close", () => this.end());
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, this.interrupt);
  }

  get interrupted(): AbortSignal {
    return this.controller.signal;
  }

  say(text: string): void {
    this.output.write(`${this.overLive()}${this.fitting(text)}\n`);
  }

  show(text: string): void {
    if (!this.output.isTTY) return;
    this.output.write(`\r${harmless(text)}${CLEAR_TO_END_OF_LINE}`);
    this.live = true;
  }

  async ask(question: string): Promise<string> {
    if (this.interrupted.aborted) throw interruption();
    // input from before the question is not an answer
    if (this.input.isTTY) this.waiting.length = 0;
    this.output.write(`${this.overLive()}${this.fitting(question)} `);
    const line = this.waiting.shift() ?? (await this.nextLine());
    if (!this.input.isTTY) this.output.write("\n"); // a terminal shows the typed Enter itself
    return line.trim();
  }

  close(): void {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, this.interrupt);
    this.lines.close();
  }

  private readonly interrupt = (): void => {
    this.output.write("\n");
    this.controller.abort(interruption());
    this.fail?.(interruption());
  };

  private readonly fitting = (text: string): string => fitting(this.output, harmless(asCalledHere(text)));

  /** Clears the line of `show`. */
  private overLive(): string {
    const over = this.live ? `\r${CLEAR_TO_END_OF_LINE}` : "";
    this.live = false;
    return over;
  }

  private take(line: string): void {
    if (this.answer) this.answer(line);
    else this.waiting.push(line);
    this.answer = undefined;
  }

  private end(): void {
    this.ended = true;
    this.fail?.(noMoreAnswers());
  }

  private nextLine(): Promise<string> {
    if (this.ended) return Promise.reject(noMoreAnswers());
    return new Promise((resolve, reject) => {
      this.answer = resolve;
      this.fail = reject;
    });
  }
}

/** Work that asks at this program's terminal, which is given back afterwards. */
export async function atTerminal<T>(work: (terminal: Terminal) => Promise<T>): Promise<T> {
  const terminal = new Console(process.stdin, process.stdout);
  try {
    return await work(terminal);
  } finally {
    terminal.close();
  }
}

/** Whether a program of this computer can show something. */
export const hasScreen = (): boolean =>
  process.platform === "darwin" || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

/** Opens a file with this computer's program for it; false if there is no program or no screen. */
export async function openFile(file: string): Promise<boolean> {
  // xdg-open starts without a screen too, and then ends without a word
  if (!hasScreen()) return false;
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(program, [file], { detached: true, stdio: "ignore" });
  child.unref();
  return once(child, "spawn").then(
    () => true,
    () => false,
  );
}

const noMoreAnswers = () => new CommandError("the input ended before the last question: nothing was written");

export async function isYes(terminal: Terminal, question: string, otherwise: boolean): Promise<boolean> {
  const answer = (await terminal.ask(`${question} [${otherwise ? "Y/n" : "y/N"}]`)).toLowerCase();
  return answer === "" ? otherwise : answer === "y" || answer === "yes";
}

interface OpenAsker {
  readonly asker: Asker;
  readonly isTerminal: boolean;
  readonly close: () => void;
}

/** Menus on a terminal that can draw them; else, or if `plain`, lines. */
export async function openAsker(plain: boolean): Promise<OpenAsker> {
  const isTerminal = Boolean(process.stdin.isTTY && process.stdout.isTTY);
  if (isTerminal && !plain && process.env.TERM !== "dumb")
    return {
      asker: (await import("../setup/terminal-asker.js")).terminalAsker,
      isTerminal,
      close: () => undefined,
    };
  const asker = new LineAsker(process.stdin, process.stdout);
  return { asker, isTerminal, close: () => asker.close() };
}
