import { MutexByKey } from "../../../drivers/mutex.js";
import type { Cancel } from "../../../drivers/ports.js";
import { hours, type Millis, millis, minutes, plus, seconds } from "../../../drivers/units.js";
import type { SentLetter } from "../../wire/channels.js";
import type { Notification, Severity } from "../../wire/notifications.js";
import type { Jobs, RunJob } from "../bridge/jobs.js";
import { HOUSEHOLD, type Household } from "../household/household.js";
import type { ChatAnswer, House } from "../module.js";
import { type Outbox, ownerOfLetter } from "../outbox/outbox.js";
import { MESSAGE_LOG, type MessageRecord } from "../people/message-log.js";
import type { Accounts } from "./accounts.js";
import { approvalKind, type ChannelPlan, chatOf, deliverOn, quietFor } from "./declarations.js";
import type { LetterPictures } from "./letter-pictures.js";
import { type Account, buttonData, type Letters } from "./letters.js";
import { labelOf, letterWords, type Reader } from "./words.js";

/** How many of the newest letters a start looks at. A choice: as many as the outbox. */
const LOOKED_AT = 500;
/** A message of an agent is as fresh as news of the runtime. */
const FRESH_FOR = hours(7 * 24);
/** Choices: a channel that is down for a moment, and one that is down for a day. */
const FIRST_RETRY = seconds(15);
const LONGEST_RETRY = minutes(15);
/** Quiet hours and expiry go by the wall clock, which may be set: looked at so often. A choice. */
const LOOK_EVERY = minutes(1);

/** What brings letters to people, and takes their answers, works with these. */
export interface ChannelParts {
  readonly house: House;
  readonly plans: readonly ChannelPlan[];
  readonly household: Household;
  readonly jobs: Jobs;
  readonly outbox: Outbox;
  readonly accounts: Accounts;
  readonly letters: Letters;
}

/** One message to one person: it has to arrive on one of the channels, tried in this order. */
interface Errand {
  readonly key: string;
  readonly message: number;
  readonly record: MessageRecord;
  readonly person: string;
  readonly channels: readonly ChannelPlan[];
}

/**
 * Brings what the runtime and agents tell to the people's channels: to each person once, on the first channel that works.
 * In quiet hours only what is urgent. What is over or stale is dropped.
 */
export class Delivery {
  /** What may still have to be brought to somebody. */
  private readonly news = new Map<number, MessageRecord>();
  private readonly busy = new Set<string>();
  private readonly failed = new Map<string, { readonly count: number; readonly notBefore: Millis }>();
  private readonly chains = new Map<string, Promise<void>>();
  private readonly jobs = new Map<string, RunJob<SentLetter>>();
  private disarm: Cancel = () => undefined;
  private closed = false;

  /** `sent`: a letter was sent whose message may be over by now. */
  constructor(
    private readonly parts: ChannelParts,
    private readonly pictures: LetterPictures,
    private readonly sent: (message: number) => void,
  ) {
    for (const { name } of parts.plans) this.jobs.set(name, parts.jobs.open(deliverOn(name)));
  }

  async start(): Promise<void> {
    const messages = this.parts.house.journal(MESSAGE_LOG);
    for await (const { id, record } of messages.newest({ limit: LOOKED_AT, subject: "to_human" }))
      this.note(id, record);
    this.look();
  }

  close(): void {
    this.closed = true;
    this.disarm();
  }

  /** A message to people that is new, or of which something has changed. */
  note(id: number, record: MessageRecord): void {
    const isSeen = record.read_at !== null;
    if (record.over_at !== undefined || record.erased || isSeen) this.news.delete(id);
    else this.news.set(id, record);
  }

  /** Begins what can be brought now. `again`: what has failed before, too. */
  look({ again = false } = {}): void {
    if (this.closed) return;
    if (again) this.failed.clear();
    this.disarm();
    if (this.news.size > 0)
      this.disarm = this.parts.house.realClock.after(this.nextLook(), () => this.look());
    if (!this.parts.jobs.isConnected) return;
    for (const [id, record] of [...this.news].sort(([a], [b]) => a - b)) this.lookAt(id, record);
  }

  private lookAt(id: number, record: MessageRecord): void {
    if (this.isStale(record)) return void this.news.delete(id);
    const errands = this.recipients(record).flatMap((person) => this.errandsFor(id, record, person));
    const open = errands.filter((errand) => !this.isDone(errand));
    for (const errand of open) this.begin(errand);
  }

