import { z } from "zod";
import {
  errorTable,
  excerpt,
  final,
  invalidArgument,
  notAllowed,
  notFound,
  TendrilError,
} from "../../errors.js";
import { shortText } from "../../tools/parameters.js";
import type { Call, Caller } from "../../tools/tool.js";
import { isZone } from "../../wire/house-time.js";
import { type Identity, mayActAs } from "../../wire/identity.js";
import { mailAddress, sameAddress } from "../../wire/mail.js";
import { shortId } from "../../wire/short-id.js";
import { definePart } from "../module.js";

/** The owner of rows that belong to everybody in the house. No person can have this id. */
export const HOUSEHOLD = "household";

/** Refuses a key of the configuration that names a person who is not under `people`. Where nobody is there, any id is somebody. */
export function refuseNobody(
  { person, people }: { readonly person: string; readonly people: readonly { readonly id: string }[] },
  path: PropertyKey[],
  ctx: z.core.$RefinementCtx,
): void {
  if (people.length === 0 || person === HOUSEHOLD || people.some(({ id }) => id === person)) return;
  ctx.addIssue({ code: "custom", path, message: `no "${person}" is under people` });
}

/** A choice: a large family with guests. */
const MAX_PEOPLE = 50;

const person = z.strictObject({
  id: shortId
    .refine((id) => id !== HOUSEHOLD, { error: "is the name for what belongs to everybody: choose another" })
    .describe("names the person in tools and records; 1–32 of a–z, 0–9, _ and -"),
  name: shortText(60, "what others call the person").optional(),
  zone: z
    .string()
    .refine(isZone, "must be a time zone such as America/Recife or UTC")
    .optional()
    .describe("where the person lives; the zone of the house by default"),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/, { error: "must be a language code such as en, es or pt" })
    .default("en")
    .describe("ISO 639 code of the language that the person writes"),
  email: mailAddress
    .optional()
    .describe("where mails to this person go; an agent may write to it without asking (docs/mail.md)"),
  tokens: z
    .array(z.string().min(1).max(64))
    .max(20)
    .default([])
    .describe("names of tokens that only this person uses, such as human.anna"),
  channels: z
    .array(z.string().min(1).max(40))
    .max(10)
    .optional()
    .describe("how this person is reached, such as [telegram, mail]: the first that works; by default all"),
  quiet_hours: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, { error: "must be written as 22:00-07:00" })
    .optional()
    .describe("in the person's zone: only what is urgent rings then, the rest comes afterwards"),
});

export type Person = z.output<typeof person>;

export const peopleKeys = {
  people: z
    .array(person)
    .max(MAX_PEOPLE)
    .superRefine((people, ctx) => {
      refuseShared(people, ctx, ({ id }) => [id]);
      refuseShared(people, ctx, ({ tokens }) => tokens);
      refuseShared(people, ctx, ({ email }) => (email === undefined ? [] : [email.toLowerCase()]));
    })
    .default([])
    .describe("who lives here; lists, tasks and memories then belong to a person or to the household"),
};

function refuseShared(
  people: readonly Person[],
  ctx: z.core.$RefinementCtx,
  claims: (person: Person) => readonly string[],
): void {
  const seen = new Set<string>();
  people.forEach((each, index) => {
    for (const claim of claims(each)) {
      if (seen.has(claim))
        ctx.addIssue({
          code: "custom",
          path: [index],
          message: `"${claim}" is named twice among the people`,
        });
      seen.add(claim);
    }
  });
}

export const HOUSEHOLD_ERRORS = errorTable({
  ALREADY_EXISTS: final("use the one whose id is named here", "nothing"),
  AMBIGUOUS_NAME: final("call again with one of the ids that are named here", "nothing"),
  MODULE_OFF: final(
    "take its line out of `modules:` in the configuration, restart the runtime and call again",
    "nothing",
  ),
});

