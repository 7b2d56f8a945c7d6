import type { CallbackQuery, Message, Update, User } from "grammy/types";
import { seconds } from "../../../drivers/units.js";
import { pressed, received } from "../../wire/channels.js";
import type { JobResult } from "../adapter.js";
import { Refused } from "../link.js";
import { at, PairedAccounts, Strangers } from "./accounts.js";
import {
  type ChannelParts,
  callUntilTaken,
  complain,
  isForwarded,
  say,
  saysOff,
  senderOf,
  textOf,
} from "./bot-api.js";
import { fileOf, IncomingFiles } from "./incoming-files.js";

/** Characters of the notice over the chat after a button: core.telegram.org/bots/api#answercallbackquery. */
const LONGEST_NOTICE = 200;
/** Choices: messages of one person that wait, and of all strangers. What is more is not taken. */
const MAX_WAITING = 100;
const MAX_UNKNOWN = 1000;
/** Between two tries to switch off while the runtime is away. A choice: it is to be off as soon as the runtime is back. */
const OFF_AGAIN_AFTER = seconds(1);

/** What a person wrote and pressed that is not dealt with yet. */
interface Line {
  readonly last: Promise<unknown>;
  readonly waiting: number;
}

/**
 * Brings to the runtime what paired accounts write and press, in private chats only: each account's in its order, a wish to
 * switch off at once. All else is dropped here, so that strangers cannot keep the runtime busy.
 */
export class Inbound {
  private readonly paired: PairedAccounts;
  private readonly strangers: Strangers;
  private readonly lines = new Map<string, Line>();
  private readonly told = new Set<string>();
  private readonly files: IncomingFiles;
  private unknown = 0;

  constructor(private readonly parts: ChannelParts) {
    this.files = new IncomingFiles(parts);
    this.paired = new PairedAccounts(parts);
    this.strangers = new Strangers(parts, this.paired);
  }

  /** Resolves when it is known who is paired. Rejects when the bridge stops. */
  ready(): Promise<void> {
    return this.paired.ready();
  }

  /**
   * Begins at once. The promise never rejects; it resolves when the runtime has it, or has refused it. Undefined: nobody
   * waits for it, and it need not come again after a crash.
   */
  take(update: Update): Promise<void> | undefined {
    const from = senderOf(update);
    if (!from) return undefined;
    if (this.paired.has(String(from.id))) return this.ofPerson(from, update);
    if (this.unknown < MAX_UNKNOWN) void this.ofUnknown(from, update);
    return undefined;
  }

  /** Never rejects. */
  private async ofUnknown(from: User, update: Update): Promise<void> {
    const { message, callback_query } = update;
    this.unknown += 1;
    try {
      let isPaired = await this.paired.find(String(from.id));
      // what is written after a code may be a person's
      while (!isPaired && this.strangers.tryingOf(from)) {
        await this.strangers.tryingOf(from);
        isPaired = this.paired.has(String(from.id));
      }
      if (isPaired) await this.ofPerson(from, update);
      else if (message) this.strangers.wrote(from, message);
      else if (callback_query) void this.strangers.pressed(callback_query);
    } catch (error) {
      complain(this.parts.context, error);
    } finally {
      this.unknown -= 1;
    }
  }

  /** Never rejects. */
  private ofPerson(from: User, update: Update): Promise<void> {
    const account = String(from.id);
    const { last, waiting } = this.lines.get(account) ?? { last: Promise.resolve(), waiting: 0 };
    const isOff = saysOff(update);
    if (!isOff && waiting >= MAX_WAITING) return this.tooMuch(from);
    const work = (isOff ? this.off(from, update) : last.then(() => this.deal(from, update)))
      .catch((error: unknown) => this.failed(account, error))
      .then(() => this.dealt(account));
    this.lines.set(account, { last: Promise.all([last, work]), waiting: waiting + 1 });
    return work;
  }

  private dealt(account: string): void {
    const line = this.lines.get(account);
    if (!line || line.waiting <= 1) this.lines.delete(account);
    else this.lines.set(account, { ...line, waiting: line.waiting - 1 });
  }

  private failed(account: string, error: unknown): void {
    if (error instanceof Refused && error.code === "UNKNOWN_ACCOUNT") this.paired.drop(account);
    complain(this.parts.context, error);
  }

  /** Says so, once at a time. */
  private async tooMuch(from: User): Promise<void> {
    const account = String(from.id);
    if (this.told.has(account)) return;
    this.told.add(account);
    const text = `${MAX_WAITING} messages of yours wait already: what comes now is not taken. /off always is.`;
    await say(this.parts, from.id, text);
    this.told.delete(account);
  }

  private async deal(from: User, { callback_query, message, update_id }: Update): Promise<void> {
    if (callback_query) return this.pressed(callback_query);
    if (!message) return;
    const isFile = fileOf(message) !== undefined;
    if (isFile) await this.files.keep(from, message);
    if (textOf(message) !== undefined) await this.receive(from, message, update_id);
    else if (!isFile) await say(this.parts, from.id, "I can read text, photos and documents only.");
  }

  /** First by the tool that nothing can refuse or delay. What the person wrote adds the hold. */
  private async off(from: User, { message, update_id }: Update): Promise<void> {
    const { context } = this.parts;
    const stopped = context.call("stop_all", {}).catch(() => undefined); // receive_message switches off too
    if (message) await this.receive(from, message, update_id, OFF_AGAIN_AFTER);
    await stopped;
    if (message && fileOf(message)) await this.files.keep(from, message);
  }

  private async receive(from: User, message: Message, updateId: number, longest?: number): Promise<void> {
    const age_s = Math.max(0, this.parts.context.clock.now() / 1000 - message.date);
    const written = { text: textOf(message), message_id: String(updateId), age_s };
    const files = this.files.cameWith(from, message);
    const args = { ...at(from), ...written, forwarded: isForwarded(message), files };
    const { reply } = received.parse(await callUntilTaken(this.parts, "receive_message", args, longest));
    this.files.named(from, files);
    if (reply !== null) await say(this.parts, from.id, reply);
  }

  private async pressed({ id, from, data = "", message }: CallbackQuery): Promise<void> {
    const { api } = this.parts.bot;
    const answer = await this.press({ ...at(from), data });
    const { accepted, text } = pressed.parse(answer ?? NOTHING);
    // too old after some minutes: then nobody waits for it
    await api.answerCallbackQuery(id, { text: text.slice(0, LONGEST_NOTICE) }).catch(() => undefined);
    if (message && !accepted)
      await api.editMessageReplyMarkup(message.chat.id, message.message_id).catch(() => undefined);
  }

  /** Undefined for a refusal. */
  private press(args: JobResult): Promise<JobResult | undefined> {
    return callUntilTaken(this.parts, "press_button", args).catch((error: unknown) => {
      if (error instanceof Refused) return undefined;
      throw error;
    });
  }
}

const NOTHING = { accepted: false, text: "This does not count here." };