  /** A person's errands come one after the other, as they were told; what is urgent waits for none. */
  private begin(errand: Errand): void {
    const { key, person, record } = errand;
    const wait = this.failed.get(key)?.notBefore ?? 0;
    if (this.busy.has(key) || wait > this.parts.house.realClock.monotonic() || this.isQuiet(errand)) return;
    this.busy.add(key);
    const isUrgent = severityOf(record) === "urgent";
    const before = isUrgent ? Promise.resolve() : (this.chains.get(person) ?? Promise.resolve());
    const after = before
      .then(() => this.carryOut(errand))
      .catch(this.parts.house.complain)
      .then(() => void this.busy.delete(key));
    if (!isUrgent) this.chains.set(person, after);
  }

  private async carryOut(errand: Errand): Promise<void> {
    const { key, channels, message } = errand;
    // it may be over, or have been seen on the page, while others were brought
    if (this.closed || !this.news.has(message)) return;
    for (const plan of channels) if (await this.bringOn(plan, errand)) return void this.failed.delete(key);
    const count = (this.failed.get(key)?.count ?? 0) + 1;
    const wait = millis(Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (count - 1)));
    this.failed.set(key, { count, notBefore: plus(this.parts.house.realClock.monotonic(), wait) });
    this.disarm();
    if (!this.closed) this.disarm = this.parts.house.realClock.after(this.nextLook(), () => this.look());
  }

  /** To every account of the person there. Returns whether one got it. */
  private async bringOn(plan: ChannelPlan, errand: Errand): Promise<boolean> {
    let isBrought = false;
    for (const account of this.accountsFor(plan.name, errand.person, errand.record))
      try {
        await this.send(plan, errand, account);
        isBrought = true;
      } catch {
        // the next account or channel is tried; why it failed is the channel's own report
      }
    return isBrought;
  }

  private async send(
    plan: ChannelPlan,
    { message, record, person }: Errand,
    account: Account,
  ): Promise<void> {
    const { letters, outbox, house } = this.parts;
    const answers = this.answersOn(plan, record.notification);
    // the same after a crash, and of no other letter, also where a new state folder counts from 1
    const letter = `${message}-${account.id}-${Date.parse(record.timestamp)}`;
    const nonce = letters.nonceFor(message, account);
    const words = letterWords(
      record,
      this.reader(person),
      answers.includes("yes") || answers.includes("done"),
    );
    const buttons = answers.map((answer) => ({ label: labelOf(answer), data: buttonData(nonce, answer) }));
    const reader = this.reader(person);
    const pictures = await this.pictures.of(record.notification, reader);
    const charts = await this.pictures.charts(record.notification, reader);
    const content = { ...words, severity: severityOf(record), buttons, pictures, charts };
    const args = { letter, to: account.account, ...content };
    const { ref } = await this.job(plan.name)(args, `write to ${person} on ${plan.name}`);
    await letters.add(message, account, ref, answers.length > 0);
    const arrival = { token: "runtime", channel: plan.name, state: "delivered" } as const;
    await outbox.arrived(String(message), arrival).catch(house.complain);
    this.sent(message);
  }

  /** What a person may answer there: a no always, a yes where the configuration says so. */
  answersOn({ pairs, mayApprove }: ChannelPlan, notification: Notification | undefined): readonly string[] {
    const { answers = [] } = notification ?? {};
    if (!pairs || notification?.kind !== "approval_requested") return pairs ? answers : [];
    const { tool, arguments: args = {} } = notification.data;
    const isAllowed = mayApprove.includes(approvalKind(tool, args));
    return answers.filter((answer) => answer !== "yes" || isAllowed);
  }

  reader(person: string): Reader {
    const { household, house } = this.parts;
    return { zone: household.zoneOf(person), name: (plant) => house.plants.nameOf(plant) };
  }

  /** Sends at once, whatever the hour: a test, an answer of the agent. Rejects with the job's error. */
  async write(account: Account, letter: string, { title, text, photo }: PlainLetter): Promise<void> {
    const content = { title, text, severity: "info", buttons: [], ...(photo !== undefined && { photo }) };
    await this.job(account.channel)(
      { letter, to: account.account, ...content },
      `write on ${account.channel}`,
    );
  }

  private job(channel: string): RunJob<SentLetter> {
    const job = this.jobs.get(channel);
    if (!job) throw new Error(`there is no channel ${channel}`);
    return job;
  }

  /** Everybody with an account, or the person whose message it is. */
  private recipients(record: MessageRecord): readonly string[] {
    const { accounts, plans } = this.parts;
    const all = new Set(plans.flatMap(({ name }) => accounts.all(name).map(({ person }) => person)));
    const owner = ownerOfLetter(record);
    return owner === HOUSEHOLD ? [...all] : [...all].filter((person) => person === owner);
  }

  /** Of a yes every channel hears but the one where it was said; anything else comes on one channel. */
  private errandsFor(message: number, record: MessageRecord, person: string): readonly Errand[] {
    const channels = this.channelsOf(person).filter(
      ({ name }) => this.accountsFor(name, person, record).length > 0,
    );
    const errand = (name: string, chosen: readonly ChannelPlan[]) => ({
      ...{ key: `${message} ${person} ${name}`, message, record, person, channels: chosen },
    });
    const { notification } = record;
    if (notification?.kind !== "approval_answered") return channels.length > 0 ? [errand("", channels)] : [];
    const others = channels.filter(({ name }) => name !== notification.data.channel);
    return others.map((plan) => errand(plan.name, [plan]));
  }

  /** In the order in which the person wants them. */
  private channelsOf(person: string): readonly ChannelPlan[] {
    const { plans, household } = this.parts;
    const wanted = household.person(person)?.channels;
    if (wanted === undefined) return plans;
    return wanted.flatMap((name) => plans.filter((plan) => plan.name === name));
  }

  private isDone({ message, person, channels }: Errand): boolean {
    const names = channels.map(({ name }) => name);
    return this.parts.letters
      .of(message)
      .some((letter) => letter.person === person && names.includes(letter.channel));
  }

  /** What was told before an account was paired is not sent to it. */
  private accountsFor(channel: string, person: string, { timestamp }: MessageRecord): readonly Account[] {
    return this.parts.accounts.of(channel, person).filter(({ since }) => since <= timestamp);
  }

  private isQuiet({ person, record }: Errand): boolean {
    if (severityOf(record) === "urgent") return false;
    const { household, house } = this.parts;
    const now = house.realClock.now(); // people sleep in real time
    return quietFor(household.person(person)?.quiet_hours, household.zoneOf(person), now) > 0;
  }

  private isStale({ notification, timestamp }: MessageRecord): boolean {
    const end = notification ? Date.parse(notification.expires_at) : Date.parse(timestamp) + FRESH_FOR;
    return this.parts.house.clock.now() >= end;
  }

  private nextLook(): Millis {
    const now = this.parts.house.realClock.monotonic();
    const waits = [...this.failed.values()].map(({ notBefore }) => Math.max(1, notBefore - now));
    return millis(Math.min(LOOK_EVERY, ...waits));
  }
}

