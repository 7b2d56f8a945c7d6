import { settledWithin } from "../../../drivers/clock/waiting.js";
import { Mutex } from "../../../drivers/mutex.js";
import { seconds } from "../../../drivers/units.js";
import { errorBody, invalidArgument, TendrilError } from "../../errors.js";
import { textOf, wordsOfRefusal } from "../../tools/call-result.js";
import { digest } from "../../tools/idempotency.js";
import type { Identity } from "../../wire/identity.js";
import { isNamedFreely } from "../../wire/media.js";
import type { Notification } from "../../wire/notifications.js";
import { parseJson } from "../../wire/refusal.js";
import { wantsOff } from "../../wire/stop-words.js";
import { APPROVAL_LOG } from "../approvals/declarations.js";
import { type House, settleAll } from "../module.js";
import { BY_COMMAND, stopNoted } from "../people/control.js";
import { MESSAGE_LOG, type MessageRecord } from "../people/message-log.js";
import { chatOf, type Written } from "./declarations.js";
import type { ChannelParts, Delivery } from "./delivery.js";
import type { Endings } from "./endings.js";
import type { Account, Pressed } from "./letters.js";
import { approvalOutcome, HELP, overWords, saidOf, shownWho, statusWords, whyWords } from "./words.js";

/** A call of a tool in a person's name. */
interface PersonalCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The same call twice is carried out once. */
  readonly key?: string;
}

interface CallResult {
  readonly value: Readonly<Record<string, unknown>>;
  /** JPEG, base64. */
  readonly image: string | undefined;
}

/** A tool refused the call; `message` is for people. */
class CallRefused extends Error {
  override readonly name = "CallRefused";
}

/** What a person is told of an error: of a defect only that it is one. */
const wordsOf = (error: unknown): string =>
  error instanceof CallRefused ? error.message : errorBody(error).message;

/** Whether the error is no refusal, so that the log must have it. */
const isDefect = (error: unknown): boolean =>
  !(error instanceof CallRefused || error instanceof TendrilError);

/** Calls tools in the name of the person whose account it is: with the rights of that person, and every check of a tool. */
export class Caller {
  constructor(private readonly house: Pick<House, "callTool">) {}

  /** "anna@telegram": no token can have such a name. The household knows the person by it. */
  nameOf({ person, channel }: Account): string {
    return `${person}@${channel}`;
  }

  identityOf(account: Account): Identity {
    return { name: this.nameOf(account), role: "human" };
  }

  /** Rejects with what a person is told. */
  async call(account: Account, { name, arguments: args, key }: PersonalCall): Promise<CallResult> {
    const result = await this.house.callTool({
      ...{ name, arguments: args },
      identity: this.identityOf(account),
      signal: () => new AbortController().signal,
      progress: () => undefined,
      ...(key !== undefined && { idempotencyKey: key }),
    });
    if (result.isError) throw new CallRefused(wordsOfRefusal(result));
    const image = result.content.flatMap((part) => (part.type === "image" ? [part.data] : []))[0];
    return { value: (parseJson(textOf(result)) ?? {}) as CallResult["value"], image };
  }
}

/** Seconds. A choice: what waited longer while the bridge was away may be about a plant that has changed meanwhile. */
const STALE_AFTER = 15 * 60;

/** A choice: a slow card has written a hold by then. */
const WRITTEN_WITHIN = seconds(5);

interface ReceiverParts extends ChannelParts {
  readonly caller: Caller;
  readonly delivery: Delivery;
  readonly endings: Endings;
}

/** `key` names what was written: no two messages have the same. */
type Command = (account: Account, rest: string, key: string) => Promise<string | null>;

/** What became of a pressed button. */
interface Outcome {
  readonly accepted: boolean;
  readonly text: string;
}

/** What somebody forwards is no wish of theirs. */
const saysOff = ({ text, forwarded }: Pick<Written, "text" | "forwarded">): boolean =>
  !forwarded && wantsOff(text);

