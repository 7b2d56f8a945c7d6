import { defineModule, type House, type PersonalRecord } from "../module.js";
import { SEARCH_LOG, WEB_ERRORS, webConfig } from "./declarations.js";
import { webSearch } from "./search.js";
import { listWebSearches, searchWeb } from "./tools.js";

/** Web search through the bridge. It is on if the configuration names a search engine. */
export const webModule = defineModule({
  name: "web",
  canBeOff: true,
  config: webConfig,
  isNeeded: ({ web }) => web.search !== undefined,
  needsBridge: () => true,
  toolset: "web",
  journals: [{ definition: SEARCH_LOG }],
  errors: WEB_ERRORS,
  parts: [webSearch],
  tools: [searchWeb, listWebSearches],
  person: { find: personalSearches },
});

async function* personalSearches(house: House): AsyncGenerator<PersonalRecord> {
  for await (const { id, record } of house.journal(SEARCH_LOG).stored())
    yield {
      log: SEARCH_LOG.name,
      id,
      owner: record.owner,
      names: record.query === null ? [] : [record.query],
    };
}
