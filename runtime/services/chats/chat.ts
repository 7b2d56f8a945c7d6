import type { OpenTurn } from "../turns/open-turn.js";
import type { ChatRecord, MessageRecord } from "./chat-log.js";

/** A message of the person that waits for an answer. */
interface Waiting {
  readonly number: number;
  readonly message_id: string;
  readonly timestamp: string;
}

/** A choice: of so many messages in a row without an answer the newest are counted. */
export const MAX_WAITING = 1000;

/** A chat in memory: whose it is, what waits for an answer, and its newest turn. The messages are on the disk. */
export class Chat {
  /** The number of the newest message. */
  count = 0;
  /** The oldest first. */
  waiting: readonly Waiting[] = [];
  /** Turns that ended without an answer to the newest message. */
  failed: number;
  settled: number;
  /** The newest turn. Its calls are known as long as the runtime lives. */
  turn: (NonNullable<ChatRecord["turn"]> & Partial<Pick<OpenTurn, "calls">>) | null;
  private changes = 0;

  constructor(
    readonly record: number,
    readonly id: string,
    readonly person: string,
    { turn, failed, settled }: Pick<ChatRecord, "turn" | "failed" | "settled">,
  ) {
    this.turn = turn;
    this.failed = failed;
    this.settled = settled;
  }

  /** `boot` names this run of the runtime. */
  version(boot: string): string {
    return `${boot}.${this.changes}`;
  }

  noteChange(): void {
    this.changes += 1;
  }

  /** Takes in a message that is on the disk, in order. */
  keep({ number, message, timestamp, from, answers }: MessageRecord): void {
    this.count = Math.max(this.count, number);
    if (from === "person")
      this.waiting = [...this.waiting, { number, message_id: message, timestamp }].slice(-MAX_WAITING);
    if (answers !== undefined) this.settle(answers);
  }

  /** Messages up to this number wait no more. */
  settle(number: number): void {
    this.settled = Math.max(this.settled, number);
    this.waiting = this.waiting.filter((each) => each.number > this.settled);
  }
}
