import { notFound, TendrilError } from "../../errors.js";
import type { CatalogAnswer, CatalogEntity } from "../../wire/home.js";
import { domainOf } from "./policy.js";
import { SOURCE } from "./strangers.js";

/** More is refused, with what there is. */
const MAX_NAMES = 200;

interface Named {
  readonly entity: CatalogEntity;
  readonly name: string;
}

interface Filter {
  readonly domain?: string | undefined;
  readonly area?: string | undefined;
}

type Area = CatalogAnswer["areas"][number];

/** The listed entities of a domain and an area, the area by id, name or alias. Throws NOT_FOUND with those that there are. */
export function chosen(
  all: readonly Named[],
  areas: readonly Area[],
  { domain, area }: Filter,
): readonly Named[] {
  const domains = counted(all.map(({ entity }) => domainOf(entity.entity_id)));
  if (domain !== undefined && !Object.hasOwn(domains, domain))
    throw unknown("domain", domain, Object.keys(domains));
  const used = areas.filter(({ id }) => all.some(({ entity }) => entity.area === id));
  const meant =
    area === undefined ? undefined : used.filter((each) => isCalled(each, area)).map(({ id }) => id);
  if (area !== undefined && meant?.length === 0)
    throw unknown(
      "area",
      area,
      used.map(({ name }) => name),
    );
  return all.filter(
    ({ entity }) =>
      (domain === undefined || domainOf(entity.entity_id) === domain) &&
      (meant === undefined || (entity.area !== undefined && meant.includes(entity.area))),
  );
}

/** "friendly name → entity id". A name that is not unique carries its area, else its id. Throws RESULT_TOO_LARGE. */
export function nameMap(found: readonly Named[], areas: readonly Area[]): Record<string, string> {
  if (found.length > MAX_NAMES) throw tooMany(found, areas);
  const areaOf = ({ entity }: Named) => areas.find(({ id }) => id === entity.area)?.name;
  const withArea = (each: Named) => {
    const area = areaOf(each);
    return area === undefined ? undefined : `${each.name} (${area})`;
  };
  const names = counted(found.map(({ name }) => name));
  const longer = counted(found.flatMap((each) => withArea(each) ?? []));
  const taken = new Map<string, string>();
  for (const each of found) {
    const { name, entity } = each;
    const inArea = withArea(each);
    const isOnly = names[name] === 1;
    const key = isOnly ? name : inArea !== undefined && longer[inArea] === 1 ? inArea : bracketed(each);
    taken.set(taken.has(key) ? bracketed(each) : key, entity.entity_id);
  }
  return Object.fromEntries(taken);
}

const bracketed = ({ name, entity }: Named): string => `${name} (${entity.entity_id})`;

/** Whether an area or a label is meant by that: by id, name or alias. */
export const isCalled = ({ id, name, aliases }: CatalogAnswer["labels"][number], wanted: string): boolean =>
  [id, name, ...aliases].some((each) => each.toLowerCase() === wanted.trim().toLowerCase());

function unknown(what: string, given: string, known: readonly string[]): TendrilError {
  const said = `get_ha_entities: no listed entity has the ${what} ${JSON.stringify(given)}; there is ${known.join(", ") || "none"}`;
  // areas are called what somebody has called them in Home Assistant; domains are Home Assistant's own
  const untrusted = what === "area" ? [SOURCE] : [];
  return notFound(said, { details: { [`${what}s`]: known }, untrusted });
}

function tooMany(found: readonly Named[], areas: readonly Area[]): TendrilError {
  const domains = counted(found.map(({ entity }) => domainOf(entity.entity_id)));
  const nameOf = (id: string | undefined) => areas.find((area) => area.id === id)?.name ?? "(no area)";
  const byArea = counted(found.map(({ entity }) => nameOf(entity.area)));
  const what = `get_ha_entities: ${found.length} entities, and at most ${MAX_NAMES} are shown: name a domain or an area`;
  return new TendrilError("RESULT_TOO_LARGE", what, {
    details: { domains, areas: byArea },
    untrusted: [SOURCE],
  });
}

function counted(words: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries(counts);
}
