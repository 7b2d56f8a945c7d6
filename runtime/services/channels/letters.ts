import { createHash, randomBytes } from "node:crypto";
import { HOUSEHOLD } from "../household/household.js";
import type { House, Restored } from "../module.js";

/** A line of journal/channels.jsonl: an account, a letter, or what became of one. */
type ChannelEntry = { readonly timestamp: string } & (
  | ({ readonly kind: "paired" } & AccountFields)
  | { readonly kind: "removed"; readonly of: number; readonly by: string }
  | ({ readonly kind: "letter" } & LetterFields)
  | { readonly kind: "revised"; readonly of: number; readonly outcome: string }
  // what an erasure has left of any of these
  | { readonly kind: "erased"; readonly erased: true }
);

/** An account of a person on a channel. */
export interface Account extends AccountFields {
  /** Its number in the journal. */
  readonly id: number;
  /** Nothing older is sent to it. */
  readonly since: string;
}

interface AccountFields {
  readonly channel: string;
  readonly account: string;
  /** Whose it is: a person, or the household. */
  readonly person: string;
  /** As the account calls itself there. */
  readonly name: string | null;
  /** It stands in the configuration: no code has paired it. */
  readonly configured: boolean;
}

interface LetterFields {
  readonly message: number;
  readonly channel: string;
  readonly account: string;
  readonly person: string;
  /** Names it there, for its revision. */
  readonly ref: string | null;
  /** Of the nonce in its buttons. */
  readonly digest?: string;
}

interface AccountRecord extends AccountFields {
  readonly kind: "account";
  readonly since: string;
  readonly removed: boolean;
}

interface LetterRecord extends LetterFields {
  readonly kind: "letter";
  readonly timestamp: string;
  /** What it was told of its end; null as long as it is open. */
  readonly outcome: string | null;
}

/** An account that was erased: nobody's. */
const ERASED: AccountRecord = {
  ...{ kind: "account", channel: "", account: "", person: HOUSEHOLD, name: null, since: "" },
  ...{ configured: false, removed: true },
};

export const ACCOUNTS = "accounts";
const LETTERS = "letters";

export const CHANNEL_LOG = {
  name: "channels",
  erasable: true,
  subject: (entry: ChannelEntry) =>
    entry.kind === "paired" ? ACCOUNTS : entry.kind === "letter" ? LETTERS : undefined,
  fold: (
    previous: AccountRecord | LetterRecord | undefined,
    entry: ChannelEntry,
  ): AccountRecord | LetterRecord => {
    if ("erased" in entry) return ERASED;
    const { timestamp } = entry;
    if (entry.kind === "paired") return { ...entry, kind: "account", since: timestamp, removed: false };
    if (entry.kind === "letter") return { ...entry, outcome: null };
    if (entry.kind === "removed" && previous?.kind === "account") return { ...previous, removed: true };
    if (entry.kind === "revised" && previous?.kind === "letter")
      return { ...previous, outcome: entry.outcome };
    throw new Error(`channels.jsonl: ${entry.kind} of ${entry.of}, which is none`);
  },
};

type ChannelRecord = AccountRecord | LetterRecord;

const isOpenAccount = (record: ChannelRecord | undefined): boolean =>
  record?.kind === "account" && !record.removed;
const isRemoved = (record: ChannelRecord | undefined): boolean =>
  record?.kind === "account" && record.removed;

/** An account that is lost stays: people get their alarms there. */
export const accountsRemovedSince = ({
  before,
  today,
  timestamp,
}: Restored<ChannelRecord>): readonly ChannelEntry[] =>
  before
    .filter(({ id, record }) => isOpenAccount(record) && isRemoved(today.get(id)))
    .map(({ id: of }) => ({ timestamp, kind: "removed", of, by: "a restore" }));

/** How many of the newest letters a start reads. A choice: more than a week of a busy house. */
const REMEMBERED = 1000;

/** A letter that has reached an account. */
export interface Letter extends Omit<LetterRecord, "kind"> {
  readonly id: number;
}

