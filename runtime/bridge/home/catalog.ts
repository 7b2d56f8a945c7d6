import { type CatalogAnswer, type CatalogEntity, entityId, HOME_LIMITS } from "../../wire/home.js";
import { cut, type LiveState, nameOf } from "./live-states.js";
import type { Mentioned } from "./mentions.js";
import type { HomeSocket } from "./socket.js";

/** What of Home Assistant's registries is used here [homeassistant/helpers/*_registry.py]. */
interface EntityEntry {
  readonly entity_id: string;
  /** The registry's own id, which automations made in the browser use. */
  readonly id: string;
  readonly platform: string;
  readonly area_id: string | null;
  readonly device_id: string | null;
  readonly labels: readonly string[];
  readonly disabled_by: string | null;
  readonly hidden_by: string | null;
  readonly entity_category: string | null;
}
interface DeviceEntry {
  readonly id: string;
  readonly area_id: string | null;
  readonly labels: readonly string[];
}
interface AreaEntry {
  readonly area_id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly floor_id: string | null;
  readonly labels: readonly string[];
}
interface FloorEntry {
  readonly floor_id: string;
  readonly name: string;
  readonly aliases: readonly string[];
}
interface LabelEntry {
  readonly label_id: string;
  readonly name: string;
}

interface Entries {
  readonly entity: readonly EntityEntry[];
  readonly device: readonly DeviceEntry[];
  readonly area: readonly AreaEntry[];
  readonly floor: readonly FloorEntry[];
  readonly label: readonly LabelEntry[];
}
type Kind = keyof Entries;
const KINDS: readonly Kind[] = ["entity", "device", "area", "floor", "label"];

/** The registries of one connection. One that has changed is read again when it is needed. */
export class Registries {
  private readonly read = new Map<Kind, Promise<unknown>>();

  private constructor(private readonly socket: HomeSocket) {}

  static async follow(socket: HomeSocket): Promise<Registries> {
    const registries = new Registries(socket);
    for (const kind of KINDS)
      await socket.subscribe("subscribe_events", { event_type: `${kind}_registry_updated` }, () =>
        registries.read.delete(kind),
      );
    return registries;
  }

  /** Rejects as HomeSocket's `ask`. */
  async entries(): Promise<Entries> {
    const [entity, device, area, floor, label] = await Promise.all(KINDS.map((kind) => this.list(kind)));
    return { entity, device, area, floor, label } as Entries;
  }

  private list(kind: Kind): Promise<unknown> {
    const known = this.read.get(kind);
    if (known) return known;
    const asked = this.socket.ask(`config/${kind}_registry/list`);
    this.read.set(kind, asked);
    asked.catch(() => this.read.delete(kind));
    return asked;
  }
}

/** What a catalog is made of. */
interface CatalogSources extends Entries {
  readonly states: ReadonlyMap<string, LiveState>;
  /** By automation or script; undefined: its text is not shown. */
  readonly mentions: ReadonlyMap<string, Mentioned | undefined>;
  /** Those exposed to assistants; undefined where the token may not read that. */
  readonly exposed: ReadonlySet<string> | undefined;
}

type Catalog = Omit<CatalogAnswer, "version" | "connected_since">;
/** By entity id. */
type Entities = ReadonlyMap<string, EntityEntry>;

/** Everything that has a state or stands in the registry. `only`: of these entities. */
export function catalogOf(sources: CatalogSources, only?: ReadonlySet<string>): Catalog {
  const { states, entity, area, floor, label, mentions } = sources;
  const entries: Entities = new Map(entity.map((each) => [each.entity_id, each]));
  const places = placesOf(sources, entries);
  const linksOf = links(sources, entries, places);
  const ids = [...new Set([...states.keys(), ...entries.keys()])]
    .filter((id) => only?.has(id) ?? true)
    .sort();
  return {
    entities: ids.map((id) => entityOf(id, sources, entries.get(id), places(id), linksOf(id))),
    areas: area.map(({ area_id: id, floor_id, ...each }) => ({ ...named(id, each), floor: floor_id })),
    floors: floor.map(({ floor_id: id, ...each }) => named(id, each)),
    labels: label.map(({ label_id: id, ...each }) => named(id, each)),
    unread: [...mentions].filter(([, text]) => text === undefined).map(([id]) => id),
  };
}

const named = (id: string, { name, aliases = [] }: { name: string; aliases?: readonly string[] }) => ({
  id,
  name: cut(name, HOME_LIMITS.name),
  aliases: aliases.map((alias) => cut(alias, HOME_LIMITS.name)),
});

