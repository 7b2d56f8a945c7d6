import { z } from "zod";
import { LONGEST_ANSWER } from "./bridge.js";

/**
 * What runtime and bridge say to each other about Home Assistant. All words in it are strangers': names, states,
 * attributes, errors. The bridge decides nothing; what may be seen and done is the runtime's to say.
 *
 * Jobs of the adapter "home": `catalog`, `states` and `history` without effects, `call` with effects.
 *
 * They fail with: NOT_CONFIGURED (bridge.yaml has no `home`, or no `act_token` for a call), NOT_CONNECTED (Home Assistant
 * does not answer; nothing was sent), TOKEN_REFUSED (it does not know the token, and is not asked again until the bridge
 * restarts), NOT_UNDERSTOOD (malformed arguments; nothing was sent), TOO_LARGE, TOO_SLOW, HOME_ASSISTANT (its own code and
 * words). `call` ends as "unknown" with CUT_OFF if the connection or the time ended after it was sent.
 */

/** As Home Assistant writes them [homeassistant/core.py, valid_entity_id]: lower case, no two underscores at the domain's ends. */
const SLUG = "(?!_)[a-z0-9_]{1,63}(?<!_)";
const slug = z
  .string()
  .regex(new RegExp(`^${SLUG}$`), { error: "must be lower case: a–z, 0–9 and _, as light" });
export const entityId = z
  .string()
  .max(255)
  .regex(/^(?!.+__)(?!_)[a-z0-9_]+(?<!_)\.(?!_)[a-z0-9_]+(?<!_)$/, {
    error: "must be one entity id in lower case, as light.kitchen_lights",
  });

/**
 * Domains of Home Assistant's entities [developers.home-assistant.io, Entity; its helpers]. Without those that are words of
 * every text before a full stop, such as date and time.
 */
export const ENTITY_DOMAINS: readonly string[] = `
  alarm_control_panel automation binary_sensor button calendar camera climate cover device_tracker event fan group
  humidifier image input_boolean input_button input_datetime input_number input_select input_text lawn_mower light lock
  media_player notify number person remote scene schedule script select sensor siren switch text timer todo update
  vacuum valve water_heater weather zone
`
  .trim()
  .split(/\s+/);

/** What ends a text that was cut. */
export const CUT_MARK = "… [cut]";

/**
 * Characters, and numbers of things. Choices, but for the state: Home Assistant has 255 characters at most
 * [homeassistant/const.py, MAX_LENGTH_STATE_STATE]. A name is a line. Attributes of an ordinary entity as JSON are some 500
 * characters; more than 4,000 would fill a small model's memory.
 */
export const HOME_LIMITS = {
  name: 100,
  state: 255,
  text: 500,
  attributes: 4000,
  message: 500,
  /** Entities in one answer to `states`, and in one call. */
  entities: 200,
  /** Of one entity in the catalog: its members, and what mentions it. Then it is `incomplete`. */
  links: 50,
  /** Entities in the catalog, with those that are disabled. A larger home is asked for with `only`. */
  catalog: 5000,
  /** Changes in one answer to `history`. */
  changes: 2000,
  /** Seconds that `call` may wait for the states. */
  settle_s: 30,
} as const;

const cut = (most: number) => z.string().max(most + CUT_MARK.length);
const name = cut(HOME_LIMITS.name);
const id = z.string().max(255);
/** ISO 8601 in UTC with milliseconds. */
const instant = z.iso.datetime({ precision: 3 });

export const catalogArguments = z.strictObject({
  only: z
    .array(entityId)
    .max(HOME_LIMITS.catalog)
    .optional()
    .describe("these entities; one that does not exist is left off"),
});
export type CatalogArguments = z.output<typeof catalogArguments>;

const catalogEntity = z.strictObject({
  entity_id: id,
  friendly_name: name.describe("the entity id if it has none"),
  state: cut(HOME_LIMITS.state).nullable().describe("null: registered, and without a state now"),
  device_class: cut(HOME_LIMITS.name).optional(),
  area: id.optional().describe("an id; the entity's own, else its device's"),
  description: cut(HOME_LIMITS.text)
    .optional()
    .describe("of an automation or a script: what its author wrote about it"),
  labels: z
    .array(id)
    .describe("ids, sorted: the entity's, its device's and its area's, as Home Assistant resolves a target"),
  platform: id.optional().describe("the integration that the registry names"),
  members: z
    .array(id)
    .describe("entity ids that stand in its attributes: of a group, a scene, a group of lights or locks"),
  mentioned_by: z
    .array(id)
    .describe(
      "entities that mention it: automations and scripts by their text (also by its device, area, label, floor, or by " +
        "states.DOMAIN in a template) and by search/related; all others by their attributes",
    ),
  incomplete: z.boolean().describe("members or mentions were left off"),
  is_in_registry: z.boolean(),
  disabled: z.boolean(),
  hidden: z.boolean().describe("hidden by the owner, or of the category config or diagnostic"),
  exposed: z
    .boolean()
    .optional()
    .describe("exposed to assistants; absent if the read token may not read that: administrators only"),
});
export type CatalogEntity = z.output<typeof catalogEntity>;

