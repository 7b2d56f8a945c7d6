import { visible } from "../../wire/approval-words.js";
import type { CatalogEntity } from "../../wire/home.js";
import type { EntitySettings } from "./declarations.js";
import type { ServiceWish } from "./parse.js";
import { NEVER, type Rule, ruleFor, strictest, type Verdict } from "./policy.js";
import { type Lookup, Surroundings } from "./resolve.js";

/** What the owner listed, by entity id. */
export type Listed = ReadonlyMap<string, EntitySettings>;

/** An entity that a call would touch. */
export interface Touched {
  readonly entity: CatalogEntity;
  /** What agents and people call it. */
  readonly name: string;
  readonly verdict: Verdict;
  /** Why it may do more than its name says; absent for a plain one. */
  readonly opaque?: string;
  /** Why it is blocked; absent if it is not. */
  readonly why?: string;
}

/** What a call would touch now, and what that needs. */
export interface Plan {
  readonly wish: ServiceWish;
  /** Sorted by id. */
  readonly touched: readonly Touched[];
  readonly verdict: Verdict;
  /** Why it is blocked, in our words. */
  readonly reason?: string;
}

/**
 * Decides what a call needs by what it would touch now: the strictest of all its entities. Throws what the lookup
 * throws, BRIDGE_AWAY for example.
 */
export async function planOf(wish: ServiceWish, listed: Listed, lookup: Lookup): Promise<Plan> {
  const { domain, service, ids, rules } = wish;
  if (rules.length === 0) return blocked(wish, whyNever(domain, service));
  const unlisted = ids.find((id) => listed.get(id)?.may !== "act");
  if (unlisted !== undefined) return blocked(wish, whyUnlisted(unlisted, listed));
  const around = await Surroundings.of(ids, lookup);
  const reached = ids.flatMap((id) => around.reached(id, domain));
  const known = [...new Set(reached.filter((entity) => entity !== undefined))];
  if (known.length < new Set(reached).size || known.some(({ entity_id }) => !mayAct(entity_id, listed)))
    return blocked(
      wish,
      "it would also reach an entity that the owner has not listed, or that does not exist",
    );
  if (known.length === 0) return blocked(wish, `there is no ${domain} in ${ids.join(", ")}`);
  const touched = known
    .map((entity) => judged(entity, { rules, listed, around }, wish.data))
    .sort((a, b) => (a.entity.entity_id < b.entity.entity_id ? -1 : 1));
  const verdict = strictest(touched.map((each) => each.verdict));
  return { wish, touched, verdict, ...(verdict === "blocked" && { reason: whyBlocked(touched) }) };
}

const mayAct = (id: string, listed: Listed): boolean => listed.get(id)?.may === "act";

const blocked = (wish: ServiceWish, reason: string): Plan => ({
  ...{ wish, touched: [], verdict: "blocked", reason },
});

const whyNever = (domain: string, service: string): string =>
  `no agent may call ${domain}.${service}${Object.hasOwn(NEVER, domain) ? `: ${NEVER[domain]}` : ""}`;

const whyUnlisted = (id: string, listed: Listed): string =>
  listed.has(id) ? `${id} may be seen and not changed` : `${id} is not listed by the owner`;

const whyBlocked = (touched: readonly Touched[]): string =>
  touched.flatMap(({ entity, why }) => (why === undefined ? [] : `${entity.entity_id}: ${why}`)).join("; ");

interface Grounds {
  readonly rules: readonly Rule[];
  readonly listed: Listed;
  readonly around: Surroundings;
}

/** The strictest of what the service needs, what may stand behind the entity, and what the owner has said of it. */
export function judged(
  entity: CatalogEntity,
  { rules, listed, around }: Grounds,
  data: ServiceWish["data"] = {},
): Touched {
  const settings = listed.get(entity.entity_id);
  const opaque = around.whyOpaque(entity);
  const rule = ruleFor(rules, entity.device_class);
  const why = whyNot(rule, data, settings);
  const isUnsure = opaque !== undefined && settings?.opaque !== "allowed";
  return {
    entity,
    name: settings?.name ?? entity.friendly_name,
    verdict: strictest([
      rule === undefined || why !== undefined ? "blocked" : rule.verdict,
      isUnsure ? "confirm" : "allowed",
    ]),
    ...(opaque !== undefined && { opaque }),
    ...(why !== undefined && { why }),
  };
}

function whyNot(
  rule: Rule | undefined,
  data: ServiceWish["data"],
  settings: EntitySettings | undefined,
): string | undefined {
  if (rule?.data.safeParse(data).success !== true) return "this kind of device takes no such data";
  return rule.verdict === "opt_in" && settings?.opt_in !== true
    ? "the owner has not opted in to opening, unlocking or disarming it"
    : undefined;
}

/** What a service does, in our words: {} is the place of the names. */
const DOES: Readonly<Record<string, string>> = {
  turn_on: "switch on {}",
  turn_off: "switch off {}",
  toggle: "switch {} over",
  unlock: "unlock {}",
  open: "unlatch and open {}",
  lock: "lock {}",
  open_cover: "open {}",
  close_cover: "close {}",
  open_valve: "open {}",
  close_valve: "close {}",
  alarm_disarm: "disarm {}",
  alarm_trigger: "set off the alarm {}",
  alarm_arm_home: "arm {}",
  alarm_arm_away: "arm {}",
  alarm_arm_night: "arm {}",
  press: "press {}",
};

/** The same for what has its own word. */
const OF_DOMAIN: Readonly<Record<string, string>> = {
  "cover.toggle": "open or close {}",
  "valve.toggle": "open or close {}",
  "scene.turn_on": "set the scene {}",
  "script.turn_on": "run the script {}",
};

/** Characters of a name, and of the data. Choices: a line each. */
const LONGEST_NAME = 60;
const LONGEST_DATA = 200;

/** What a person is asked, as it follows "wants to": "unlock Front door (now locked)". */
export function wishWordsOf({ wish, touched }: Plan): string {
  const { domain, service, data } = wish;
  const does = OF_DOMAIN[`${domain}.${service}`] ?? DOES[service] ?? `call ${domain}.${service} for {}`;
  const given = Object.keys(data).length === 0 ? "" : ` with ${short(JSON.stringify(data), LONGEST_DATA)}`;
  return visible(`${does.replace("{}", () => namesOf(touched))}${given}${warning(touched)}`);
}

const namesOf = (touched: readonly Touched[]): string =>
  touched
    .map(
      ({ name, entity }) =>
        `${short(name, LONGEST_NAME)} (${entity.entity_id}, now ${entity.state ?? "unknown"})`,
    )
    .join(", ");

/** A person must know that the name is not all of it. */
function warning(touched: readonly Touched[]): string {
  const opaque = touched.filter((each) => each.opaque !== undefined);
  if (opaque.length === 0) return "";
  const why = opaque.map(({ entity, opaque }) => `${entity.entity_id}: ${opaque}`);
  return `; this may do more than its name says (${why.join("; ")})`;
}

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