/** Where an entity is: what stands at its device counts, where it has none of its own. Labels add up. */
interface Place {
  readonly area: AreaEntry | undefined;
  readonly floor: FloorEntry | undefined;
  readonly labels: readonly string[];
}
type Places = (entityId: string) => Place;

function placesOf({ device, area, floor }: CatalogSources, entries: Entities): Places {
  const devices = new Map(device.map((each) => [each.id, each]));
  const areas = new Map(area.map((each) => [each.area_id, each]));
  const floors = new Map(floor.map((each) => [each.floor_id, each]));
  return (id) => {
    const entry = entries.get(id);
    const owner = devices.get(entry?.device_id ?? "");
    const place = areas.get(entry?.area_id ?? owner?.area_id ?? "");
    const labels = [entry, owner, place].flatMap((each) => each?.labels ?? []);
    return { area: place, floor: floors.get(place?.floor_id ?? ""), labels: [...new Set(labels)].sort() };
  };
}

interface Links {
  readonly members: readonly string[];
  readonly mentionedBy: readonly string[];
}

/** Finds what an entity names, and what names it. */
function links(
  { states, label, mentions }: CatalogSources,
  entries: Entities,
  places: Places,
): (entityId: string) => Links {
  const labelNames = new Map(label.map((each) => [each.label_id, each.name]));
  const members = new Map([...states].map(([id, { attributes }]) => [id, membersIn(attributes, states)]));
  const heldBy = inverted(members);
  const wordsOf = (id: string): readonly (string | undefined)[] => {
    const { area, floor, labels } = places(id);
    const entry = entries.get(id);
    const names = labels.map((each) => labelNames.get(each));
    const ids = [entry?.id, entry?.device_id ?? undefined, area?.area_id, floor?.floor_id];
    const called = [area, floor].flatMap((each) => [each?.name, ...(each?.aliases ?? [])]);
    return [...ids, ...called, ...labels, ...names];
  };
  return (id) => {
    const domain = id.slice(0, id.indexOf("."));
    const words = wordsOf(id).filter((word) => word !== undefined);
    const texts = [...mentions].filter(
      ([by, text]) =>
        by !== id &&
        text &&
        (text.all ||
          text.entities.has(id) ||
          text.domains.has(domain) ||
          words.some((each) => text.words.has(each))),
    );
    const by = new Set([...texts.map(([name]) => name), ...(heldBy.get(id) ?? [])]);
    return { members: members.get(id) ?? [], mentionedBy: [...by].sort() };
  };
}

/** Entity ids among the attributes: `entity_id` of groups and scenes, `source` and the like where they exist. */
function membersIn(
  attributes: LiveState["attributes"],
  states: ReadonlyMap<string, unknown>,
): readonly string[] {
  const found = new Set<string>();
  for (const [key, value] of Object.entries(attributes))
    for (const each of Array.isArray(value) ? value : [value])
      if (
        typeof each === "string" &&
        (states.has(each) || (key === "entity_id" && entityId.safeParse(each).success))
      )
        found.add(each);
  return [...found].sort();
}

function inverted(members: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  const by = new Map<string, string[]>();
  for (const [holder, held] of members)
    for (const each of held) if (each !== holder) by.set(each, [...(by.get(each) ?? []), holder]);
  return by;
}

function entityOf(
  id: string,
  { states, exposed, mentions }: CatalogSources,
  entry: EntityEntry | undefined,
  { area, labels }: Place,
  { members, mentionedBy }: Links,
): CatalogEntity {
  const live = states.get(id);
  const deviceClass = live?.attributes.device_class;
  const description = mentions.get(id)?.description;
  return {
    entity_id: id,
    friendly_name: nameOf(id, live),
    state: live ? cut(live.state, HOME_LIMITS.state) : null,
    ...(typeof deviceClass === "string" && { device_class: cut(deviceClass, HOME_LIMITS.name) }),
    ...(area && { area: area.area_id }),
    ...(description !== undefined && { description: cut(description, HOME_LIMITS.text) }),
    labels: [...labels],
    ...(entry && { platform: entry.platform }),
    members: members.slice(0, HOME_LIMITS.links),
    mentioned_by: mentionedBy.slice(0, HOME_LIMITS.links),
    incomplete: Math.max(members.length, mentionedBy.length) > HOME_LIMITS.links,
    is_in_registry: entry !== undefined,
    disabled: (entry?.disabled_by ?? null) !== null,
    hidden: ((entry?.hidden_by ?? null) || (entry?.entity_category ?? null)) !== null,
    ...(exposed && { exposed: exposed.has(id) }),
  };
}