interface PlainLetter {
  readonly title: string;
  readonly text: string;
  /** JPEG, base64. */
  readonly photo?: string;
}

const severityOf = ({ notification }: MessageRecord): Severity => notification?.severity ?? "info";

/** Choices: a bridge that is started again is soon there; after an hour the page and the terminal have it. */
const AGAIN_AFTER = seconds(15);
const GIVEN_UP_AFTER = hours(1);

/** Brings what the agent writes in a chat of a channel to that channel: one after the other, at any hour. */
export class ChatAnswers {
  private readonly turns = new MutexByKey<number>();
  private readonly closing = new AbortController();

  constructor(
    private readonly parts: ChannelParts,
    private readonly delivery: Delivery,
  ) {}

  bring(answer: ChatAnswer): void {
    const { plans, accounts, house } = this.parts;
    const plan = plans.find(({ name }) => chatOf(name, answer.person) === answer.chat_id);
    if (!plan) return;
    const until = plus(house.realClock.monotonic(), GIVEN_UP_AFTER);
    for (const account of accounts.of(plan.name, answer.person))
      void this.turns.run(account.id, () => this.sent(account, answer, until));
  }

  close(): void {
    this.closing.abort();
  }

  /** Never rejects. */
  private async sent(account: Account, { message_id, text }: ChatAnswer, until: Millis): Promise<void> {
    const clock = this.parts.house.realClock;
    const { signal } = this.closing;
    while (!signal.aborted && clock.monotonic() < until)
      try {
        return await this.delivery.write(account, `chat-${message_id}-${account.id}`, {
          title: "",
          text,
        });
      } catch {
        await clock.sleep(AGAIN_AFTER, signal).catch(() => undefined);
      }
  }
}
