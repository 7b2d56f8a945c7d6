import { z } from "zod";
import { hours } from "../../../drivers/units.js";
import { excerpt, notFound } from "../../errors.js";
import { isoUtc } from "../../tools/iso-time.js";
import { type Answer, changes, defineTool, reads, toolFor, untrustedIf } from "../../tools/tool.js";
import type { CatalogAnswer, CatalogEntity } from "../../wire/home.js";
import {
  entityHistory,
  entityState,
  type HomeReport,
  type HomeSuggestion,
  homeReport,
  homeSuggestion,
  serviceResult,
} from "../../wire/home-tools.js";
import { household } from "../household/household.js";
import { defineModule, definePart, type PrivateWords, personalIn } from "../module.js";
import { HOME_LOG, type HomeCalls, homeCalls, TOOL } from "./calls.js";
import { homeConfig } from "./declarations.js";
import { type HomeTexts, homeFeeds, homeTexts, type ListedHome, listedHome } from "./feed.js";
import { shownHistory } from "./history.js";
import { chosen, nameMap } from "./names.js";
import { serviceInput } from "./parse.js";
import { judged } from "./plan.js";
import { rulesForEntity } from "./policy.js";
import { type Lookup, lookupOf, Surroundings } from "./resolve.js";
import { hasStrangersWords, isFreeText, SOURCE, shownState } from "./strangers.js";
import { type Chosen, suggestionOf } from "./suggest.js";

/** What may be read of the home: the entities that the owner listed, and no others. */
class Home {
  constructor(
    private readonly parts: ListedHome,
    private readonly texts: HomeTexts,
    readonly calls: HomeCalls,
  ) {}

  /** Throws NOT_FOUND, RESULT_TOO_LARGE, and what the bridge throws. */
  async names(filter: { readonly domain?: string | undefined; readonly area?: string | undefined }) {
    const { entities, areas } = await this.listedCatalog();
    const all = entities
      .filter(({ state }) => state !== null)
      .map((entity) => ({ entity, name: this.nameOf(entity) }));
    const found = chosen(all, areas, filter);
    const names = nameMap(found, areas);
    const isKnown = Object.entries(names).every(([name, id]) => this.isOwners(name, id));
    return untrustedIf(isKnown ? [] : [SOURCE], names);
  }

  /** Throws NOT_FOUND, also for an entity that is not listed. */
  async state(id: string): Promise<Answer<typeof entityState>> {
    this.assertListed(id);
    const { states } = await this.parts.states({ entity_ids: [id] }, `read ${id}`);
    const [state] = states.filter(({ entity_id }) => entity_id === id);
    if (!state) throw notFound(`${id} is listed, and Home Assistant does not have it now`);
    const name = this.parts.listed.get(id)?.name;
    const shown = shownState(state, { name, isListed: (each) => this.parts.listed.has(each) });
    return untrustedIf(hasStrangersWords(shown, name !== undefined) ? [SOURCE] : [], shown);
  }

  /** Throws NOT_FOUND, also for an entity that is not listed. */
  async history(id: string, back: number): Promise<Answer<typeof entityHistory>> {
    this.assertListed(id);
    const now = this.parts.clock.now();
    const span = { from: isoUtc(now - hours(back)), to: isoUtc(now) };
    const answer = await this.parts.history({ entity_id: id, ...span }, `read the history of ${id}`);
    const shown = shownHistory(answer);
    const isFree = shown.changes.some(({ state }) => isFreeText(state));
    return untrustedIf(isFree ? [SOURCE] : [], shown);
  }

  /** For the owner: what is listed, and what a call would need now. */
  async report(limit: number, offset: number): Promise<HomeReport> {
    const ids = [...this.parts.listed.keys()];
    const page = ids.slice(offset, offset + limit);
    const around = await Surroundings.of(page, this.lookup);
    const { version, connected_since, unread } = await this.parts.catalog({ only: [] }, "read the home");
    const entities = page.map((id) => this.reported(id, around));
    const unread_histories = [...this.texts.unreadHistories];
    return { version, connected_since, entities, count: ids.length, unread, unread_histories };
  }

  /** For the owner: a list to begin with. Throws NOT_FOUND. */
  async suggest(chosen: Chosen): Promise<HomeSuggestion> {
    return suggestionOf(await this.parts.catalog({}, "read the home"), chosen);
  }

  /** What of the home a search of the web must not have. What Home Assistant calls things is as it was last read. */
  async privateWords(): Promise<readonly PrivateWords[]> {
    const { entities, areas } = await this.listedCatalog().catch(() => this.lastCatalog);
    this.lastCatalog = { entities, areas };
    const used = areas.filter(({ id }) => entities.some(({ area }) => area === id));
    return [
      ...[...this.parts.listed].flatMap(([id, { name = "" }]) => [
        wordsOf("entity", id),
        wordsOf("device", name),
      ]),
      ...entities.map(({ friendly_name }) => wordsOf("device", friendly_name)),
      ...used.map(({ name }) => wordsOf("place", name)),
    ];
  }

  private lastCatalog: Pick<CatalogAnswer, "entities" | "areas"> = { entities: [], areas: [] };

  private reported(id: string, around: Surroundings): HomeReport["entities"][number] {
    const settings = this.parts.listed.get(id);
    const entity = around.entities.get(id);
    const { listed } = this.parts;
    const rules = entity && settings?.may === "act" ? rulesForEntity(id, entity.device_class) : [];
    return {
      entity_id: id,
      name: settings?.name ?? entity?.friendly_name ?? id,
      may: settings?.may ?? "see",
      state: entity?.state ?? null,
      exists: entity !== undefined,
      opaque: (entity && around.whyOpaque(entity)) ?? null,
      services: rules.map((rule) => ({
        services: [...rule.services],
        verdict: judged(entity as CatalogEntity, { rules: [rule], listed, around }).verdict,
      })),
    };
  }

