import { randomUUID } from "node:crypto";
import { type Millis, minutes } from "../../../drivers/units.js";
import { errorBody, excerpt, invalidArgument, notFound, TendrilError } from "../../errors.js";
import type { Call } from "../../tools/tool.js";
import type { ChannelState } from "../../wire/bridge.js";
import type { AccountTrouble, ChannelList, ChannelTest, OpenedChannelCode } from "../../wire/channels.js";
import { APPROVAL_LOG, type ApprovalRecord } from "../approvals/declarations.js";
import { type Jobs, jobs } from "../bridge/jobs.js";
import { camera } from "../camera/service.js";
import { HOUSEHOLD, household } from "../household/household.js";
import { definePart, type House } from "../module.js";
import { type Outbox, outbox } from "../outbox/outbox.js";
import { MESSAGE_LOG } from "../people/message-log.js";
import { Accounts } from "./accounts.js";
import { CHANNEL_ERRORS, type ChannelPlan, channelsConfig, plansOf } from "./declarations.js";
import { type ChannelParts, ChatAnswers, Delivery } from "./delivery.js";
import { Endings } from "./endings.js";
import { LetterPictures } from "./letter-pictures.js";
import { type Account, Letters } from "./letters.js";
import { Caller, Receiver } from "./receiver.js";

/** What an adapter says of its channel. */
interface Report {
  readonly state: "ok" | "down";
  readonly code: string | null;
  readonly message: string | null;
  /** Whose trouble it is; empty: everybody's. */
  readonly accounts: readonly AccountTrouble[];
}

interface NotedReport extends Report {
  readonly since: string;
  readonly at: Millis;
}

type Trouble = Pick<AccountTrouble, "code" | "message">;

/** A report is due every minute. A choice: three that did not come are no accident. */
const SILENT_AFTER: Millis = minutes(3);

/** What each channel has said of itself last. One that says nothing any more is down, whatever it said before. */
class ChannelHealth {
  private readonly reports = new Map<string, NotedReport>();
  private readonly openedAt: string;

  constructor(
    private readonly house: Pick<House, "realClock" | "timestamp">,
    private readonly jobs: Pick<Jobs, "isConnected">,
  ) {
    this.openedAt = house.timestamp();
  }

  /** Returns whether it came up or went down with that, or is down for others. */
  note(channel: string, report: Report): boolean {
    const before = this.stateOf(channel);
    const isSame = before.state === report.state;
    const known = this.reports.get(channel);
    const since = isSame ? before.since : this.house.timestamp();
    this.reports.set(channel, { ...report, since, at: this.house.realClock.monotonic() });
    return !isSame || accountsIn(known) !== accountsIn(report);
  }

  stateOf(channel: string): ChannelState {
    const report = this.reports.get(channel);
    if (!this.jobs.isConnected || !report)
      return { channel, state: "away", since: report?.since ?? this.openedAt, code: null, message: null };
    const { at, accounts: _, ...said } = report;
    if (this.house.realClock.monotonic() - at < SILENT_AFTER) return { channel, ...said };
    const message = "the bridge does not report about this channel any more";
    return { channel, state: "down", since: report.since, code: "SILENT", message };
  }
}

const accountsIn = (report: Report | undefined): string =>
  JSON.stringify(report?.accounts.map(({ account }) => account));

interface ChannelsParts extends ChannelParts {
  readonly caller: Caller;
  readonly health: ChannelHealth;
  readonly delivery: Delivery;
  readonly endings: Endings;
  readonly receiver: Receiver;
}

/** The channels of the house: who has which accounts there, how each channel is, and tests. */
class Channels {
  readonly accounts: Accounts;
  readonly letters: Letters;
  readonly receiver: Receiver;

  constructor(private readonly parts: ChannelsParts) {
    this.accounts = parts.accounts;
    this.letters = parts.letters;
    this.receiver = parts.receiver;
  }

  /** Begins to bring what is new, and to tell what has ended; again whenever a bridge comes. */
  async start(): Promise<void> {
    await this.parts.delivery.start();
    await this.parts.endings.start();
  }

  bridgeChanged(): void {
    this.parts.delivery.look({ again: true });
    this.parts.endings.tellAll();
  }

