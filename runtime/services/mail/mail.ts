import { randomUUID } from "node:crypto";
import type { Clock } from "../../../drivers/ports.js";
import { TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { isoUtc } from "../../tools/iso-time.js";
import { taintOf } from "../../tools/taint.js";
import type { Call } from "../../tools/tool.js";
import { type SendAnswer, type SendArguments, sameAddress } from "../../wire/mail.js";
import { type Jobs, jobs, type RunJob } from "../bridge/jobs.js";
import { type Household, household } from "../household/household.js";
import { definePart } from "../module.js";
import {
  MAIL_ERRORS,
  MAIL_LOG,
  MAIL_WINDOW,
  type MailConfig,
  type MailEntry,
  type MailRecord,
  mailConfig,
  SEND,
} from "./declarations.js";

interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

interface MailParts {
  readonly jobs: Jobs;
  readonly household: Household;
  readonly log: RecordLog<MailEntry, MailRecord>;
  /** Real time: for the limit of a day. */
  readonly clock: Clock;
  /** Logs an error if nobody waits for the result. */
  readonly complain: (error: unknown) => void;
}

/** Mails by agents. Who may be written to unasked, how many a day, and the record of all of them. */
export class Mail {
  private readonly run: RunJob<SendAnswer>;
  /** When those mails were claimed that count against the limit, epoch milliseconds, oldest first. */
  private sent: number[];

  private constructor(
    private readonly parts: MailParts,
    private readonly config: MailConfig,
    sent: readonly number[],
  ) {
    this.run = parts.jobs.open(SEND);
    this.sent = [...sent];
  }

  static async open(parts: MailParts, config: MailConfig): Promise<Mail> {
    const newest = await parts.log.newestFirst(config.per_day, 0);
    const counting = newest.filter(({ record }) => record.state !== "failed");
    const sent = counting.map(({ record }) => Date.parse(record.timestamp)).reverse();
    return new Mail(parts, config, sent);
  }

  /** Whether an agent may write to it without asking: a person of the house, or one that the owner allows. */
  isKnown(address: string): boolean {
    const isAllowed = this.config.allow.some((each) => sameAddress(each, address));
    return isAllowed || this.parts.household.personOfAddress(address) !== undefined;
  }

  /** Throws MAIL_LIMIT, BRIDGE_AWAY. */
  assertPossible(): void {
    this.assertWithinLimit();
    this.parts.jobs.assertConnected(SEND);
  }

  /**
   * Resolves when a server has taken the mail. It is on the disk before the bridge gets it. Throws MAIL_LIMIT,
   * STORE_FAILED, and what a job throws; JOB_UNKNOWN: it may have been sent.
   */
  async send(letter: Letter, call: Call): Promise<SendAnswer> {
    this.assertPossible();
    const { clock, household, log } = this.parts;
    const [at, id] = [clock.now(), randomUUID()];
    // counted at once, so that two at the same time are two
    this.sent.push(at);
    try {
      const owner = household.ownerOf(call, undefined);
      const by = { by: call.identity.name, owner, ...taintOf(call) };
      const { id: number } = await log.append({ timestamp: isoUtc(at), mail: id, ...letter, ...by });
      return await this.handOver(number, { id, to: letter.to, subject: letter.subject, text: letter.body });
    } catch (error) {
      if (error instanceof TendrilError && error.kind.changed === "nothing") this.uncount(at);
      throw error;
    }
  }

  private async handOver(number: number, mail: SendArguments): Promise<SendAnswer> {
    try {
      // no address and no word of it: the jobs' journal has nothing of persons
      const answer = await this.run({ ...mail }, `send mail ${number} of journal/mail.jsonl`);
      await this.note(number, { state: "accepted", server: answer.server });
      return answer;
    } catch (error) {
      const isFailed = error instanceof TendrilError && error.kind.changed === "nothing";
      await this.note(number, { state: isFailed ? "failed" : "unknown" });
      throw error;
    }
  }

  /** A line that cannot be written leaves the mail claimed: nobody knows what became of it. */
  private async note(
    of: number,
    end: Pick<MailRecord, "server"> & { state: "accepted" | "failed" | "unknown" },
  ) {
    const { log, clock, complain } = this.parts;
    await log.append({ timestamp: isoUtc(clock.now()), of, ...end }).catch(complain);
  }

  private uncount(at: number): void {
    const index = this.sent.indexOf(at);
    if (index >= 0) this.sent.splice(index, 1);
  }

  /** A mail that a clock has dated ahead counts too: rather too few than too many. */
  private assertWithinLimit(): void {
    const { per_day } = this.config;
    const since = this.parts.clock.now() - MAIL_WINDOW;
    this.sent = this.sent.filter((at) => at > since).slice(-per_day);
    const [oldest] = this.sent;
    if (oldest === undefined || this.sent.length < per_day) return;
    const retryAfter = Math.ceil((oldest - since) / 1000);
    const what = `${per_day} mails were sent in the last 24 hours, and mail.per_day allows no more`;
    throw new TendrilError(MAIL_ERRORS.MAIL_LIMIT, what, { retryAfter });
  }
}

export const mail = definePart("mail", async (house) => {
  const config = house.config(mailConfig).mail;
  if (!config) throw new Error("the module mail is open without its configuration");
  return Mail.open(
    {
      jobs: await house.use(jobs),
      household: await house.use(household),
      log: house.journal(MAIL_LOG),
      clock: house.realClock,
      complain: house.complain,
    },
    config,
  );
});
