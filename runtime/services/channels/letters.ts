import { createHash, randomBytes } from "node:crypto";
import type { RecordLog } from "../../store/record-log.js";
import type { Account } from "./accounts.js";
import { type AccountRecord, type ChannelEntry, LETTERS, type LetterRecord } from "./channel-log.js";

/** How many of the newest letters a start reads. A choice: more than a week of a busy house. */
const REMEMBERED = 1000;

/** A letter that has reached an account. */
export interface Letter extends Omit<LetterRecord, "kind"> {
  readonly id: number;
}

/** What a button stands for. */
interface Pressed {
  readonly letter: Letter;
  readonly answer: string;
}

interface LettersParts {
  readonly log: RecordLog<ChannelEntry, AccountRecord | LetterRecord>;
  readonly timestamp: () => string;
}

/** 128 random bits: nobody guesses them. */
const NONCE_BYTES = 16;

export const newNonce = (): string => randomBytes(NONCE_BYTES).toString("base64url");

/** The data of a button: at most 29 bytes, of the 64 that Telegram takes. */
export const buttonData = (nonce: string, answer: string): string => `${nonce}.${answer}`;

const digestOf = (nonce: string): string => createHash("sha256").update(nonce).digest("base64url");

/** The letters that have reached people, on the disk: no letter rings twice, and each can be told how it ended. */
export class Letters {
  private all: readonly Letter[] = [];

  private constructor(private readonly parts: LettersParts) {}

  static async open(parts: LettersParts): Promise<Letters> {
    const letters = new Letters(parts);
    for await (const { id, record } of parts.log.newest({ limit: REMEMBERED, subject: LETTERS }))
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

  /** Only the nonce's digest is kept: who reads the journal can press nothing. */
  async add(message: number, { channel, account, person }: Account, sent: SentAs): Promise<void> {
    const { timestamp, log } = this.parts;
    const digest = sent.nonce === undefined ? {} : { digest: digestOf(sent.nonce) };
    const fields = { message, channel, account, person, ref: sent.ref, ...digest };
    const entry = { timestamp: timestamp(), kind: "letter", ...fields } as const;
    const { id } = await log.append(entry);
    this.all = [...this.all, { ...fields, id, timestamp: entry.timestamp, outcome: null }].slice(-REMEMBERED);
  }

  async noteOutcome({ id }: Letter, outcome: string): Promise<void> {
    await this.parts.log.append({ timestamp: this.parts.timestamp(), kind: "revised", of: id, outcome });
    this.all = this.all.map((each) => (each.id === id ? { ...each, outcome } : each));
  }

  /** The letter and answer of a button that was sent to this account; undefined for any other data. */
  pressed(channel: string, account: string, data: string): Pressed | undefined {
    const [nonce = "", answer = ""] = data.split(".");
    const digest = digestOf(nonce);
    const letter = this.all.find(
      (each) => each.digest === digest && each.channel === channel && each.account === account,
    );
    return letter && { letter, answer };
  }

  /** Forgets letters that are erased of the journal. */
  drop(ids: readonly number[]): void {
    this.all = this.all.filter(({ id }) => !ids.includes(id));
  }
}

interface SentAs {
  readonly ref: string | null;
  readonly nonce: string | undefined;
}