/** What a button stands for. */
export interface Pressed {
  readonly message: number;
  readonly person: string;
  /** What the letter was told of its end. */
  readonly outcome: string | null;
  readonly answer: string;
}

/** A letter on its way: it may have arrived already, and its button been pressed. */
interface Sending {
  readonly message: number;
  readonly account: Account;
  readonly nonce: string;
}

/** 128 random bits: nobody guesses them. */
const NONCE_BYTES = 16;

/** The data of a button: at most 29 bytes, of the 64 that Telegram takes. */
export const buttonData = (nonce: string, answer: string): string => `${nonce}.${answer}`;

const digestOf = (nonce: string): string => createHash("sha256").update(nonce).digest("base64url");

/** The letters that have reached people, on the disk: no letter rings twice, and each can be told how it ended. */
export class Letters {
  private all: readonly Letter[] = [];
  private sending: readonly Sending[] = [];

  private constructor(private readonly house: Pick<House, "journal" | "timestamp">) {}

  static async open(house: House): Promise<Letters> {
    const letters = new Letters(house);
    for await (const { id, record } of house
      .journal(CHANNEL_LOG)
      .newest({ limit: REMEMBERED, subject: LETTERS }))
      if (record.kind === "letter") letters.all = [{ ...record, id }, ...letters.all];
    return letters;
  }

  /** Of a message or notification. */
  of(message: number): readonly Letter[] {
    return this.all.filter((each) => each.message === message);
  }

  /** Those that were not told of their end. */
  open(): readonly Letter[] {
    return this.all.filter(({ outcome }) => outcome === null);
  }

  /** For the buttons of a letter that is sent now. It stays the same until the letter is known to have arrived. */
  nonceFor(message: number, account: Account): string {
    const isIt = (each: Sending) => each.message === message && each.account.id === account.id;
    const before = this.sending.find(isIt);
    if (before) return before.nonce;
    const nonce = randomBytes(NONCE_BYTES).toString("base64url");
    this.sending = [...this.sending, { message, account, nonce }].slice(-REMEMBERED);
    return nonce;
  }

  /** A letter has arrived. Only the nonce's digest is kept: who reads the journal can press nothing. */
  async add(message: number, to: Account, ref: string | null, hasButtons: boolean): Promise<void> {
    const { channel, account, person } = to;
    const nonce = this.nonceFor(message, to);
    const digest = hasButtons ? { digest: digestOf(nonce) } : {};
    const fields = { message, channel, account, person, ref, ...digest };
    const entry = { timestamp: this.house.timestamp(), kind: "letter", ...fields } as const;
    const { id } = await this.house.journal(CHANNEL_LOG).append(entry);
    this.all = [...this.all, { ...fields, id, timestamp: entry.timestamp, outcome: null }].slice(-REMEMBERED);
    this.sending = this.sending.filter((each) => each.nonce !== nonce);
  }

  async noteOutcome({ id }: Letter, outcome: string): Promise<void> {
    const entry = { timestamp: this.house.timestamp(), kind: "revised", of: id, outcome } as const;
    await this.house.journal(CHANNEL_LOG).append(entry);
    this.all = this.all.map((each) => (each.id === id ? { ...each, outcome } : each));
  }

  /** What a button stands for that was sent to this account; undefined for any other data. */
  pressed(channel: string, account: string, data: string): Pressed | undefined {
    const [nonce = "", answer = ""] = data.split(".");
    const digest = digestOf(nonce);
    const isTo = (to: Pick<Account, "channel" | "account">) =>
      to.channel === channel && to.account === account;
    const letter = this.all.find((each) => each.digest === digest && isTo(each));
    if (letter) return { ...letter, answer };
    const sending = this.sending.find((each) => digestOf(each.nonce) === digest && isTo(each.account));
    return sending && { message: sending.message, person: sending.account.person, outcome: null, answer };
  }

  /** Forgets letters that are erased of the journal. */
  drop(ids: readonly number[]): void {
    this.all = this.all.filter(({ id }) => !ids.includes(id));
  }
}
