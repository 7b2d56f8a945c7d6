import { z } from "zod";
import { hours, seconds } from "../../../drivers/units.js";
import { errorTable } from "../../errors.js";
import type { Tainted } from "../../tools/taint.js";
import { mailAddress, type SendAnswer, sendAnswer } from "../../wire/mail.js";
import type { JobKind } from "../bridge/job.js";
import { HOUSEHOLD } from "../household/household.js";

export const mailConfig = {
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
export type MailConfig = NonNullable<z.output<typeof mailConfig.mail>>;

/** For how long a mail counts against `per_day`. */
export const MAIL_WINDOW = hours(24);

export const MAIL_ERRORS = errorTable({
  MAIL_LIMIT: {
    retryable: true,
    changed: "nothing",
    fix: "put what is left to say into one later mail, or write to the person by another way",
  },
});

/** Hands a mail to the bridge. A mail cannot be taken back, so it is claimed before it is sent. */
export const SEND: JobKind<SendAnswer> = {
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
export type MailEntry = { readonly timestamp: string } & (
  | WrittenMail
  | { readonly of: number; readonly state: Exclude<MailState, "claimed">; readonly server?: string }
  // what an erasure has left of any of these
  | { readonly erased: true }
);

export interface MailRecord extends WrittenMail {
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

export const MAIL_LOG = {
  name: "mail",
  erasable: true,
  recordId: (entry: MailEntry) => ("of" in entry ? entry.of : undefined),
  fold: (previous: MailRecord | undefined, entry: MailEntry): MailRecord => {
    if ("erased" in entry) return { ...ERASED, timestamp: previous?.timestamp ?? entry.timestamp };
    if (!("of" in entry)) return { ...entry, state: "claimed" };
    if (!previous) throw new Error(`mail.jsonl: mail ${entry.of} ended before it was claimed`);
    const { state, server } = entry;
    return { ...previous, state, ...(server !== undefined && { server }) };
  },
};
