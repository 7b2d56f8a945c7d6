import { randomUUID } from "node:crypto";
import { z } from "zod";
import { hours, seconds } from "../../../drivers/units.js";
import { errorTable, later, TendrilError } from "../../errors.js";
import { isoUtc } from "../../tools/iso-time.js";
import { type Tainted, taintOf } from "../../tools/taint.js";
import { type Call, changes, defineTool } from "../../tools/tool.js";
import {
  mailAddress,
  mailBody,
  mailSubject,
  type SendAnswer,
  type SendArguments,
  sameAddress,
  sendAnswer,
} from "../../wire/mail.js";
import type { JobKind } from "../bridge/job.js";
import { type Jobs, jobs, type RunJob } from "../bridge/jobs.js";
import { HOUSEHOLD, type Household, household } from "../household/household.js";
import { defineModule, definePart, type House, personalIn } from "../module.js";

const mailConfig = {
  mail: z
    .strictObject({
      allow: z
        .array(mailAddress)
        .max(100)
        .default([])
        .describe("addresses beside those of people to which an agent may write without asking"),
      per_day: z
        .int()
        .min(1)
        .max(200)
        .default(20)
        .describe("mails by sendEmail in any 24 hours; more are refused"),
    })
    .nullable()
    .default(null)
    .describe("mails by agents, sent by the bridge (docs/mail.md)"),
};
type MailConfig = NonNullable<z.output<typeof mailConfig.mail>>;

/** For how long a mail counts against `per_day`. */
const MAIL_WINDOW = hours(24);

const MAIL_ERRORS = errorTable({
  MAIL_LIMIT: later(
    "put what is left to say into one later mail, or write to the person by another way",
    "nothing",
  ),
});

/** Hands a mail to the bridge. A mail cannot be taken back, so it is claimed before it is sent. */
const SEND: JobKind<SendAnswer> = {
  adapter: "mail",
  what: "send",
  effects: true,
  within: seconds(60),
  most: 2000,
  answer: sendAnswer,
};

type MailState = "claimed" | "accepted" | "failed" | "unknown";

interface WrittenMail extends Tainted {
  /** A UUID: the first part of its Message-ID. */
  readonly mail: string;
  readonly to: string;
  readonly subject: string;
  readonly body: string;
  /** The token's name. */
  readonly by: string;
  /** Whose turn or token it was, or "household". */
  readonly owner: string;
}

/** A line of journal/mail.jsonl: a mail, or what became of it. Real time: mail does not run faster on a bench. */
type MailEntry = { readonly timestamp: string } & (
  | WrittenMail
  | { readonly of: number; readonly state: Exclude<MailState, "claimed">; readonly server?: string }
  // what an erasure has left of any of these
  | { readonly erased: true }
);

interface MailRecord extends WrittenMail {
  readonly timestamp: string;
  /** "claimed" after a crash: nobody knows whether it was sent. */
  readonly state: MailState;
  readonly server?: string;
}

/** A mail whose lines were erased still counts against the limit. */
const ERASED = {
  mail: "",
  to: "",
  subject: "",
  body: "",
  by: "",
  owner: HOUSEHOLD,
  state: "unknown",
} as const;

const MAIL_LOG = {
  name: "mail",
  erasable: true,
  fold: (previous: MailRecord | undefined, entry: MailEntry): MailRecord => {
    if ("erased" in entry) return { ...ERASED, timestamp: previous?.timestamp ?? entry.timestamp };
    if (!("of" in entry)) return { ...entry, state: "claimed" };
    if (!previous) throw new Error(`mail.jsonl: mail ${entry.of} ended before it was claimed`);
    const { state, server } = entry;
    return { ...previous, state, ...(server !== undefined && { server }) };
  },
};

const mailToSend = z.strictObject({
  to: mailAddress.describe("one address, such as anna@example.org"),
  subject: mailSubject,
  body: mailBody.describe("plain text"),
});

interface MailParts {
  readonly house: House;
  readonly jobs: Jobs;
  readonly household: Household;
}

