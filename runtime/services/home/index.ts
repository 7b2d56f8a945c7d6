import { z } from "zod";
import { changes, defineTool, reads, toolFor } from "../../tools/tool.js";
import {
  entityHistory,
  entityState,
  homeReport,
  homeSuggestion,
  serviceResult,
} from "../../wire/home-tools.js";
import { household } from "../household/household.js";
import { defineModule, personalIn } from "../module.js";
import { HOME_LOG, homeCalls, TOOL } from "./calls.js";
import { homeConfig } from "./declarations.js";
import { homeFeeds, homeTexts, listedHome } from "./feed.js";
import { home } from "./home.js";
import { serviceInput } from "./parse.js";

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
