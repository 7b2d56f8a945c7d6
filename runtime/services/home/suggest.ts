import { notFound } from "../../errors.js";
import type { CatalogAnswer, CatalogEntity } from "../../wire/home.js";
import type { HomeSuggestion } from "../../wire/home-tools.js";
import { isCalled } from "./names.js";
import { domainOf, rulesForEntity } from "./policy.js";
import { Surroundings } from "./resolve.js";

/** What of a home is worth an agent's reading, beside what it can change. Device classes are Home Assistant's. */
const SENSORS: ReadonlySet<string> = new Set([
  ...["temperature", "humidity", "moisture", "illuminance", "power", "energy", "carbon_dioxide", "battery"],
  ...["door", "window", "garage_door", "motion", "occupancy", "smoke", "gas", "lock"],
]);

/** Entities in a suggestion. A choice: a person reads each line. */
const MAX_SUGGESTED = 300;

/** Of what the owner wants a list: an area, a label, each by id, name or alias. */
export interface Chosen {
  readonly area?: string | undefined;
  readonly label?: string | undefined;
}

/**
 * A list for tendril.yaml: what has the label; without one what is exposed to assistants, where the token may read that, else
 * all lights, switches and sensors of a kind that agents can use. What opens, unlocks or disarms is only to be seen. Throws
 * NOT_FOUND.
 */
export function suggestionOf(catalog: CatalogAnswer, chosen: Chosen): HomeSuggestion {
  const { entities, areas, unread } = catalog;
  const isChosen = choice(catalog, chosen);
  const known = new Map(entities.map((entity) => [entity.entity_id, entity]));
  const around = new Surroundings(known, unread);
  const isKnownToBeExposed = entities.some(({ exposed }) => exposed === true);
  const wanted = entities.filter(
    (entity) =>
      isThere(entity) &&
      isChosen(entity) &&
      (chosen.label !== undefined || (isKnownToBeExposed ? entity.exposed === true : isUseful(entity))),
  );
  const shown = wanted.slice(0, MAX_SUGGESTED);
  const lines = [...areas, undefined].flatMap((area) => {
    const inside = shown.filter((entity) => areas.find(({ id }) => id === entity.area) === area);
    if (inside.length === 0) return [];
    const title = area === undefined ? "in no area" : oneLine(area.name);
    return [`    # ${title}`, ...inside.map((entity) => lineOf(entity, around.whyOpaque(entity)))];
  });
  const yaml = ["home:", "  entities:", ...lines, ""].join("\n");
  return { yaml, suggested: shown.length, left_out: entities.length - shown.length };
}

function choice(
  { areas, labels }: CatalogAnswer,
  { area, label }: Chosen,
): (entity: CatalogEntity) => boolean {
  const inAreas = area === undefined ? undefined : meant("area", area, areas);
  const ofLabels = label === undefined ? undefined : meant("label", label, labels);
  return (entity) =>
    (inAreas?.includes(entity.area ?? "") ?? true) &&
    (ofLabels?.some((id) => entity.labels.includes(id)) ?? true);
}

/** The ids of what is called so. */
function meant(what: string, wanted: string, known: CatalogAnswer["labels"]): readonly string[] {
  const ids = known.filter((each) => isCalled(each, wanted)).map(({ id }) => id);
  if (ids.length > 0) return ids;
  const names = known.map(({ name }) => name).sort();
  const said = `suggest_home: Home Assistant has no ${what} ${JSON.stringify(wanted)}; there is ${names.join(", ") || "none"}`;
  throw notFound(said);
}

const isThere = ({ disabled, hidden, state }: CatalogEntity): boolean =>
  !disabled && !hidden && state !== null;

const rulesFor = ({ entity_id, device_class }: CatalogEntity) => rulesForEntity(entity_id, device_class);

/** What is opaque by its kind (helpers, scripts, scenes) the owner adds knowingly. */
function isUseful(entity: CatalogEntity): boolean {
  const domain = domainOf(entity.entity_id);
  if (domain === "sensor" || domain === "binary_sensor") return SENSORS.has(entity.device_class ?? "");
  const isHelper = domain.startsWith("input_") || ["script", "scene", "button", "timer"].includes(domain);
  return !isHelper && rulesFor(entity).length > 0;
}

function lineOf(entity: CatalogEntity, opaque: string | undefined): string {
  const rules = rulesFor(entity);
  const isHarmless = rules.length > 0 && rules.every(({ verdict }) => verdict === "allowed");
  const settings = [`name: ${JSON.stringify(oneLine(entity.friendly_name).slice(0, 60))}`];
  settings.push(`may: ${isHarmless ? "act" : "see"}`);
  const hint = isHarmless
    ? opaque && `asks you each time: ${oneLine(opaque)}`
    : rules.length > 0 && "may: act asks you each time";
  return `    ${entity.entity_id}: { ${settings.join(", ")} }${hint ? `  # ${hint}` : ""}`;
}

/** Names are the words of others: a line break would be a line of the configuration. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
