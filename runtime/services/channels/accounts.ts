import type { Clock } from "../../../drivers/ports.js";
import { hours, type Millis, minutes, plus } from "../../../drivers/units.js";
import { excerpt, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { newCode, pairingCode, spelled } from "../../wire/pairing.js";
import { sameText } from "../../wire/proof.js";
import { CHANNEL_ERRORS, type ChannelPlan } from "./declarations.js";
import { ACCOUNTS, type AccountRecord, type ChannelEntry, type LetterRecord } from "./letters.js";

/** An account of a person on a channel. */
export interface Account {
  /** Its number in the journal. */
  readonly id: number;
  readonly channel: string;
  readonly account: string;
  readonly person: string;
  readonly name: string | null;
  /** Nothing older is sent to it. */
  readonly since: string;
  /** It stands in the configuration: no code has paired it. */
  readonly configured: boolean;
}

/** A choice: a household has a phone or two a person. */
const MAX_ACCOUNTS = 200;
/** A choice: time to take the phone and type. */
const CODE_LASTS: Millis = minutes(10);
/** Choices: a person who mistypes is not shut out; who guesses is, and only that account. */
const MAX_MISSES = 5;
const SHUT_OUT: Millis = hours(1);
/** Accounts of strangers whose misses are counted. A choice: some kilobytes. */
const MAX_STRANGERS = 1000;

interface OpenCode {
  readonly code: string;
  readonly person: string;
  readonly until: Millis;
}

interface Misses {
  readonly count: number;
  readonly since: Millis;
}

interface AccountsParts {
  readonly log: RecordLog<ChannelEntry, AccountRecord | LetterRecord>;
  readonly plans: readonly ChannelPlan[];
  /** Real time, for the codes. */
  readonly clock: Clock;
  readonly timestamp: () => string;
  /** Whether the person still lives here: who was taken out of the configuration has no account any more. */
  readonly livesHere: (person: string) => boolean;
}

/**
 * Whose account is whose, and the codes that make it so. Guesses of strangers count for their account alone: nobody can void
 * a code that waits for a person.
 */
export class Accounts {
  private readonly codes = new Map<string, OpenCode>();
  /** By channel and account. */
  private readonly misses = new Map<string, Misses>();

  private constructor(
    private readonly parts: AccountsParts,
    private known: readonly Account[],
  ) {}

  static async open(parts: AccountsParts): Promise<Accounts> {
    const found: Account[] = [];
    for await (const { id, record } of parts.log.newest({ limit: MAX_ACCOUNTS, subject: ACCOUNTS }))
      if (record.kind === "account" && !record.removed) found.push({ ...record, id });
    const accounts = new Accounts(
      parts,
      found.filter(
        (each) => parts.livesHere(each.person) && (!each.configured || isPlanned(parts.plans, each)),
      ),
    );
    for (const { name, accounts: planned } of parts.plans)
      for (const [person, account] of Object.entries(planned))
        if (!accounts.of(name, person).some((each) => each.account === account))
          await accounts.add({ channel: name, account, person, name: null, configured: true });
    return accounts;
  }

  all(channel: string): readonly Account[] {
    return this.known.filter((each) => each.channel === channel);
  }

  of(channel: string, person: string): readonly Account[] {
    return this.all(channel).filter((each) => each.person === person);
  }

  /** Throws UNKNOWN_ACCOUNT. */
  find(channel: string, account: string): Account {
    const found = this.all(channel).find((each) => each.account === account);
    if (found) return found;
    const what = `${excerpt(account)} is no account of anybody on ${channel}`;
    throw new TendrilError(CHANNEL_ERRORS.UNKNOWN_ACCOUNT, what);
  }

  /** A new code for the person; it replaces the one before of that channel. */
  openCode(channel: string, person: string): { code: string; expires_in_s: number } {
    const code = newCode();
    const until = plus(this.parts.clock.monotonic(), CODE_LASTS);
    this.codes.set(channel, { code, person, until });
    return { code: spelled(code), expires_in_s: CODE_LASTS / 1000 };
  }

  /** Pairs the account with the code's person. Throws CODE_REFUSED, in the same words for every cause. */
  async pair(channel: string, { account, name, typed }: PairingWish): Promise<Account> {
    this.assertNotShutOut(channel, account);
    const open = this.codes.get(channel);
    const isOpen = open !== undefined && this.parts.clock.monotonic() < open.until;
    if (!isOpen || !isCode(typed, open.code)) throw this.miss(channel, account);
    this.codes.delete(channel);
    const before = this.all(channel).find((each) => each.account === account);
    if (before) await this.remove(before, "a new pairing");
    return this.add({ channel, account, person: open.person, name, configured: false });
  }

  /** Throws INVALID_ARGUMENT for an account of the configuration. */
  async remove(account: Account, by: string): Promise<void> {
    if (account.configured) {
      const what = `${account.account} stands in the configuration: take it out there`;
      throw new TendrilError("INVALID_ARGUMENT", what);
    }
    await this.parts.log.append({ timestamp: this.parts.timestamp(), kind: "removed", of: account.id, by });
    this.known = this.known.filter((each) => each !== account);
  }

  /** Forgets accounts that are erased of the journal. */
  drop(ids: readonly number[]): void {
    this.known = this.known.filter(({ id }) => !ids.includes(id));
  }

  private async add(fields: Omit<Account, "id" | "since">): Promise<Account> {
    const timestamp = this.parts.timestamp();
    const { id } = await this.parts.log.append({ timestamp, kind: "paired", ...fields });
    const added = { ...fields, id, since: timestamp };
    this.known = [...this.known, added];
    return added;
  }

  private assertNotShutOut(channel: string, account: string): void {
    const { count = 0, since } = this.misses.get(`${channel} ${account}`) ?? {};
    if (since === undefined || count < MAX_MISSES) return;
    const wait = since + SHUT_OUT - this.parts.clock.monotonic();
    if (wait <= 0) return void this.misses.delete(`${channel} ${account}`);
    throw new TendrilError("RATE_LIMITED", `this account has tried ${MAX_MISSES} wrong codes`, {
      retryAfter: Math.ceil(wait / 1000),
    });
  }

  private miss(channel: string, account: string): TendrilError {
    const key = `${channel} ${account}`;
    const count = (this.misses.get(key)?.count ?? 0) + 1;
    this.misses.delete(key); // the newest is the last
    this.misses.set(key, { count, since: this.parts.clock.monotonic() });
    const [oldest] = this.misses.keys();
    if (this.misses.size > MAX_STRANGERS && oldest !== undefined) this.misses.delete(oldest);
    return new TendrilError(CHANNEL_ERRORS.CODE_REFUSED, "the code is wrong, used or expired");
  }
}

interface PairingWish {
  readonly account: string;
  readonly name: string | null;
  readonly typed: string;
}

const isPlanned = (plans: readonly ChannelPlan[], { channel, person, account }: Account): boolean =>
  plans.find(({ name }) => name === channel)?.accounts[person] === account;

function isCode(typed: string, code: string): boolean {
  try {
    return sameText(pairingCode(typed), code);
  } catch {
    return false;
  }
}
