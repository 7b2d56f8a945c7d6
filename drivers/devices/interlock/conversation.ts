import type { Cancel, Clock, SerialLine } from "../../ports.js";
import { millis } from "../../units.js";
import { type Answer, encodeLine, type HostLine, LineReader } from "./protocol.js";

/** How long an answer is waited for before the next line is said (firmware/PROTOCOL.md). */
export const ANSWER_WITHIN = millis(100);

interface Question {
  /** Made when its turn comes, from what is known then; undefined when it is no longer to be said. */
  readonly line: () => HostLine | undefined;
  readonly isAnswer: (answer: Answer, said: HostLine) => boolean;
  readonly settle: (answer: Answer | undefined) => void;
}

/** Stop and wait: one question at a time, in order; what switches off is said past all of them. */
export class Conversation {
  private readonly waiting: Question[] = [];
  private asked: (Question & { readonly said: HostLine }) | undefined;
  private cancelPatience: Cancel = () => undefined;
  private closed = false;

  /** @param heard whatever is answered, whether asked or not, before the question is settled */
  constructor(
    private readonly serial: SerialLine,
    private readonly clock: Clock,
    private readonly heard: (answer: Answer) => void,
  ) {
    const reader = new LineReader((answer) => this.receive(answer));
    serial.onData((bytes) => reader.push(bytes));
  }

  /** Resolves with the answer; with undefined when none came in time, or the line was not to be said any more. */
  ask(line: Question["line"], isAnswer: Question["isAnswer"]): Promise<Answer | undefined> {
    return new Promise((settle) => {
      this.waiting.push({ line, isAnswer, settle });
      if (!this.asked) this.next();
    });
  }

  /** Says it at once, whatever is being waited for. */
  say(line: HostLine): void {
    if (!this.closed) this.serial.write(Buffer.from(encodeLine(line), "latin1"));
  }

  /** Nothing is said any more; whoever waits is told that no answer came. */
  close(): void {
    this.closed = true;
    this.settle(undefined);
  }

  private next(): void {
    const question = this.waiting.shift();
    if (!question) return;
    const said = this.closed ? undefined : question.line();
    if (!said) {
      question.settle(undefined);
      this.next();
      return;
    }
    this.asked = { ...question, said };
    this.cancelPatience = this.clock.after(ANSWER_WITHIN, () => this.lookOnceMore());
    this.say(said);
  }

  /** After a stall of this process the timer is run before what came in meanwhile is read. */
  private lookOnceMore(): void {
    this.cancelPatience = this.clock.after(millis(0), () => this.settle(undefined));
  }

  private receive(answer: Answer): void {
    this.heard(answer);
    if (this.asked?.isAnswer(answer, this.asked.said)) this.settle(answer);
  }

  private settle(answer: Answer | undefined): void {
    this.cancelPatience();
    const { asked } = this;
    this.asked = undefined;
    asked?.settle(answer);
    this.next();
  }
}