function commandIn({ text, forwarded }: Pick<Written, "text" | "forwarded">): [string | undefined, string] {
  const [, word, rest = ""] = /^\/([a-z]+)(?:@\w+)?(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? [];
  return [forwarded ? undefined : word?.toLowerCase(), rest];
}

/** Whether what was written switches off or holds. */
export const keepsOff = (written: Pick<Written, "text" | "forwarded">): boolean =>
  saysOff(written) || commandIn(written)[0] === "hold";

/** Does what people write and press on channels, in their name and with no more than their tools. */
export class Receiver {
  private readonly presses = new Mutex();
  private readonly commands: ReadonlyMap<string, Command> = new Map<string, Command>([
    ["start", async () => HELP],
    ["help", async () => HELP],
    ["status", async (account) => statusWords(this.overview(account), this.reader(account).zone)],
    ["why", async (account) => whyWords(this.overview(account), this.reader(account).zone)],
    ["hold", (account, rest) => this.hold(account, rest)],
    ["photo", (account, rest, key) => this.photo(account, rest, key)],
  ]);

  constructor(private readonly parts: ReceiverParts) {}

  /** Returns what to say at once; null if an answer comes later. Throws UNKNOWN_ACCOUNT. */
  async receive(channel: string, name: string, written: Written): Promise<string | null> {
    const account = this.parts.accounts.find(channel, name);
    const [command, rest] = commandIn(written);
    try {
      if (saysOff(written)) return await this.off(account, written.text.trim());
      if (written.age_s > STALE_AFTER) return LATE;
      if (command === undefined) return await this.toAgent(account, written);
      const carryOut = this.commands.get(command);
      return carryOut ? await carryOut(account, rest.trim(), keyOf(account, written)) : HELP;
    } catch (error) {
      if (isDefect(error)) this.parts.house.complain(error);
      return `That did not work: ${wordsOf(error)}`;
    }
  }

  /** The first answer to a letter counts, whoever gives it and wherever. Throws UNKNOWN_ACCOUNT. */
  press(channel: string, name: string, data: string): Promise<Outcome> {
    return this.presses.run(async () => {
      const account = this.parts.accounts.find(channel, name);
      const found = this.parts.letters.pressed(channel, name, data);
      const record = found && (await this.parts.house.journal(MESSAGE_LOG).get(found.message));
      if (!found || !record?.notification) return { accepted: false, text: GONE };
      const ended = await this.endedAs(found, record);
      if (ended !== undefined) {
        this.parts.endings.tell(found.message);
        return { accepted: false, text: ended };
      }
      return this.answer(account, found, record.notification);
    });
  }

  private async answer(
    account: Account,
    { message, answer }: Pressed,
    notification: Notification,
  ): Promise<Outcome> {
    const plan = this.parts.plans.find(({ name }) => name === account.channel);
    if (!plan || !this.parts.delivery.answersOn(plan, notification).includes(answer))
      return {
        accepted: false,
        text: `${account.channel} may not say this: channels.${account.channel} in the configuration`,
      };
    const { caller, endings } = this.parts;
    try {
      await caller.call(account, callFor(notification, answer));
    } catch (error) {
      endings.tell(message);
      return { accepted: false, text: wordsOf(error) };
    }
    const by = shownWho(caller.nameOf(account));
    const text = `${saidOf(answer)}, by ${by}.`;
    if (notification.kind === "task_due") endings.noteAnswer(message, text);
    endings.tell(message);
    return { accepted: true, text };
  }

  /** How the letter has ended; undefined while it can be answered. */
  private async endedAs(
    letter: Pressed,
    { notification, over_at }: MessageRecord,
  ): Promise<string | undefined> {
    if (letter.outcome !== null) return letter.outcome;
    if (notification?.kind === "approval_requested") {
      const request = await this.parts.house.journal(APPROVAL_LOG).get(notification.data.id);
      return request ? approvalOutcome(request, this.parts.delivery.reader(letter.person)) : GONE;
    }
    return over_at === undefined ? undefined : overWords(notification?.kind);
  }

  private async toAgent(account: Account, written: Written): Promise<null> {
    const { channel, person } = account;
    // a document's name is the words of whoever made it
    const forwarded = written.forwarded || written.files.some(isNamedFreely);
    const text = withFiles(written);
    const where = { chat_id: chatOf(channel, person), user_id: person };
    await this.parts.caller.call(account, {
      name: "send_chat_message",
      arguments: { text, ...where, forwarded },
      key: keyOf(account, written),
    });
    return null;
  }

  /** First of all off; the hold keeps it so, as `tendril off` does, and waits for no relay. */
  private async off(account: Account, written: string): Promise<string> {
    const by = this.parts.caller.nameOf(account);
    const off = stopNoted(this.parts.house, by, { by, reason: BY_COMMAND });
    const held = this.setHold(account, written);
    await settleAll([off, held]);
    return `Everything is off, and on hold.${await held} Once all is well: tendril resume`;
  }

  private async hold(account: Account, given: string): Promise<string> {
    const doubt = await this.setHold(account, given);
    return `Everything is on hold: nothing more is switched on. What is on goes on to its end; /off ends it.${doubt} Once all is well: tendril resume`;
  }

  /** It is in force at once. Resolves with what a person has to know of its record, which may wait for a disk that hangs. */
  private async setHold(account: Account, given: string): Promise<string> {
    const reason = `${shownWho(this.parts.caller.nameOf(account))}${given === "" ? "" : `: ${given}`}`;
    let isWritten = false;
    const args = { hold: true, reason: reason.slice(0, 1000) };
    const written = this.parts.caller.call(account, { name: "set_hold", arguments: args }).then(() => {
      isWritten = true;
    });
    const { realClock: clock } = this.parts.house;
    await Promise.race([written, settledWithin({ clock, longest: WRITTEN_WITHIN }, written)]);
    return isWritten ? "" : " The disk has not written the hold down yet: a restart may end it.";
  }

  /** Does not wait for the camera: what is written next must not wait either. */
  private async photo(account: Account, named: string, key: string): Promise<null> {
    const plant = this.parts.house.plants.resolve(named === "" ? undefined : named);
    void this.sendPhoto(account, plant, `photo-${key}-${account.id}`).catch(this.parts.house.complain);
    return null;
  }

  private async sendPhoto(account: Account, plant: string, letter: string): Promise<void> {
    const { caller, house, delivery } = this.parts;
    const args = { include_image: true, ...(house.plants.several && { plant }) };
    const name = house.plants.nameOf(plant);
    try {
      const { value, image } = await caller.call(account, { name: "capture_photo", arguments: args });
      const text = value.dark === true ? `${name}: too dark to see anything` : name;
      await delivery.write(account, letter, {
        title: name,
        text,
        ...(image !== undefined && { photo: image }),
      });
    } catch (error) {
      const text = `There is no photo of ${name}: ${wordsOf(error)}`;
      await delivery.write(account, letter, { title: name, text });
    }
  }

  private overview(account: Account) {
    return this.parts.house.overview({ identity: this.parts.caller.identityOf(account) });
  }

  private reader({ person }: Account) {
    return this.parts.delivery.reader(person);
  }
}

/** In the words that `save_memory` takes. */
const withFiles = ({ text, files }: Written): string =>
  files.length === 0
    ? text
    : `${text}\n[uploaded with it, for media_path or attachments: ${files.join(", ")}]`;

/**
 * A bot's numbers begin anew at times, so the words count too. Not the files: after a crash the same ones come again under
 * other names.
 */
const keyOf = ({ channel }: Account, { text, message_id, forwarded }: Written): string =>
  `${channel}-${message_id}-${digest([text, forwarded])}`;

const GONE = "This button is not valid any more.";
const LATE =
  "This reached me more than a quarter of an hour late, so I have done nothing. Please write it again if it still holds.";

function callFor({ kind, data }: Notification, answer: string): PersonalCall {
  if (kind === "approval_requested")
    return { name: "answer_approval", arguments: { id: data.id, approve: answer === "yes" } };
  if (kind === "task_due") return { name: "answer_task", arguments: { task_id: data.task_id, answer } };
  throw invalidArgument(`${kind} cannot be answered`);
}