/** Mails by agents. Who may be written to unasked, how many a day, and the record of all of them. */
class Mail {
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
    const newest = await parts.house.journal(MAIL_LOG).newestFirst(config.per_day, 0);
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
  async send(letter: z.output<typeof mailToSend>, call: Call): Promise<SendAnswer> {
    this.assertPossible();
    const { house, household } = this.parts;
    const [at, id] = [house.realClock.now(), randomUUID()];
    // counted at once, so that two at the same time are two
    this.sent.push(at);
    try {
      const owner = household.ownerOf(call, undefined);
      const by = { by: call.identity.name, owner, ...taintOf(call) };
      const { id: number } = await house
        .journal(MAIL_LOG)
        .append({ timestamp: isoUtc(at), mail: id, ...letter, ...by });
      const mail = { id, to: letter.to, subject: letter.subject, text: letter.body };
      return await this.handOver(number, mail, call);
    } catch (error) {
      if (error instanceof TendrilError && error.kind.changed === "nothing") this.uncount(at);
      throw error;
    }
  }

  private async handOver(number: number, mail: SendArguments, call: Call): Promise<SendAnswer> {
    try {
      // no address and no word of it: the jobs' journal has nothing of persons
      const answer = await this.run({ ...mail }, `send mail ${number} of journal/mail.jsonl`, call);
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
    const { house } = this.parts;
    const entry = { timestamp: isoUtc(house.realClock.now()), of, ...end };
    await house.journal(MAIL_LOG).append(entry).catch(house.complain);
  }

  private uncount(at: number): void {
    const index = this.sent.indexOf(at);
    if (index >= 0) this.sent.splice(index, 1);
  }

  /** A mail that a clock has dated ahead counts too: rather too few than too many. */
  private assertWithinLimit(): void {
    const { per_day } = this.config;
    const since = this.parts.house.realClock.now() - MAIL_WINDOW;
    this.sent = this.sent.filter((at) => at > since).slice(-per_day);
    const [oldest] = this.sent;
    if (oldest === undefined || this.sent.length < per_day) return;
    const retryAfter = Math.ceil((oldest - since) / 1000);
    const what = `${per_day} mails were sent in the last 24 hours, and mail.per_day allows no more`;
    throw new TendrilError(MAIL_ERRORS.MAIL_LIMIT, what, { retryAfter });
  }
}

const mail = definePart("mail", async (house) => {
  const config = house.config(mailConfig).mail;
  if (!config) throw new Error("the module mail is open without its configuration");
  const parts = { house, jobs: await house.use(jobs), household: await house.use(household) };
  return Mail.open(parts, config);
});

const sendEmail = defineTool({
  name: "sendEmail",
  service: mail,
  description:
    "Send an email of plain text. To anybody but the people of the house and allowed addresses it waits for a person's yes.",
  facts: changes("Send an email", { destroys: true, repeatable: false, speaks: true, world: "open" }),
  role: "agent",
  confirmation: {
    isNeeded: ({ to }, { service }) => !service.isKnown(to),
    check: (_, { service }) => service.assertPossible(),
  },
  input: mailToSend,
  output: z.object({
    message: z.string(),
    accepted: z.literal(true).describe("the server has taken it; that it arrives is not known"),
    message_id: sendAnswer.shape.message_id,
    server: sendAnswer.shape.server,
  }),
  run: async (letter, { service, call }) => {
    const { message_id, server } = await service.send(letter, call);
    const message = `The mail to ${letter.to} was accepted by ${server}.`;
    return { message, accepted: true as const, message_id, server };
  },
});

/** Mails by agents. It is on if the configuration has `mail:`. */
export const mailModule = defineModule({
  name: "mail",
  canBeOff: true,
  config: mailConfig,
  isNeeded: ({ mail: config }) => config !== null,
  needsBridge: () => true,
  toolset: "mail",
  // a mail that was sent counts against the limit
  journals: [{ definition: MAIL_LOG, atRestore: "stays" }],
  errors: MAIL_ERRORS,
  parts: [mail],
  tools: [sendEmail],
  person: {
    // what a person's turn or token has sent, and what went to a person of the house
    find: personalIn(MAIL_LOG, ({ owner, to, mail }, house) => ({
      owners: [owner, house.get(household).personOfAddress(to) ?? owner],
      names: [mail],
    })),
  },
});
