import type { Cancel, Clock, SerialLine } from "../../ports.js";
import { millis } from "../../units.js";
import { type Answer, encodeLine, type HostLine, LineReader } from "./protocol.js";

/** How long an answer is waited for before the next line is sent (firmware/PROTOCOL.md). */
const ANSWER_WITHIN = millis(100);

interface Question {
  /** Made when its turn comes, from what is known then; undefined when it is no longer to be sent. */
  readonly line: () => HostLine | undefined;
  readonly isAnswer: (answer: Answer, sent: HostLine) => boolean;
  readonly settle: (answer: Answer | undefined) => void;
}

/** Stop and wait: one question at a time, in order; what switches off is sent past all of them. */
export class RequestQueue {
  private readonly waiting: Question[] = [];
  private current: (Question & { readonly sent: HostLine }) | undefined;
  private cancelTimeout: Cancel = () => undefined;
  private closed = false;

  /** @param onAnswer each answer, asked for or not, before the question is settled */
  constructor(
    private readonly serial: SerialLine,
    private readonly clock: Clock,
    private readonly onAnswer: (answer: Answer) => void,
  ) {
    const reader = new LineReader((answer) => this.receive(answer));
    serial.onData((bytes) => reader.push(bytes));
  }

  /** Resolves with the answer; with undefined when none came in time, or the line was not to be sent any more. */
  ask(line: Question["line"], isAnswer: Question["isAnswer"]): Promise<Answer | undefined> {
    return new Promise((settle) => {
      this.waiting.push({ line, isAnswer, settle });
      if (!this.current) this.next();
    });
  }

  /** Sends it at once, past the queue. */
  send(line: HostLine): void {
    if (!this.closed) this.serial.write(Buffer.from(encodeLine(line), "latin1"));
  }

  /** Nothing is sent any more; each waiting question resolves without an answer. */
  close(): void {
    this.closed = true;
    this.settle(undefined);
  }

  private next(): void {
    const question = this.waiting.shift();
    if (!question) return;
    const sent = this.closed ? undefined : question.line();
    if (!sent) {
      question.settle(undefined);
      this.next();
      return;
    }
    this.current = { ...question, sent };
    this.cancelTimeout = this.clock.after(ANSWER_WITHIN, () => this.lookOnceMore());
    this.send(sent);
  }

  /** After a stall of this process the timer is run before what came in meanwhile is read. */
  private lookOnceMore(): void {
    this.cancelTimeout = this.clock.after(millis(0), () => this.settle(undefined));
  }

  private receive(answer: Answer): void {
    this.onAnswer(answer);
    if (this.current?.isAnswer(answer, this.current.sent)) this.settle(answer);
  }

  private settle(answer: Answer | undefined): void {
    this.cancelTimeout();
    const { current } = this;
    this.current = undefined;
    current?.settle(answer);
    this.next();
  }
}