const named = { id, name, aliases: z.array(name) };

export const catalogAnswer = z.strictObject({
  entities: z.array(catalogEntity).max(HOME_LIMITS.catalog).describe("sorted by id"),
  areas: z.array(z.strictObject({ ...named, floor: id.nullable() })),
  floors: z.array(z.strictObject(named)),
  labels: z.array(z.strictObject(named)),
  unread: z
    .array(id)
    .describe("automations and scripts whose text Home Assistant did not show: they may mention anything"),
  version: z.string().max(32).describe("Home Assistant's"),
  connected_since: instant,
});
export type CatalogAnswer = z.output<typeof catalogAnswer>;

export const statesArguments = z.strictObject({
  entity_ids: z.array(entityId).min(1).max(HOME_LIMITS.entities),
});
export type StatesArguments = z.output<typeof statesArguments>;

/** Those that exist, in the order of the question. Never in the attributes: pictures, and what gives access to them. */
export const statesAnswer = z.strictObject({
  states: z.array(
    z.strictObject({
      entity_id: id,
      friendly_name: name,
      state: cut(HOME_LIMITS.state),
      attributes: z
        .record(z.string(), z.json())
        .describe("long texts end with the mark; what did not fit is named under …"),
      last_changed: instant,
      last_updated: instant,
    }),
  ),
});
export type StatesAnswer = z.output<typeof statesAnswer>;

export const historyArguments = z
  .strictObject({ entity_id: entityId, from: instant, to: instant })
  .refine(({ from, to }) => from < to, { error: "from must be before to" });
export type HistoryArguments = z.output<typeof historyArguments>;

export const historyAnswer = z.strictObject({
  changes: z
    .array(z.strictObject({ state: cut(HOME_LIMITS.state), timestamp: instant }))
    .max(HOME_LIMITS.changes)
    .describe("in order of time; the first may be the state that was there at `from`"),
  total: z.int().min(0).describe("changes that are recorded"),
  truncated: z
    .boolean()
    .describe(
      "not all of them: of each stretch of time the lowest and highest number, else the first and last state",
    ),
  coverage: z
    .strictObject({ from: instant, to: instant })
    .nullable()
    .describe("what Home Assistant has recorded of the time asked for; null: nothing"),
});
export type HistoryAnswer = z.output<typeof historyAnswer>;

/** What a target is called in `service_data`: Home Assistant would add it to the target. */
export const TARGET_KEYS = ["entity_id", "device_id", "area_id", "floor_id", "label_id"] as const;

/** Jinja's marks [jinja.palletsprojects.com, Template Designer Documentation]. */
const TEMPLATE = /\{\{|\{%|\{#/;

const hasTemplate = (value: unknown): boolean => {
  if (typeof value === "string") return TEMPLATE.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, each]) => hasTemplate(key) || hasTemplate(each));
};

export const serviceData = z
  .record(z.string().max(HOME_LIMITS.name), z.json())
  .refine((data) => !TARGET_KEYS.some((key) => Object.hasOwn(data, key)), {
    error: `must not have a target: ${TARGET_KEYS.join(", ")}`,
  })
  .refine((data) => !hasTemplate(data), { error: "must not have a template: {{, {% or {#" });

export const callArguments = z.strictObject({
  domain: slug,
  service: slug,
  entity_ids: z
    .array(entityId)
    .min(1)
    .max(HOME_LIMITS.entities)
    .refine((ids) => new Set(ids).size === ids.length, { error: "names an entity twice" }),
  service_data: serviceData,
  settle_s: z
    .number()
    .min(0)
    .max(HOME_LIMITS.settle_s)
    .describe("how long the states are awaited after the answer"),
});
export type CallArguments = z.output<typeof callArguments>;

/**
 * "done": Home Assistant answered success, and each entity's state is what was asked for. "unconfirmed": success, and the
 * state did not follow in time, or says the opposite, as a jammed lock. "failed": refused, by Home Assistant, or here
 * because an entity does not exist (entity_not_found) or is unavailable (entity_unavailable); then nothing was sent.
 */
export const callAnswer = z.strictObject({
  outcome: z.enum(["done", "unconfirmed", "failed"]),
  code: id.optional().describe("of a failure: Home Assistant's own"),
  message: cut(HOME_LIMITS.message).optional().describe("of a failure: Home Assistant's own words"),
  entities: z.array(
    z.strictObject({
      entity_id: id,
      friendly_name: name,
      before: cut(HOME_LIMITS.state).nullable(),
      after: cut(HOME_LIMITS.state).nullable().describe("null: it has no state, or the link to it was lost"),
    }),
  ),
});
export type CallAnswer = z.output<typeof callAnswer>;

/** Characters of the longest answer of each job, as JSON. */
export const HOME_ANSWERS = {
  catalog: LONGEST_ANSWER,
  states: LONGEST_ANSWER,
  history: LONGEST_ANSWER,
  call: 200_000,
} as const;
