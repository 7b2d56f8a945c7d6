import type { CallbackQuery, Message, User } from "grammy/types";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { Misses, pairedAccount, pairedAccounts } from "../../wire/channels.js";
import type { JobResult } from "../adapter.js";
import { isUnwanted } from "../channel-reports.js";
import { Refused } from "../link.js";
import { type ChannelParts, callUntilTaken, complain, isForwarded, say, textOf } from "./bot-api.js";

export const CHANNEL = "telegram";

/** How the runtime is told whose account it is. */
export const at = ({ id }: User) => ({ channel: CHANNEL, account: String(id) });

/** The runtime is asked for the accounts at most so often for a stranger. A choice. */
const ACCOUNTS_EVERY = seconds(10);
/** How often it is looked whether the runtime has said what it asks for. A choice. */
const CONNECTED_EVERY = millis(200);

export class PairedAccounts {
  private known = new Set<string>();
  private askedAt: Millis | undefined;
  private asking: Promise<void> | undefined;

  constructor(private readonly parts: ChannelParts) {}

  /** Resolves when the accounts are known: before that everybody is a stranger. Rejects when the bridge stops. */
  async ready(): Promise<void> {
    const { context } = this.parts;
    const { clock, signal, say } = context;
    for (;;) {
      const isConnected = context.isAsked(CHANNEL, "deliver") !== undefined;
      try {
        if (isConnected && !isUnwanted(CHANNEL, context)) return await this.ask();
      } catch (error) {
        if (!signal.aborted) say(`telegram: whose accounts are paired is not known: ${error}`);
      }
      await clock.sleep(isConnected ? ACCOUNTS_EVERY : CONNECTED_EVERY, signal);
    }
  }

  has(account: string): boolean {
    return this.known.has(account);
  }

  /** Asks the runtime about an unknown account, now and then. */
  async find(account: string): Promise<boolean> {
    const { clock } = this.parts.context;
    const isDue = this.askedAt === undefined || clock.monotonic() - this.askedAt >= ACCOUNTS_EVERY;
    if (!this.has(account) && (isDue || this.asking)) await this.ask();
    return this.has(account);
  }

  add(account: string): void {
    this.known.add(account);
  }

  /** The runtime does not know it any more. */
  drop(account: string): void {
    this.known.delete(account);
  }

  private ask(): Promise<void> {
    this.asking ??= this.read().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async read(): Promise<void> {
    const answer = await callUntilTaken(this.parts, "list_accounts", { channel: CHANNEL });
    this.askedAt = this.parts.context.clock.monotonic();
    this.known = new Set(pairedAccounts.parse(answer).accounts);
  }
}

/** Between two guesses of whomever. A choice: the runtime takes 50 calls a second, and people need them. */
const PACE: Millis = millis(100);

/** The one thing that strangers can do: send a code. One after the other, and nobody else waits for them. */
export class Strangers {
  /** As the runtime counts: what it would refuse is not even asked. */
  private readonly misses = new Misses();
  private readonly trying = new Map<string, Promise<void>>();
  private readonly noticing = new Set<string>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly parts: ChannelParts,
    private readonly paired: PairedAccounts,
  ) {}

  /** The code of this account that is being tried. */
  tryingOf({ id }: User): Promise<void> | undefined {
    return this.trying.get(String(id));
  }

  private isShutOut({ id }: User): boolean {
    return this.misses.wait(String(id), this.parts.context.clock.monotonic()) > 0;
  }

  /** Never rejects. */
  wrote(from: User, message: Message): void {
    const [, code] = /^\/start\s+(\S.*)$/.exec((textOf(message) ?? "").trim()) ?? [];
    if (code === undefined || this.isShutOut(from)) return;
    if (isForwarded(message)) this.miss(from, "A forwarded code does not count. Write it yourself.");
    else this.queue(from, code);
  }

  private queue(from: User, code: string): void {
    const { clock, signal } = this.parts.context;
    const account = String(from.id);
    const work = this.last
      .then(() => this.tryCode(from, code))
      .catch((error: unknown) => complain(this.parts.context, error))
      .then(() => void this.trying.delete(account));
    this.trying.set(account, work);
    this.last = work.then(() => clock.sleep(PACE, signal)).catch(() => undefined);
  }

  /** An old button of somebody who was paired once. Never rejects. */
  async pressed({ id, from, message }: CallbackQuery): Promise<void> {
    const account = String(from.id);
    if (this.noticing.has(account)) return;
    this.noticing.add(account);
    const { api } = this.parts.bot;
    await api.answerCallbackQuery(id, { text: "This does not count here." }).catch(() => undefined);
    if (message) await api.editMessageReplyMarkup(message.chat.id, message.message_id).catch(() => undefined);
    this.noticing.delete(account);
  }

  private async tryCode(from: User, code: string): Promise<void> {
    const name = from.username === undefined ? from.first_name : `@${from.username}`;
    const account = String(from.id);
    const wish = { channel: CHANNEL, account, code: code.slice(0, 64), name };
    let answer: JobResult;
    try {
      answer = await this.parts.context.call("pair_account", wish);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const isGuess = error.code !== "RATE_LIMITED";
      return this.miss(from, isGuess ? "This code does not work. Make a new one." : undefined);
    }
    const { user_id } = pairedAccount.parse(answer);
    this.paired.add(account);
    this.misses.forget(account);
    void say(this.parts, from.id, `Paired: from now on you are ${user_id} here. Send /help`);
  }

  private miss(from: User, text: string | undefined): void {
    this.misses.add(String(from.id), this.parts.context.clock.monotonic());
    if (text !== undefined) void say(this.parts, from.id, text);
  }
}
