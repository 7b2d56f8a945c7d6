import { type Millis, minutes, plus } from "../../../drivers/units.js";
import { excerpt, invalidArgument, TendrilError, tooMany } from "../../errors.js";
import { Misses } from "../../wire/channels.js";
import { newCode, pairingCode, spelled } from "../../wire/pairing.js";
import { sameText } from "../../wire/proof.js";
import { HOUSEHOLD, type Household } from "../household/household.js";
import type { House } from "../module.js";
import { CHANNEL_ERRORS, type ChannelPlan } from "./declarations.js";
import { ACCOUNTS, type Account, CHANNEL_LOG } from "./letters.js";

/** A choice: a household has a phone or two a person. */
const MAX_ACCOUNTS = 200;
/** A choice: time to take the phone and type. */
const CODE_LASTS: Millis = minutes(10);

interface OpenCode {
  readonly code: string;
  readonly person: string;
  readonly until: Millis;
}

/**
 * Whose account is whose, and the codes that make it so. Guesses of strangers count for their account alone: nobody can void
 * a code that waits for a person.
 */
export class Accounts {
  private readonly codes = new Map<string, OpenCode>();
  /** By channel and account. */
  private readonly misses = new Misses();

  private constructor(
    private readonly house: Pick<House, "journal" | "realClock" | "timestamp">,
    private known: readonly Account[],
  ) {}

  /** Who was taken out of the configuration has no account any more. */
  static async open(house: House, plans: readonly ChannelPlan[], people: Household): Promise<Accounts> {
    const found: Account[] = [];
    const newest = house.journal(CHANNEL_LOG).newest({ limit: MAX_ACCOUNTS, subject: ACCOUNTS });
    for await (const { id, record } of newest)
      if (record.kind === "account" && !record.removed) found.push({ ...record, id });
    const isStill = (each: Account) =>
      (each.person === HOUSEHOLD || people.person(each.person) !== undefined) &&
      (!each.configured || isPlanned(plans, each));
    const accounts = new Accounts(house, found.filter(isStill));
    for (const { name, accounts: planned } of plans)
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
    const until = plus(this.house.realClock.monotonic(), CODE_LASTS);
    this.codes.set(channel, { code, person, until });
    return { code: spelled(code), expires_in_s: CODE_LASTS / 1000 };
  }

  /** Pairs the account with the code's person. Throws CODE_REFUSED, in the same words for every cause. */
  async pair(channel: string, { account, name, typed }: PairingWish): Promise<Account> {
    this.assertNotShutOut(channel, account);
    const open = this.codes.get(channel);
    const isOpen = open !== undefined && this.house.realClock.monotonic() < open.until;
    if (!isOpen || !isCode(typed, open.code)) throw this.miss(channel, account);
    this.codes.delete(channel);
    const before = this.all(channel).find((each) => each.account === account);
    if (before) await this.remove(before, "a new pairing");
    return this.add({ channel, account, person: open.person, name, configured: false });
  }

  /** Throws INVALID_ARGUMENT for an account of the configuration. */
  async remove(account: Account, by: string): Promise<void> {
    if (account.configured) {
      throw invalidArgument(`${account.account} stands in the configuration: take it out there`);
    }
    const entry = { timestamp: this.house.timestamp(), kind: "removed", of: account.id, by } as const;
    await this.house.journal(CHANNEL_LOG).append(entry);
    this.known = this.known.filter((each) => each !== account);
  }

  /** Forgets accounts that are erased of the journal. */
  drop(ids: readonly number[]): void {
    this.known = this.known.filter(({ id }) => !ids.includes(id));
  }

  private async add(fields: Omit<Account, "id" | "since">): Promise<Account> {
    const timestamp = this.house.timestamp();
    const { id } = await this.house.journal(CHANNEL_LOG).append({ timestamp, kind: "paired", ...fields });
    const added = { ...fields, id, since: timestamp };
    this.known = [...this.known, added];
    return added;
  }

  private assertNotShutOut(channel: string, account: string): void {
    const wait = this.misses.wait(`${channel} ${account}`, this.house.realClock.monotonic());
    if (wait > 0) throw tooMany("this account has tried too many wrong codes", wait / 1000);
  }

  private miss(channel: string, account: string): TendrilError {
    this.misses.add(`${channel} ${account}`, this.house.realClock.monotonic());
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