export const alreadyThere = (what: string, details: Readonly<Record<string, unknown>>): TendrilError =>
  new TendrilError(HOUSEHOLD_ERRORS.ALREADY_EXISTS, what, { details });

/** `user_id` and `chat_id`, which every operation of the planner takes. */
export const whoInput = {
  user_id: shortText(64, 'whose: a person, or "household"').optional(),
  chat_id: shortText(128, "the chat it came from").optional(),
};

export interface Who {
  readonly user_id?: string | undefined;
  readonly chat_id?: string | undefined;
}

/** How much somebody reads of what a person is asked: all, what an answer can be weighed by, what kind it is, or nothing. */
type Reading = "all" | "outline" | "kind" | "nothing";

/** Whose rows a call may see, and in which order a name is looked up. */
export interface View {
  sees(owner: string): boolean;
  /** Where a name fits rows of several owners: this one's come before the household's. Undefined: all are equal. */
  readonly first: string | undefined;
}

/**
 * Who is asking, and whose rows that person may see. A call in a turn is bound to the turn's person, and a token that `people`
 * names to its person: it may name that person or the household. An observer's token that is nobody's sees what is the
 * household's. Any other token (the owner's agent, a script) may name everybody. Without configured people, every id is a
 * label.
 */
export class Household {
  constructor(
    readonly people: readonly Person[],
    private readonly houseZone: string,
  ) {}

  /** Whose a new row is: of the person named, of the token's person, else of the household. Throws NOT_FOUND, FORBIDDEN. */
  ownerOf(call: Call, userId: string | undefined): string {
    const bound = this.boundTo(call);
    this.assertMayName(bound, userId);
    return userId ?? bound ?? HOUSEHOLD;
  }

  /** Throws NOT_FOUND, FORBIDDEN. */
  viewOf(caller: Caller, userId: string | undefined): View {
    const bound = this.boundTo(caller) ?? this.ofTheHouse(caller);
    this.assertMayName(bound, userId);
    const first = userId ?? bound;
    return { first, sees: (owner) => first === undefined || owner === first || owner === HOUSEHOLD };
  }

  /** That a call may take out or erase everything about this person. Throws FORBIDDEN, INVALID_ARGUMENT. */
  assertMayActFor(call: Call, person: string): void {
    if (person === HOUSEHOLD)
      throw invalidArgument(`${HOUSEHOLD} is no person: its rows belong to everybody`);
    const bound = this.boundTo(call);
    if (bound !== undefined && bound !== person)
      throw notAllowed(`this token belongs to ${bound}, and may name only ${bound}`);
  }

  /** The person whose token this is, or who acts on a channel; undefined for a token that is nobody's. */
  personOfToken = (name: string): string | undefined =>
    this.people.find(({ id, tokens }) => tokens.includes(name) || name.startsWith(`${id}@`))?.id;

  /** The person whose mail address this is; undefined for one that is nobody's. */
  personOfAddress = (address: string): string | undefined =>
    this.people.find(({ email }) => email !== undefined && sameAddress(email, address))?.id;

  /**
   * The tokens whose messages to the agent a caller may read, undefined for all: a person their own, and those of tokens that are nobody's; an
   * observer that is nobody's these alone. An agent that is nobody's reads all, since it answers them; a person's own agent
   * reads what that person does.
   */
  writersSeenBy(caller: Caller): ((token: string) => boolean) | undefined {
    const { role, name } = caller.identity;
    if (role === "agent" && this.personOfToken(name) === undefined) return undefined;
    const { first, sees } = this.viewOf(caller, undefined);
    return first === undefined ? undefined : (token) => sees(this.personOfToken(token) ?? HOUSEHOLD);
  }

  /** Undefined for the household, and for a label. */
  person(owner: string): Person | undefined {
    return this.people.find(({ id }) => id === owner);
  }

  /** The zone in which this owner's times without an offset are read. */
  zoneOf = (owner: string): string => this.person(owner)?.zone ?? this.houseZone;

