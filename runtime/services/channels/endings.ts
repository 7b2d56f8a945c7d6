import { minutes } from "../../../drivers/units.js";
import type { Stored } from "../../store/records.js";
import type { Revision } from "../../wire/channels.js";
import { APPROVAL_LOG, type ApprovalRecord } from "../approvals/declarations.js";
import { RESTARTED } from "../approvals/requests.js";
import type { RunJob } from "../bridge/jobs.js";
import { MESSAGE_LOG, type MessageRecord } from "../people/message-log.js";
import { reviseOn } from "./declarations.js";
import type { ChannelParts } from "./delivery.js";
import type { Letter } from "./letters.js";
import { approvalOutcome, letterWords, overWords, type Reader } from "./words.js";

interface Ending {
  readonly outcome: string;
  /** The person has to notice it. */
  readonly ring: boolean;
}

/** A letter that cannot be changed (it was deleted there) is left after so many times. A choice. */
const MAX_TRIES = 5;
const AGAIN_AFTER = minutes(1);

/**
 * Tells each letter how it ended: its message is changed to say so, and loses its buttons. So no old question looks open,
 * wherever it was answered.
 */
export class Endings {
  private readonly jobs = new Map<string, RunJob<unknown>>();
  /** Requests by the number in their own journal: the message that asked. */
  private readonly requests = new Map<number, number>();
  /** What a person answered on a channel, where the record of the news does not say it. */
  private readonly answers = new Map<number, string>();
  private readonly tries = new Map<number, number>();
  private telling: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly parts: ChannelParts,
    private readonly reader: (person: string) => Reader,
  ) {
    for (const { name } of parts.plans) this.jobs.set(name, parts.jobs.open(reviseOn(name)));
  }

  /** What ended while this runtime was off, too. */
  async start(): Promise<void> {
    for (const { message } of this.parts.letters.open()) {
      const record = await this.messages.get(message);
      if (record) this.know(message, record);
    }
    this.tellAll();
  }

  private get messages() {
    return this.parts.house.journal(MESSAGE_LOG);
  }

  close(): void {
    this.closed = true;
  }

  messageChanged({ id, record }: Stored<MessageRecord>): void {
    this.know(id, record);
    if (record.over_at !== undefined) this.tell(id);
  }

  /** A request has been answered, or is over. */
  requestChanged({ id }: Stored<ApprovalRecord>): void {
    const message = this.requests.get(id);
    if (message !== undefined) this.tell(message);
  }

  /** Once more for all letters that are open: when a bridge comes, or a channel works again. */
  tellAll(): void {
    for (const message of new Set(this.parts.letters.open().map((letter) => letter.message)))
      this.tell(message);
  }

  /** How it ended, for the letters of this message. */
  noteAnswer(message: number, outcome: string): void {
    this.answers.set(message, outcome);
  }

  /** The news of this message may be over. */
  tell(message: number): void {
    this.telling = this.telling.then(() => this.toldOf(message)).catch(this.parts.house.complain);
  }

  private know(id: number, { notification }: MessageRecord): void {
    if (notification?.kind === "approval_requested") this.requests.set(notification.data.id, id);
  }

  private async toldOf(message: number): Promise<void> {
    const letters = this.parts.letters.of(message);
    const record = letters.length > 0 && !this.closed ? await this.messages.get(message) : undefined;
    if (!record || !this.parts.jobs.isConnected) return;
    for (const letter of letters) {
      const ending = await this.endingOf(letter, record);
      if (ending && ending.outcome !== letter.outcome) await this.revise(letter, record, ending);
    }
  }

  private async endingOf({ person, message }: Letter, record: MessageRecord): Promise<Ending | undefined> {
    const { notification, over_at } = record;
    if (notification?.kind !== "approval_requested")
      return over_at === undefined
        ? undefined
        : { outcome: this.answers.get(message) ?? overWords(notification?.kind), ring: false };
    const request = await this.parts.house.journal(APPROVAL_LOG).get(notification.data.id);
    const outcome = request && approvalOutcome(request, this.reader(person));
    return outcome === undefined ? undefined : { outcome, ring: request?.reason === RESTARTED };
  }

  private async revise(letter: Letter, record: MessageRecord, { outcome, ring }: Ending): Promise<void> {
    const { letters, house } = this.parts;
    const { channel, account, ref, person, id } = letter;
    const job = this.jobs.get(channel);
    if (ref === null || !job) return letters.noteOutcome(letter, outcome);
    const { text } = letterWords(record, this.reader(person), letter.digest !== undefined);
    const args: Revision = { to: account, ref, text: `${text}\n\n${outcome}`, ring };
    try {
      await job(args, `say on ${channel} how a letter ended`);
    } catch {
      const tries = (this.tries.get(id) ?? 0) + 1;
      this.tries.set(id, tries);
      if (tries < MAX_TRIES) return void house.realClock.after(AGAIN_AFTER, () => this.tell(letter.message));
    }
    this.tries.delete(id);
    await letters.noteOutcome(letter, outcome);
  }
}
