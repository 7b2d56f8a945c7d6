import { type Answer, decodeAnswer, LONGEST_LINE } from "./line-codec.js";

/** Bytes in, as they come; whole answers out. Whatever is no answer is dropped. */
export class LineReader {
  /** What has come since the last `:`; undefined while none has, or the line is longer than any may be. */
  private line: string | undefined;

  constructor(private readonly onAnswer: (answer: Answer) => void) {}

  push(bytes: Uint8Array): void {
    for (const character of Buffer.from(bytes).toString("latin1")) this.take(character);
  }

  private take(character: string): void {
    if (character === ":") this.line = "";
    else if (character === "\n") this.end();
    else if (this.line !== undefined) this.add(character);
  }

  private add(character: string): void {
    const line = this.line + character;
    this.line = line.length < LONGEST_LINE ? line : undefined;
  }

  private end(): void {
    const answer = this.line === undefined ? undefined : decodeAnswer(this.line.replace(/\r$/, ""));
    this.line = undefined;
    if (answer) this.onAnswer(answer);
  }
}