  states(): readonly ChannelState[] {
    return this.parts.plans.map(({ name }) => this.parts.health.stateOf(name));
  }

  list(): ChannelList {
    return {
      channels: this.parts.plans.map(({ name, pairs, mayApprove }) => ({
        ...this.parts.health.stateOf(name),
        pairs,
        may_approve: [...mayApprove],
        accounts: this.accounts.all(name).map(({ account, person: user_id, name: called, since }) => ({
          account,
          user_id,
          name: called,
          since,
        })),
      })),
    };
  }

  /** Throws NO_CHANNEL. */
  plan(channel: string): ChannelPlan {
    const found = this.parts.plans.find(({ name }) => name === channel);
    if (found) return found;
    const known = this.parts.plans.map(({ name }) => name).join(", ");
    throw new TendrilError(
      CHANNEL_ERRORS.NO_CHANNEL,
      `there is no channel ${excerpt(channel)}, only ${known}`,
    );
  }

  /** "anna@telegram". Throws NO_CHANNEL, UNKNOWN_ACCOUNT. */
  senderOn(channel: string, account: string): string {
    return this.parts.caller.nameOf(this.accounts.find(this.plan(channel).name, account));
  }

  /** A code that pairs an account with a person. Throws NO_CHANNEL, NOT_FOUND, INVALID_ARGUMENT, FORBIDDEN. */
  openCode(channel: string, person: string | undefined, call: Call): OpenedChannelCode {
    if (!this.plan(channel).pairs)
      throw invalidArgument(`${channel} has its accounts in the configuration: no code pairs them`);
    const { household } = this.parts;
    const user_id = this.personFor(person ?? household.boundTo(call));
    household.assertIs(call, user_id);
    return { channel, user_id, ...this.accounts.openCode(channel, user_id) };
  }

  /** Takes an account off: whose it was. Throws NO_CHANNEL, UNKNOWN_ACCOUNT, FORBIDDEN, INVALID_ARGUMENT. */
  async removeAccount(channel: string, account: string, call: Call): Promise<string> {
    const found = this.accounts.find(this.plan(channel).name, account);
    this.parts.household.assertIs(call, found.person);
    await this.accounts.remove(found, call.identity.name);
    return found.person;
  }

  /** Writes to every account of the channel now, to all at once: a server may take its whole time to fail. Throws NO_CHANNEL, NOBODY_REACHED. */
  async test(channel: string): Promise<ChannelTest> {
    const accounts = this.accounts.all(this.plan(channel).name);
    if (accounts.length === 0)
      throw new TendrilError(CHANNEL_ERRORS.NOBODY_REACHED, `nobody has an account on ${channel}`);
    return { channel, letters: await Promise.all(accounts.map((each) => this.try(each))) };
  }

  private async try(to: Account): Promise<ChannelTest["letters"][number]> {
    const told = { account: to.account, user_id: to.person };
    try {
      await this.parts.delivery.write(to, randomUUID(), TEST);
      return { ...told, delivered: true, code: null, message: null };
    } catch (error) {
      const { code, message } = errorBody(error instanceof TendrilError ? byItsCause(error) : error);
      return { ...told, delivered: false, code, message };
    }
  }

  /** Throws NO_CHANNEL. */
  async note(channel: string, report: Report): Promise<void> {
    this.plan(channel);
    const { health, delivery, endings } = this.parts;
    if (!health.note(channel, report)) return;
    if (report.state === "ok" || report.accounts.length > 0) {
      delivery.look({ again: true });
      endings.tellAll();
    }
    await this.tellState(channel, report);
  }

  /** A channel that died is told on the others, to those whom it concerns. */
  private async tellState(channel: string, report: Report): Promise<void> {
    const { outbox, house, health } = this.parts;
    const concerned = report.state === "ok" ? new Map() : this.concerned(channel, report);
    await outbox.overWhere(
      "channel_down",
      (data) => data.channel === channel && !concerned.has(data.user_id ?? HOUSEHOLD),
    );
    for (const [person, { code, message }] of concerned) {
      const isShared = person === HOUSEHOLD;
      const since = isShared ? health.stateOf(channel).since : house.timestamp();
      const data = { channel, code, message, since, ...(!isShared && { user_id: person }) };
      const key = isShared ? channel : `${channel} ${person}`;
      await outbox.tell({ kind: "channel_down", key, severity: "warning", data });
    }
  }

