import { createInterface, type Interface } from "node:readline";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import {
  answersAsJson,
  Chat,
  type ChatLine,
  type ChatOptions,
  type Surroundings,
  shownLine,
  shownText,
} from "./chat.js";
import { CommandError, INTERRUPTED } from "./failure.js";
import { houseOf } from "./messages.js";
import type { Remote } from "./remote.js";

/** `tendril chat`: at a terminal a conversation, with words one question, and in a pipe a question a line. */

const CLEAR_LINE = "\r\u001b[K"; // ECMA-48, EL
const PROMPT = "you> ";

/** Sends the words, or what is typed, and shows the answers. Throws a CommandError for words without an answer. */
export async function chat(remote: Remote, words: readonly string[], options: ChatOptions): Promise<void> {
  const screen = new Screen(process.stdout, process.stderr);
  const around = { remote, clock: new SystemClock(), ...screen.surroundings };
  const talk = new Chat(around, options);
  const say = (answers: readonly ChatLine[]) =>
    screen.print(
      options.json ? answersAsJson(answers) : answers.map(({ text }) => shownText(text)).join("\n"),
    );
  if (words.length > 0) return say(await interruptible((signal) => talk.ask(words.join(" "), signal)));
  if (!process.stdin.isTTY) return piped(talk, say);
  await conversation(talk, screen, remote, say);
}

/** A question a line, one after the other. The first without an answer ends it. */
async function piped(talk: Chat, say: (answers: readonly ChatLine[]) => void): Promise<void> {
  for await (const line of createInterface({ input: process.stdin, terminal: false }))
    if (line.trim() !== "") say(await interruptible((signal) => talk.ask(line.trim(), signal)));
}

async function conversation(
  talk: Chat,
  screen: Screen,
  remote: Remote,
  say: (answers: readonly ChatLine[]) => void,
): Promise<void> {
  const { time } = await houseOf(remote);
  const { messages, count } = await talk.earlier();
  if (count > messages.length) screen.print(`(${count - messages.length} earlier messages are not shown)`);
  for (const each of messages) screen.print(shownLine(each, time));
  const keys = "Ctrl-C ends an answer; Ctrl-C or Ctrl-D at the prompt leaves.";
  screen.print(shownText(`Times are those of ${time.zone}. ${keys}`));
  const history: string[] = [];
  for (let line = await typed(history); line !== undefined; line = await typed(history)) {
    if (line.trim() === "") continue;
    const text = line.trim();
    await interruptible((signal) => talk.ask(text, signal)).then(say, (error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      screen.print(shownText(error.message));
    });
  }
}

/** The next line, with line editing and the history; undefined once the person leaves. */
function typed(history: string[]): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stdout, history: [...history] });
  return new Promise((resolve) => {
    let line: string | undefined;
    lines.once("close", () => {
      if (line === undefined) process.stdout.write("\n");
      resolve(line);
    });
    lines.on("SIGINT", () => leaveOrClear(lines));
    lines.question(PROMPT, (given) => {
      line = given;
      if (given.trim() !== "") history.unshift(given);
      lines.close();
    });
  });
}

/** Ctrl-C empties a line that was begun, as shells do. */
function leaveOrClear(lines: Interface): void {
  if (lines.line === "") lines.close();
  else for (const name of ["e", "u"]) lines.write(null, { ctrl: true, name });
}

/** Ctrl-C aborts the signal; a second one ends the program. */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const abort = () => (stop.signal.aborted ? process.exit(INTERRUPTED) : stop.abort());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, abort);
  try {
    return await work(stop.signal);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, abort);
  }
}

/** Answers on stdout. What the agent does goes on one line of a terminal, else on lines of stderr. */
class Screen {
  private live = "";

  constructor(
    private readonly out: NodeJS.WriteStream,
    private readonly err: NodeJS.WriteStream,
  ) {}

  print(text: string): void {
    this.show("");
    this.out.write(`${text}\n`);
  }

  get surroundings(): Pick<Surroundings, "show" | "note"> {
    return { show: (doing) => this.show(doing), note: (text) => this.note(text) };
  }

  private note(text: string): void {
    this.show("");
    this.err.write(`${shownText(text)}\n`);
  }

  private show(doing: string): void {
    if (doing === this.live) return;
    if (this.out.isTTY) this.out.write(`${CLEAR_LINE}${[...doing].slice(0, this.out.columns - 1).join("")}`);
    else if (doing !== "") this.err.write(`${doing}\n`);
    this.live = doing;
  }
}
