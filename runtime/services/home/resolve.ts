import type { CatalogAnswer, CatalogEntity } from "../../wire/home.js";
import type { RunJob } from "../bridge/jobs.js";
import { DEVICE_PLATFORMS, domainOf, PLAIN_DOMAINS } from "./policy.js";

/** Gives what is known of these entities now; one that does not exist is left off. */
export type Lookup = (ids: readonly string[]) => Promise<Catalog>;

interface Catalog {
  readonly entities: ReadonlyMap<string, CatalogEntity>;
  /** Automations and scripts whose text nobody can read. */
  readonly unread: readonly string[];
}

export const lookupOf =
  (catalog: RunJob<CatalogAnswer>): Lookup =>
  async (ids) => {
    const { entities, unread } = await catalog({ only: [...ids] }, "read the home");
    return { entities: new Map(entities.map((entity) => [entity.entity_id, entity])), unread };
  };

/** What is known of the entities of a call, and of all that they lead to. */
export class Surroundings {
  constructor(
    readonly entities: ReadonlyMap<string, CatalogEntity>,
    private readonly unread: readonly string[],
  ) {}

  /** Asks for the entities, then for their members and the groups that they are in, until nothing is new. */
  static async of(ids: readonly string[], lookup: Lookup): Promise<Surroundings> {
    const entities = new Map<string, CatalogEntity>();
    const asked = new Set<string>();
    let unread: readonly string[] = [];
    let next = [...ids];
    while (next.length > 0 && asked.size < MAX_ASKED) {
      for (const id of next) asked.add(id);
      const found = await lookup(next);
      unread = found.unread;
      for (const [id, entity] of found.entities) entities.set(id, entity);
      next = [...new Set([...found.entities.values()].flatMap(leadsTo))].filter((id) => !asked.has(id));
    }
    return new Surroundings(entities, next.length > 0 ? [...unread, "…"] : unread);
  }

  /**
   * The entities of this domain that a call to `id` reaches: itself, or the members of a group, also of groups in it.
   * Undefined for those that cannot be known.
   */
  reached(id: string, domain: string, seen = new Set<string>()): readonly (CatalogEntity | undefined)[] {
    if (seen.has(id)) return [];
    seen.add(id);
    const entity = this.entities.get(id);
    if (!entity) return isOther(id, domain) ? [] : [undefined];
    if (!isGroup(entity)) return domainOf(id) === domain ? [entity] : [];
    if (entity.incomplete) return [undefined];
    return entity.members.flatMap((member) => this.reached(member, domain, seen));
  }

  /**
   * Why the entity may do more than its name says; undefined for a plain one: a device's own integration made it, and no
   * automation, script, scene or template mentions it, or a group that it is in.
   */
  whyOpaque(entity: CatalogEntity): string | undefined {
    if (!PLAIN_DOMAINS.has(domainOf(entity.entity_id))) return "it sets off what others have tied to it";
    if (!entity.is_in_registry || entity.platform === undefined) return "no device is known for it";
    if (!DEVICE_PLATFORMS.has(entity.platform)) return `${entity.platform} made it, and that is no device`;
    if (entity.incomplete) return "more mentions it than can be read";
    if (this.unread.length > 0) return `nobody can read what ${shown(this.unread)} would do`;
    const mentions = this.mentions(entity.entity_id);
    return mentions.length === 0 ? undefined : `it is mentioned by ${shown(mentions)}`;
  }

  /** What mentions the entity, or a group that it is in. A group alone does nothing. */
  private mentions(id: string, seen = new Set<string>()): readonly string[] {
    if (seen.has(id)) return [];
    seen.add(id);
    const by = this.entities.get(id)?.mentioned_by ?? [];
    const found = by.flatMap((each) => {
      const group = this.entities.get(each);
      if (!group || !isGroup(group)) return [each];
      return [...(group.incomplete ? [each] : []), ...this.mentions(each, seen)];
    });
    return [...new Set(found)];
  }
}

/** Entities that one call may lead to. A choice: beyond it the call counts as opaque. */
const MAX_ASKED = 1000;

const shown = (ids: readonly string[]): string =>
  ids.length > 2 ? `${ids.slice(0, 2).join(", ")} and ${ids.length - 2} more` : ids.join(" and ");

/** They do something, or hold states of others: they are never only a name for several entities. */
const ACTORS: ReadonlySet<string> = new Set(["automation", "script", "scene", "person"]);

/** Whether a call to it is a call to its members [home-assistant.io/integrations/group]. */
const isGroup = ({ entity_id, platform, members, is_in_registry }: CatalogEntity): boolean =>
  domainOf(entity_id) === "group" ||
  (members.length > 0 && !ACTORS.has(domainOf(entity_id)) && (platform === "group" || !is_in_registry));

/** Of groups the members, and of all the groups that they are in. */
const leadsTo = (entity: CatalogEntity): string[] => [
  ...(isGroup(entity) ? entity.members : []),
  ...entity.mentioned_by.filter((id) => !ACTORS.has(domainOf(id))),
];

/** Nothing of this name is known. If it is of another domain, and no group, the call does not reach it. */
const isOther = (id: string, domain: string): boolean => domainOf(id) !== domain && domainOf(id) !== "group";
