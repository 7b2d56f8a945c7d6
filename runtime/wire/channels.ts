import { z } from "zod";
import { hours, type Millis } from "../../drivers/units.js";
import { channelState, jobFailureCode, LONGEST_FAILURE } from "./bridge.js";
import { severity } from "./notifications.js";

/**
 * Channels: the ways to people outside of the house, such as Telegram. The runtime says what is sent to whom and what an
 * answer counts for; the bridge carries it (docs/bridge.md). A channel is called like its adapter.
 */

/** Names a person on a channel: Telegram's id of the user, a mail address. */
export const accountName = z.string().min(1).max(200);

/** A button beneath a letter. `data` stands for one answer to one letter, and means nothing to anybody else. */
const button = z.object({ label: z.string(), data: z.string() });

/** Bytes of the data of a button: Telegram takes no more. */
export const LONGEST_BUTTON_DATA = 64;

/** Arguments of the job `deliver`. An adapter that gets the same `letter` twice sends it once. */
export const letterToSend = z.object({
  letter: z.string(),
  to: accountName,
  title: z.string().describe("one line; empty for an answer in a chat"),
  text: z.string().describe("never empty; an agent's can have 50,000 characters"),
  severity,
  buttons: z.array(button),
  photo: z.string().optional().describe("JPEG, base64; the text is its caption"),
  pictures: z
    .array(z.object({ caption: z.string(), jpeg: z.string() }))
    .optional()
    .describe("JPEGs in base64 that go with the text, where the channel can show them"),
  charts: z
    .array(z.object({ caption: z.string(), png: z.string() }))
    .optional()
    .describe("PNGs in base64, as `pictures`"),
});
export type LetterToSend = z.output<typeof letterToSend>;

/** `ref` names the message there, for `revise`; null where a message cannot be changed. */
export const sentLetter = z.object({ ref: z.string().max(200).nullable() });
export type SentLetter = z.output<typeof sentLetter>;

/** Arguments of the job `revise`: the message as it shall read now, without buttons. `ring`: the person has to notice it. */
export const revision = z.object({ to: accountName, ref: z.string(), text: z.string(), ring: z.boolean() });
export type Revision = z.output<typeof revision>;

export const revised = z.object({ revised: z.literal(true) });

/** What adapters tell of themselves. A report is due every minute: a channel that is silent counts as down. */
export const channelReport = z.enum(["ok", "down"]);

/** What keeps letters from one account alone. */
export const accountTrouble = z.strictObject({
  account: accountName,
  code: jobFailureCode,
  message: z.string().min(1).max(LONGEST_FAILURE),
});
export type AccountTrouble = z.output<typeof accountTrouble>;

const account = z.object({
  account: z.string(),
  user_id: z.string(),
  name: z.string().nullable(),
  since: z.string(),
});

export const channelList = z.object({
  channels: z.array(
    channelState.extend({
      pairs: z.boolean().describe("accounts are paired by a code; else the configuration names them"),
      may_approve: z.array(z.string()),
      accounts: z.array(account),
    }),
  ),
});
export type ChannelList = z.output<typeof channelList>;

export const openedChannelCode = z.object({
  channel: z.string(),
  user_id: z.string(),
  code: z.string(),
  expires_in_s: z.int(),
});
export type OpenedChannelCode = z.output<typeof openedChannelCode>;

export const removedAccount = z.object({ removed: z.literal(true), user_id: z.string() });
export type RemovedAccount = z.output<typeof removedAccount>;

export const channelTest = z.object({
  channel: z.string(),
  letters: z.array(
    z.object({
      account: z.string(),
      user_id: z.string(),
      delivered: z.boolean(),
      code: z.string().nullable(),
      message: z.string().nullable(),
    }),
  ),
});
export type ChannelTest = z.output<typeof channelTest>;

export const pairedAccounts = z.object({ accounts: z.array(z.string()) });
export const pairedAccount = z.object({ user_id: z.string(), name: z.string().nullable() });
/** Files of one message. A choice: an album of Telegram has ten at most. */
export const MAX_FILES = 10;

/** What the adapter says at once to what a person wrote; null: nothing, an answer comes later. */
export const received = z.object({ reply: z.string().nullable() });
export const pressed = z.object({
  accepted: z.boolean(),
  text: z.string().describe("what became of it, for the person who pressed"),
});
export const notedReport = z.object({ timestamp: z.string() });

/** Choices: a person who mistypes is not shut out; who guesses is, and only that account. */
const MAX_MISSES = 5;
const SHUT_OUT: Millis = hours(1);
/** Accounts whose misses are counted. A choice: some kilobytes. */
const MAX_COUNTED = 1000;

/** Wrong codes of strangers on a channel, by account. Times are of a monotonic clock. */
export class Misses {
  private readonly counts = new Map<string, { readonly count: number; readonly at: Millis }>();

  /** How long the account is shut out from now on; 0: it may try. */
  wait(account: string, now: Millis): number {
    const { count = 0, at = now } = this.counts.get(account) ?? {};
    if (count < MAX_MISSES) return 0;
    const wait = Math.max(0, at + SHUT_OUT - now);
    if (wait === 0) this.counts.delete(account);
    return wait;
  }

  add(account: string, now: Millis): void {
    const count = (this.counts.get(account)?.count ?? 0) + 1;
    this.counts.delete(account); // the newest is the last
    this.counts.set(account, { count, at: now });
    const [oldest] = this.counts.keys();
    if (this.counts.size > MAX_COUNTED && oldest !== undefined) this.counts.delete(oldest);
  }

  forget(account: string): void {
    this.counts.delete(account);
  }
}
