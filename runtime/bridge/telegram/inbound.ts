import type { CallbackQuery, Message, Update, User } from "grammy/types";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { exponentialBackoff } from "../../wire/backoff.js";
import { pairedAccount, pairedAccounts, pressed, received } from "../../wire/channels.js";
import type { BridgeContext, JobResult } from "../adapter.js";
import { LinkDown, Refused } from "../link.js";
import type { Bot } from "./bot-api.js";
import { linesOf, QUIETLY } from "./texts.js";

export const CHANNEL = "telegram";

/** The runtime is asked for the accounts at most so often for a stranger. A choice. */
const ACCOUNTS_EVERY = seconds(10);
/** Characters of the notice over the chat after a button: core.telegram.org/bots/api#answercallbackquery. */
const LONGEST_NOTICE = 200;

interface InboundParts {
  readonly bot: Bot;
  readonly context: BridgeContext;
  readonly random: () => number;
}

/**
 * Brings to the runtime what paired accounts write and press, in private chats only. All else is dropped here, so that
 * strangers cannot keep the runtime busy.
 */
export class Inbound {
  private accounts: ReadonlySet<string> = new Set();
  private askedAt: Millis | undefined;

  constructor(private readonly parts: InboundParts) {}

  /** Never rejects. Resolves when the runtime has it, or has refused it. */
  async take(update: Update): Promise<void> {
    try {
      if (update.callback_query) await this.pressed(update.callback_query);
      else if (update.message) await this.wrote(update.message, update.update_id);
    } catch (error) {
      if (!this.parts.context.signal.aborted)
        this.parts.context.say(
          `telegram: an update is dropped: ${error instanceof Error ? error.message : error}`,
        );
    }
  }

  private async wrote(message: Message, updateId: number): Promise<void> {
    const { from, chat } = message;
    if (!from || from.is_bot || chat.type !== "private" || chat.id !== from.id) return;
    const text = message.text ?? message.caption;
    if (!(await this.isPaired(from))) return this.pair(from, text ?? "");
    if (text === undefined) return this.say(from.id, "I can read text only.");
    const forwarded = message.forward_origin !== undefined || message.via_bot !== undefined;
    if (!forwarded && /^\/off\b/i.test(text)) await this.off();
    const age_s = Math.max(0, this.parts.context.clock.now() / 1000 - message.date);
    const written = { text, message_id: String(updateId), age_s, forwarded };
    const { reply } = received.parse(await this.call("receive_message", { ...at(from), ...written }));
    if (reply !== null) await this.say(from.id, reply);
  }

  /** By the tool that nothing can refuse or delay. The runtime adds the hold. */
  private async off(): Promise<void> {
    await this.parts.context.call("stop_all", {}).catch(() => undefined); // then receive_message tries it again
  }

  /** The one thing that a stranger can do: send a code. */
  private async pair(from: User, text: string): Promise<void> {
    const [, code] = /^\/start\s+(\S.*)$/.exec(text.trim()) ?? [];
    if (code === undefined) return;
    const name = from.username === undefined ? from.first_name : `@${from.username}`;
    const answer = await this.paired({ ...at(from), code: code.slice(0, 64), name });
    if (answer === undefined) return this.say(from.id, "This code does not work. Make a new one.");
    const { user_id } = pairedAccount.parse(answer);
    this.accounts = new Set([...this.accounts, String(from.id)]);
    await this.say(from.id, `Paired: from now on you are ${user_id} here. Send /help`);
  }

  private async pressed({ id, from, data, message }: CallbackQuery): Promise<void> {
    const { api } = this.parts.bot;
    if (message && message.chat.type !== "private") return;
    const isPaired = await this.isPaired(from);
    const answer =
      isPaired && data ? await this.refusable(this.call("press_button", { ...at(from), data })) : undefined;
    const { accepted, text } = answer
      ? pressed.parse(answer)
      : { accepted: false, text: "This does not count here." };
    // too old after some minutes: then nobody waits for it
    await api.answerCallbackQuery(id, { text: text.slice(0, LONGEST_NOTICE) }).catch(() => undefined);
    if (message && !accepted)
      await api.editMessageReplyMarkup(message.chat.id, message.message_id).catch(() => undefined);
  }

  private async isPaired({ id }: User): Promise<boolean> {
    const account = String(id);
    const { clock } = this.parts.context;
    const isDue = this.askedAt === undefined || clock.monotonic() - this.askedAt >= ACCOUNTS_EVERY;
    if (!this.accounts.has(account) && isDue) {
      const { accounts } = pairedAccounts.parse(await this.call("list_accounts", { channel: CHANNEL }));
      this.askedAt = clock.monotonic();
      this.accounts = new Set(accounts);
    }
    return this.accounts.has(account);
  }

  /** A lost answer to what a person wrote is no reason to take it twice. */
  private async say(to: number, text: string): Promise<void> {
    for (const line of linesOf(text))
      await this.parts.bot.api.sendMessage(to, line, QUIETLY).catch(() => undefined);
  }

  /** Undefined for a refusal. A guess that is refused for its number is not tried again. */
  private async refusable(call: Promise<JobResult>): Promise<JobResult | undefined> {
    return call.catch((error: unknown) => {
      if (error instanceof Refused) return undefined;
      throw error;
    });
  }

  private paired(args: JobResult): Promise<JobResult | undefined> {
    return this.refusable(this.parts.context.call("pair_account", args));
  }

  /** Waits for a runtime that is away. Rejects with Refused, or when the bridge stops. */
  private async call(tool: string, args: JobResult): Promise<JobResult> {
    const { context, random } = this.parts;
    for (const wait of exponentialBackoff(random))
      try {
        return await context.call(tool, args);
      } catch (error) {
        if (!isPassing(error) || context.signal.aborted) throw error;
        await context.clock.sleep(millis(wait), context.signal);
      }
    throw new Error("unreachable");
  }
}

/** Whether the runtime may take the same call later. */
const isPassing = (error: unknown): boolean =>
  error instanceof LinkDown ||
  (error instanceof Refused && ["STOPPING", "RATE_LIMITED", "STORE_FAILED"].includes(error.code));

const at = ({ id }: User) => ({ channel: CHANNEL, account: String(id) });
