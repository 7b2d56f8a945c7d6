import { HOUSEHOLD } from "../household/household.js";

/** A line of journal/channels.jsonl: an account, a letter, or what became of one. */
export type ChannelEntry = { readonly timestamp: string } & (
  | ({ readonly kind: "paired" } & AccountFields)
  | { readonly kind: "removed"; readonly of: number; readonly by: string }
  | ({ readonly kind: "letter" } & LetterFields)
  | { readonly kind: "revised"; readonly of: number; readonly outcome: string }
  // what an erasure has left of any of these
  | { readonly kind: "erased"; readonly erased: true }
);

interface AccountFields {
  readonly channel: string;
  readonly account: string;
  /** Whose it is: a person, or the household. */
  readonly person: string;
  /** As the account calls itself there. */
  readonly name: string | null;
  readonly configured: boolean;
}

interface LetterFields {
  /** The number of the message or notification. */
  readonly message: number;
  readonly channel: string;
  readonly account: string;
  readonly person: string;
  /** Names it there, for its revision. */
  readonly ref: string | null;
  /** Of the nonce in its buttons. */
  readonly digest?: string;
}

export interface AccountRecord extends AccountFields {
  readonly kind: "account";
  readonly since: string;
  readonly removed: boolean;
}

export interface LetterRecord extends LetterFields {
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
export const LETTERS = "letters";

export const CHANNEL_LOG = {
  name: "channels",
  erasable: true,
  recordId: (entry: ChannelEntry) => ("of" in entry ? entry.of : undefined),
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