  /**
   * Whether a call may read what is this person's alone: in the person's turn, by the person's own token, or by a human one
   * that is nobody's.
   */
  mayReadPrivate(call: Call, owner: string): boolean {
    const bound = this.boundTo(call);
    return bound === undefined ? call.identity.role === "human" : bound === owner;
  }

  /**
   * How much a caller reads of a request that belongs to this owner. The owner of the house can answer for each person, and
   * does not read what is that person's alone; in a house of one person they are the same. The bridge brings it to that
   * person. An agent cannot answer: outside of that person's turns it reads nothing. An observer's token that is not the
   * owner's is a tablet on the wall, which everybody reads: it shows what kind of request waits.
   */
  readingOf(caller: Caller, owner: string): Reading {
    if (!this.viewOf(caller, undefined).sees(owner)) return "nothing";
    if (caller.identity.role === "observer" && owner !== this.boundTo(caller)) return "kind";
    const isTheirs = owner === HOUSEHOLD || owner === this.boundTo(caller) || this.people.length <= 1;
    if (isTheirs) return "all";
    const { role } = caller.identity;
    return mayActAs(role, "human") || role === "bridge" ? "outline" : "nothing";
  }

  /** Whether the caller is this person: by their own token or one that is nobody's. Everybody in the house is the household. */
  speaksFor({ identity }: Call, owner: string): boolean {
    return mayActAs(identity.role, "human") && this.isNobodysOr(identity, owner);
  }

  /** Those of these tokens that are of another person than the turn's. */
  strangersTo({ turn }: Call, tokens: readonly string[]): readonly string[] {
    if (!turn || turn.person === HOUSEHOLD) return [];
    return [...new Set(tokens)].filter((name) => (this.personOfToken(name) ?? turn.person) !== turn.person);
  }

  /** Whether a turn of this person may be begun with the token. */
  mayServe({ identity }: Call, owner: string): boolean {
    return this.isNobodysOr(identity, owner);
  }

  /** That a call may act as this person or the household from elsewhere: a person's own token only as that person. Throws FORBIDDEN. */
  assertIs(call: Call, person: string): void {
    const bound = this.boundTo(call);
    if (bound === undefined || bound === person) return;
    throw notAllowed(`this token belongs to ${bound}, and may speak only for ${bound}`);
  }

  /** The person of the turn, else of the token. */
  boundTo({ identity, turn }: Caller): string | undefined {
    return turn?.person ?? this.personOfToken(identity.name);
  }

  /** Whether the token is nobody's, this owner's, or a person's where the owner is the household. */
  private isNobodysOr({ name }: Identity, owner: string): boolean {
    const person = this.personOfToken(name);
    return person === undefined || owner === person || owner === HOUSEHOLD;
  }

  /**
   * Where people are configured, an observer that is nobody's (a tablet on the wall) sees what is everybody's, as does the
   * household's own account on a channel.
   */
  private ofTheHouse({ identity: { name, role } }: Caller): string | undefined {
    const isEverybodys = role === "observer" || name.startsWith(`${HOUSEHOLD}@`);
    return this.people.length > 0 && isEverybodys ? HOUSEHOLD : undefined;
  }

  private assertMayName(bound: string | undefined, userId: string | undefined): void {
    if (userId === undefined || userId === HOUSEHOLD) return;
    if (bound === HOUSEHOLD)
      throw notAllowed(`this observer's token belongs to nobody, and sees only what is the ${HOUSEHOLD}'s`);
    if (bound !== undefined && userId !== bound)
      throw notAllowed(`this token or turn belongs to ${bound}, and may name only ${bound} or ${HOUSEHOLD}`);
    if (this.people.length > 0 && !this.people.some(({ id }) => id === userId))
      throw notFound(`there is no person "${excerpt(userId)}" in the configuration`);
  }
}

export const household = definePart(
  "household",
  (house) => new Household(house.config(peopleKeys).people, house.core.zone),
);