  /** Why a person gets nothing there, by person; the household, unless it is a trouble of known accounts alone. */
  private concerned(channel: string, { code, message, accounts }: Report): ReadonlyMap<string, Trouble> {
    const own = accounts.flatMap((trouble) =>
      this.accounts
        .all(channel)
        .filter(({ account }) => account === trouble.account)
        .map(({ person }) => [person, trouble] as const),
    );
    if (own.length > 0) return new Map(own);
    return new Map([[HOUSEHOLD, { code: code ?? "UNKNOWN", message: message ?? "no reason is known" }]]);
  }

  private personFor(given: string | undefined): string {
    const { people } = this.parts.household;
    const ids = people.map(({ id }) => id);
    if (given === undefined && ids.length > 1) {
      const what = `whose account shall it be? name one of: ${ids.join(", ")}`;
      throw invalidArgument(what, { details: { people: ids } });
    }
    const person = given ?? ids[0] ?? HOUSEHOLD;
    if (person === HOUSEHOLD || ids.includes(person)) return person;
    throw notFound(`there is no person "${excerpt(person)}" in the configuration`);
  }
}

const TEST = {
  title: "Tendril: a test",
  text: "This is a test of this channel. It works. There is nothing to do.",
};

/** The bridge's own code, where it gave one. */
/** With the code that the bridge has given, as `tendril channel list` has it too. */
const byItsCause = ({ kind, what, particulars: { details } }: TendrilError): TendrilError =>
  new TendrilError(typeof details?.cause === "string" ? { ...kind, code: details.cause } : kind, what);

export const channels = definePart("channels", async (house) => {
  const plans = plansOf(house.config(channelsConfig).channels);
  const people = await house.use(household);
  const parts: ChannelParts = {
    ...{ house, plans, household: people },
    jobs: await house.use(jobs),
    outbox: await house.use(outbox),
    accounts: await Accounts.open(house, plans, people),
    letters: await Letters.open(house),
  };
  const pictures = new LetterPictures(await house.use(camera), house.clock);
  const delivery = new Delivery(parts, pictures, (message) => endings.tell(message));
  const endings = new Endings(parts, (person) => delivery.reader(person));
  const health = new ChannelHealth(house, parts.jobs);
  const caller = new Caller(house);
  const receiver = new Receiver({ ...parts, caller, delivery, endings });
  const opened = { ...parts, health, delivery, endings, receiver, caller };
  watch(opened);
  return new Channels(opened);
});

/** Follows the journals: what is new is brought, what has ended is told. */
function watch(parts: ChannelsParts): void {
  const { house, outbox: news, delivery, endings } = parts;
  const answers = new ChatAnswers(parts, delivery);
  house.journal(MESSAGE_LOG).watch((stored) => {
    if (stored.record.direction !== "to_human") return;
    delivery.note(stored.id, stored.record);
    endings.messageChanged(stored);
    delivery.look();
  });
  house.journal(APPROVAL_LOG).watch((stored) => {
    endings.requestChanged(stored);
    tellYes(news, stored.id, stored.record).catch(house.complain);
  });
  for (const module of house.modules) module.watchChats?.(house, (answer) => answers.bring(answer));
  house.onClose(() => {
    delivery.close();
    endings.close();
    answers.close();
  });
}

/** Every other channel hears of a yes that was said on one: a captured bridge cannot say it in secret. */
async function tellYes(news: Outbox, id: number, record: ApprovalRecord): Promise<void> {
  const [by, channel] = (record.answered_by ?? "").split("@");
  if (record.state !== "approved" || by === undefined || channel === undefined) return;
  const { agent, tool, plant, arguments: args, user_id } = record;
  const isShared = user_id === undefined || user_id === HOUSEHOLD;
  const data = { id, agent, tool, ...(isShared && { arguments: args }), by, channel };
  await news.tell({
    kind: "approval_answered",
    severity: "info",
    data,
    ...(plant !== undefined && { plant }),
  });
}
