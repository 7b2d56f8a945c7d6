import { z } from "zod";
import { excerpt, invalidArgument } from "../../errors.js";
import { jsonObject } from "../../tools/parameters.js";
import { entityId, serviceData, TARGET_KEYS } from "../../wire/home.js";
import { parseJson } from "../../wire/refusal.js";
import { domainOf, type Rule, rulesOf } from "./policy.js";

/** The arguments of `call_ha_service`, as they came. */
export const serviceInput = z.strictObject({
  domain: z.string().regex(/^[a-z0-9_]{1,64}$/, { error: "must be lower case, as light" }),
  service: z.string().regex(/^[a-z0-9_]{1,64}$/, { error: "must be lower case, as turn_on" }),
  entity_id: z
    .string()
    .min(1)
    .max(4000)
    .optional()
    .describe("from get_ha_entities; several with commas between them; or a group"),
  service_data: z
    .union([z.string().max(4000), jsonObject("a JSON object")])
    .optional()
    .describe('JSON, as {"brightness_pct": 40}; no target'),
});
export type ServiceInput = z.output<typeof serviceInput>;

/** A call that is understood. */
export interface ServiceWish {
  readonly domain: string;
  readonly service: string;
  /** Without repetitions, in the order of the call; empty for a service that is blocked anyway. */
  readonly ids: readonly string[];
  readonly data: z.output<typeof serviceData>;
  /** The rules of the service; none if it is blocked. */
  readonly rules: readonly Rule[];
}

/** Entities in one call. A choice: a large room. */
const MAX_IDS = 50;

/**
 * Reads a call as strictly as Home Assistant reads it loosely: that one takes capitals, "all", lists with blanks and
 * targets in the data. Throws INVALID_ARGUMENT.
 */
export function parseCall({ domain, service, entity_id, service_data }: ServiceInput): ServiceWish {
  const wish = { domain, service, rules: rulesOf(domain, service), data: readData(service_data) };
  if (wish.rules.length === 0) return { ...wish, ids: [] };
  const ids = readIds(entity_id);
  for (const id of ids)
    if (domainOf(id) !== domain && domainOf(id) !== "group")
      throw invalid(`entity_id: ${id} is no ${domain}, so ${domain}.${service} does nothing with it`);
  return { ...wish, ids, data: fitting(wish.rules, wish.data) };
}

const invalid = (what: string) => invalidArgument(`call_ha_service: ${what}`);

function readIds(text: string | undefined): readonly string[] {
  if (text === undefined) throw invalid("entity_id is missing: name what it is for");
  const ids = text.split(",").map((each) => each.trim());
  if (ids.length > MAX_IDS) throw invalid(`entity_id names more than ${MAX_IDS} entities`);
  for (const id of ids)
    if (!entityId.safeParse(id).success)
      throw invalid(
        `entity_id: ${JSON.stringify(excerpt(id))} is no entity id such as light.kitchen_lights; "all" and areas are not taken, get_ha_entities has the ids`,
      );
  return [...new Set(ids)];
}

function readData(given: ServiceInput["service_data"]): ServiceWish["data"] {
  const value = typeof given === "string" ? parseJson(given) : (given ?? {});
  if (typeof value === "object" && value !== null) refuseTargets(value);
  if (namesPrototype(value)) throw invalid(`service_data has ${PROTOTYPE}: no service takes that`);
  const read = serviceData.safeParse(value);
  if (read.success) return read.data;
  const why = read.error.issues.map(({ path, message }) => [...path, message].join(" ")).join("; ");
  throw invalid(`service_data: ${excerpt(why) || "is no JSON object"}`);
}

/** A record of zod drops this key without a word, at every level. */
const PROTOTYPE = "__proto__";
const namesPrototype = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (Object.hasOwn(value, PROTOTYPE) || Object.values(value).some(namesPrototype));

/** Home Assistant adds such a target to the other one. */
function refuseTargets(value: object): void {
  const found = TARGET_KEYS.filter((key) => Object.hasOwn(value, key));
  if (found.length > 0)
    throw invalid(`service_data has ${found.join(", ")}: a target is named in entity_id, and nowhere else`);
}

/** The rules of a service may differ by device class: what one of them takes is checked here, the rest per entity. */
function fitting(rules: readonly Rule[], data: ServiceWish["data"]): ServiceWish["data"] {
  const results = rules.map((rule) => rule.data.safeParse(data));
  if (results.some(({ success }) => success)) return data;
  const [first] = results;
  const why = first?.error?.issues.map(({ path, message }) => [...path, message].join(" ")) ?? [];
  const keys = Object.keys(rules[0]?.data.shape ?? {});
  throw invalid(
    `service_data: ${excerpt(why.join("; "))}; this service takes ${keys.join(", ") || "no data"}`,
  );
}
