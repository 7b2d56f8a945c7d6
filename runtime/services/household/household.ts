import { z } from "zod";
import { errorTable, excerpt, TendrilError } from "../../errors.js";
import { shortText } from "../../tools/parameters.js";
import type { Call } from "../../tools/tool.js";
import { isZone } from "../../wire/house-time.js";
import { definePart } from "../module.js";

/** The owner of rows that belong to everybody in the house. No person can have this id. */
export const HOUSEHOLD = "household";

/** A choice: a large family with guests. */
const MOST_PEOPLE = 50;

const person = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,31}$/, { error: "must be 1–32 of a–z, 0–9, _ and -, starting with a letter" })
    .refine((id) => id !== HOUSEHOLD, { error: "is the name for what belongs to everybody: choose another" }),
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
  tokens: z
    .array(z.string().min(1).max(64))
    .max(20)
    .default([])
    .describe("names of tokens that only this person uses, such as human.anna"),
});

export type Person = z.output<typeof person>;

export const peopleKeys = {
  people: z
    .array(person)
    .max(MOST_PEOPLE)
    .superRefine((people, ctx) => {
      refuseShared(people, ctx, ({ id }) => [id]);
      refuseShared(people, ctx, ({ tokens }) => tokens);
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
  ALREADY_EXISTS: { retryable: false, changed: "nothing", fix: "use the one whose id is named here" },
  AMBIGUOUS_NAME: {
    retryable: false,
    changed: "nothing",
    fix: "call again with one of the ids that are named here",
  },
});

/** `user_id` and `chat_id`, which every operation of the planner takes. */
export const whoInput = {
  user_id: shortText(64, 'whose: a person, or "household"').optional(),
  chat_id: shortText(128, "the chat it came from").optional(),
};

export interface Who {
  readonly user_id?: string | undefined;
  readonly chat_id?: string | undefined;
}

/** Whose rows a call may see, and in which order a name is looked up. */
export interface View {
  sees(owner: string): boolean;
  /** Where a name fits rows of several owners: this one's come before the household's. Undefined: all are equal. */
  readonly first: string | undefined;
}

/**
 * Who is asking, and whose rows that person may see. A token that `people` names is bound: it may name that person or the
 * household. Any other token (the owner's agent, a script) may name everybody. Without configured people, every id is a label.
 */
export class Household {
  constructor(
    readonly people: readonly Person[],
    private readonly houseZone: string,
  ) {}

  /** Whose a new row is: of the person named, of the token's person, else of the household. Throws NOT_FOUND, FORBIDDEN. */
  ownerOf(call: Call, userId: string | undefined): string {
    const bound = this.personOf(call)?.id;
    this.assertMayName(bound, userId);
    return userId ?? bound ?? HOUSEHOLD;
  }

  /** Throws NOT_FOUND, FORBIDDEN. */
  viewOf(call: Call, userId: string | undefined): View {
    const bound = this.personOf(call)?.id;
    this.assertMayName(bound, userId);
    const first = userId ?? bound;
    return { first, sees: (owner) => first === undefined || owner === first || owner === HOUSEHOLD };
  }

  /** The zone in which this owner's times without an offset are read. */
  zoneOf(owner: string): string {
    return this.people.find(({ id }) => id === owner)?.zone ?? this.houseZone;
  }

  /** Whether a call may read what is this person's alone: the person's own token, or a human one that is nobody's. */
  mayReadPrivate(call: Call, owner: string): boolean {
    const bound = this.personOf(call)?.id;
    return bound === undefined ? call.identity.role === "human" : bound === owner;
  }

  private personOf({ identity }: Call): Person | undefined {
    return this.people.find(({ tokens }) => tokens.includes(identity.name));
  }

  private assertMayName(bound: string | undefined, userId: string | undefined): void {
    if (userId === undefined || userId === HOUSEHOLD) return;
    if (bound !== undefined && userId !== bound)
      throw new TendrilError(
        "FORBIDDEN",
        `this token belongs to ${bound}, and may name only ${bound} or ${HOUSEHOLD}`,
      );
    if (this.people.length > 0 && !this.people.some(({ id }) => id === userId))
      throw new TendrilError("NOT_FOUND", `there is no person "${excerpt(userId)}" in the configuration`);
  }
}

export const household = definePart(
  "household",
  (house) => new Household(house.config(peopleKeys).people, house.core.zone),
);
