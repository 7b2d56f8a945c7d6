import { z } from "zod";
import { seconds } from "../../../drivers/units.js";
import { shortText } from "../../tools/parameters.js";
import {
  type CallAnswer,
  type CatalogAnswer,
  callAnswer,
  catalogAnswer,
  entityId,
  type HistoryAnswer,
  HOME_ANSWERS,
  historyAnswer,
  type StatesAnswer,
  statesAnswer,
} from "../../wire/home.js";
import type { JobKind } from "../bridge/job.js";
import { canNeedOptIn } from "./policy.js";

/** A choice: more than any home shows to an agent, and small enough to check in a moment. */
const MAX_ENTITIES = 2000;

const settings = z
  .strictObject({
    name: shortText(60, "what agents and people call it; by default Home Assistant's name").optional(),
    may: z.enum(["see", "act"]).default("act").describe("see: agents read it and change nothing"),
    opt_in: z
      .boolean()
      .default(false)
      .describe("unlock, open or disarm it, each time with a person's yes; never without this"),
    opaque: z
      .enum(["confirm", "allowed"])
      .default("confirm")
      .describe("for what may do more than its name says: allowed takes away the yes that this needs"),
  })
  .prefault({});
export type EntitySettings = z.output<typeof settings>;

/** `light.kitchen:` without settings is null in YAML. */
const listing = z.preprocess((value) => value ?? {}, settings);

/** Configuration: the entities of Home Assistant that there are for agents. All others do not exist for them. */
export const homeConfig = {
  home: z
    .strictObject({
      entities: z
        .record(entityId, listing)
        .refine((all) => Object.keys(all).length <= MAX_ENTITIES, {
          error: `has more than ${MAX_ENTITIES} entities`,
        })
        .superRefine((all, ctx) => {
          for (const [id, each] of Object.entries(all))
            for (const [key, message] of mistakesIn(id, each))
              ctx.addIssue({ code: "custom", path: [id, key], message, input: each[key] });
        })
        .default({})
        .describe("by entity id; what is not listed is not there for agents"),
    })
    .nullable()
    .default(null)
    .describe("entities of Home Assistant that agents may see or use (docs/home.md)"),
};

/** Settings that would do nothing. */
function mistakesIn(id: string, { may, opt_in, opaque }: EntitySettings): [keyof EntitySettings, string][] {
  const found: [keyof EntitySettings, string][] = [];
  if (opt_in && may === "see") found.push(["opt_in", "does nothing with may: see"]);
  else if (opt_in && !canNeedOptIn(id)) found.push(["opt_in", "does nothing for this kind of entity"]);
  if (opaque === "allowed" && may === "see") found.push(["opaque", "does nothing with may: see"]);
  return found;
}

/** The time for an answer from what the bridge has in memory, or asks of Home Assistant in a moment. A choice. */
const SOON = seconds(15);

const reads = <A>(what: keyof typeof HOME_ANSWERS, answer: z.ZodType<A>): JobKind<A> => ({
  ...{ adapter: "home", what, effects: false, within: SOON, most: HOME_ANSWERS[what], answer },
});

export const CATALOG = reads<CatalogAnswer>("catalog", catalogAnswer);
export const STATES = reads<StatesAnswer>("states", statesAnswer);
export const HISTORY = reads<HistoryAnswer>("history", historyAnswer);

/** Seconds in which the states must follow. A choice: a lock takes two, a garage door ten and more. */
export const SETTLE_S = 12;

/**
 * A choice: Home Assistant's own answer and the settling. With the 20 s for a person's yes it is within the 60 s that MCP
 * clients allow a call by default.
 */
export const CALL: JobKind<CallAnswer> = {
  adapter: "home",
  what: "call",
  effects: true,
  within: seconds(35),
  most: HOME_ANSWERS.call,
  answer: callAnswer,
};
