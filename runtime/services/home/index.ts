import { household } from "../household/household.js";
import { defineModule, type House, type PersonalRecord } from "../module.js";
import { homeConfig } from "./declarations.js";
import { homeFeeds, homeTexts } from "./feed.js";
import { home } from "./home.js";
import { HOME_LOG } from "./home-log.js";
import {
  callHaService,
  getEntityHistory,
  getEntityState,
  getHaEntities,
  showHome,
  suggestHome,
} from "./tools.js";

/** Home Assistant, through the bridge. It is on if the configuration has `home:`. */
export const homeModule = defineModule({
  name: "home",
  canBeOff: true,
  config: homeConfig,
  isNeeded: ({ home }) => home !== null,
  needsBridge: () => true,
  toolset: "home",
  journals: [{ definition: HOME_LOG }],
  parts: [home, homeTexts],
  tools: [getHaEntities, getEntityState, callHaService, getEntityHistory, showHome, suggestHome],
  privateWords: async function* (house) {
    yield* await house.get(home).privateWords();
  },
  feeds: homeFeeds,
  person: { find: personalCalls },
});

/** Calls in a person's turn, or with a token that only that person uses. */
async function* personalCalls(house: House): AsyncGenerator<PersonalRecord> {
  const { personOfToken } = house.get(household);
  for await (const { id, record } of house.journal(HOME_LOG).stored()) {
    const owner = record.person ?? personOfToken(record.by);
    if (owner !== undefined) yield { log: HOME_LOG.name, id, owner, names: [] };
  }
}
