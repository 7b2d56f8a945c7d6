import { createInterface, type Interface } from "node:readline";
import { CommandError, INTERRUPTED } from "../cli/failure.js";
import { fitting } from "../cli/print.js";

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
}

/** Asks a person, with menus or line by line. Every question rejects with Cancelled if the person leaves. */
export interface Asker {
  say(text: string): void;
  choose<T extends string | number>(question: string, choices: readonly Choice<T>[]): Promise<T>;
  /** `check` returns what is wrong with an answer. An empty answer means `initial`. */
  text(question: string, initial: string, check: (answer: string) => string | undefined): Promise<string>;
  confirm(question: string, initial: boolean): Promise<boolean>;
}

/** The person left before anything was written. */
export class Cancelled extends CommandError {
  constructor() {
    super("cancelled: nothing was changed", INTERRUPTED);
  }
}

/** Plain lines, for a pipe, a screen reader or a simple terminal: a question, then a line with the answer. */
export class LineAsker implements Asker {
  private readonly lines: AsyncIterator<string>;
  private readonly reader: Interface;

  constructor(
    input: NodeJS.ReadableStream,
    private readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number },
  ) {
    this.reader = createInterface({ input, terminal: false });
    this.lines = this.reader[Symbol.asyncIterator]();
  }

  say(words: string): void {
    this.output.write(`${fitting(this.output, words)}\n`);
  }

  async choose<T extends string | number>(question: string, choices: readonly Choice<T>[]): Promise<T> {
    const menu = choices.map(({ label }, at) => `  ${at + 1}  ${label}`);
    this.say([question, ...menu].join("\n"));
    const check = (answer: string) =>
      choices[Number(answer) - 1] ? undefined : `answer 1 to ${choices.length}`;
    const chosen = choices[Number(await this.text("number", "1", check)) - 1];
    if (!chosen) throw new RangeError("no choice");
    return chosen.value;
  }

  async text(
    question: string,
    initial: string,
    check: (answer: string) => string | undefined,
  ): Promise<string> {
    for (;;) {
      this.output.write(`${question}${initial === "" ? "" : ` [${initial}]`}: `);
      const answer = (await this.line()) || initial;
      const problem = check(answer);
      if (problem === undefined) return answer;
      this.say(`  ${problem}`);
    }
  }

  async confirm(question: string, initial: boolean): Promise<boolean> {
    const check = (answer: string) => (/^(y|yes|n|no)$/i.test(answer) ? undefined : "answer yes or no");
    return /^y/i.test(await this.text(question, initial ? "yes" : "no", check));
  }

  close(): void {
    this.reader.close();
  }

  /** Throws Cancelled at the end of the input. */
  private async line(): Promise<string> {
    const { done, value } = await this.lines.next();
    if (done) throw new Cancelled();
    this.output.write("\n");
    return value.trim();
  }
}