  private readonly lookup: Lookup = lookupOf((...args) => this.parts.catalog(...args));

  private async listedCatalog(): Promise<CatalogAnswer> {
    const answer = await this.parts.catalog({ only: [...this.parts.listed.keys()] }, "read the home");
    return {
      ...answer,
      entities: answer.entities.filter(({ entity_id }) => this.parts.listed.has(entity_id)),
    };
  }

  private nameOf({ entity_id, friendly_name }: CatalogEntity): string {
    return this.parts.listed.get(entity_id)?.name ?? friendly_name;
  }

  /** Whether the owner has written it: with the area in brackets somebody else may have. */
  private isOwners(shown: string, id: string): boolean {
    const name = this.parts.listed.get(id)?.name;
    return name !== undefined && [name, `${name} (${id})`].includes(shown);
  }

  /** The same words whether it exists or not. */
  private assertListed(id: string): void {
    if (this.parts.listed.has(id)) return;
    throw notFound(`there is no entity ${JSON.stringify(excerpt(id))}; get_ha_entities has those there are`);
  }
}

const wordsOf = (kind: PrivateWords["kind"], words: string): PrivateWords => ({ kind, words });

export const home = definePart(
  "home",
  async (house) =>
    new Home(await house.use(listedHome), await house.use(homeTexts), await house.use(homeCalls)),
);

const id = z.string().min(1).max(255);

const tool = toolFor(home);

const getHaEntities = tool({
  name: "get_ha_entities",
  description: "The home's entities that you may use: friendly name → entity id.",
  facts: reads("Entities of the home", { world: "open" }),
  role: "observer",
  input: z.strictObject({
    domain: z.string().min(1).max(64).optional().describe("light, switch, climate, …"),
    area: z.string().min(1).max(100).optional().describe("bedroom, kitchen, …"),
  }),
  output: z.record(z.string(), z.string()),
  run: (filter, { service }) => service.names(filter),
});

const getEntityState = tool({
  name: "get_entity_state",
  description: "State and attributes of one entity of the home.",
  facts: reads("State of an entity", { world: "open" }),
  role: "observer",
  input: z.strictObject({ entity_id: id.describe("from get_ha_entities") }),
  output: entityState,
  run: ({ entity_id }, { service }) => service.state(entity_id),
});

const getEntityHistory = tool({
  name: "get_entity_history",
  description:
    "States of an entity over the last hours, oldest first. With many: the extremes of numbers, else the newest; `coverage` says so.",
  facts: reads("History of an entity", { world: "open" }),
  role: "observer",
  input: z.strictObject({
    entity_id: id.describe("from get_ha_entities"),
    hours: z.number().gt(0).max(720).default(24),
  }),
  output: entityHistory,
  run: ({ entity_id, hours }, { service }) => service.history(entity_id, hours),
});

const callHaService = defineTool({
  name: TOOL,
  service: home,
  description:
    "Control a device of the home. The runtime decides: done, blocked, or a person is asked. With `pending`, repeat the same call with its idempotency key.",
  facts: changes("Control the home", { destroys: true, repeatable: false, speaks: false, world: "open" }),
  role: "agent",
  input: serviceInput,
  output: serviceResult,
  admission: {
    before: (input, { service, call }, dialogue) => service.calls.admit(input, call, dialogue),
    interrupted: (_, { service }) => service.calls.interrupted(),
  },
  run: (_, { service, call }) => service.calls.send(call),
});

const showHome = tool({
  name: "show_home",
  description: "For the owner: the listed entities, and what each service of them needs now.",
  facts: reads("The home as it is listed", { world: "open" }),
  role: "human",
  input: z.strictObject({
    limit: z.int().min(1).max(200).default(200),
    offset: z.int().min(0).max(2000).default(0),
  }),
  output: homeReport,
  run: ({ limit, offset }, { service }) => service.report(limit, offset),
});

const suggestHome = tool({
  name: "suggest_home",
  description: "For the owner: a list of entities for the configuration, made from what Home Assistant has.",
  facts: reads("Suggest entities", { world: "open" }),
  role: "human",
  input: z.strictObject({
    area: z.string().min(1).max(100).optional().describe("only of this area"),
    label: z.string().min(1).max(100).optional().describe("all that has this label, whatever its kind"),
  }),
  output: homeSuggestion,
  run: (chosen, { service }) => service.suggest(chosen),
});

/** Home Assistant, through the bridge. It is on if the configuration has `home:`. */
export const homeModule = defineModule({
  name: "home",
  canBeOff: true,
  config: homeConfig,
  isNeeded: ({ home }) => home !== null,
  needsBridge: () => true,
  toolset: "home",
  journals: [{ definition: HOME_LOG }],
  parts: [listedHome, homeTexts, homeCalls, home],
  tools: [getHaEntities, getEntityState, callHaService, getEntityHistory, showHome, suggestHome],
  privateWords: async function* (house) {
    yield* await house.get(home).privateWords();
  },
  feeds: homeFeeds,
  person: {
    // in a person's turn, or with a token that only that person uses
    find: personalIn(HOME_LOG, ({ person, by }, house) => ({
      owners: [person ?? house.get(household).personOfToken(by) ?? ""],
    })),
  },
});
