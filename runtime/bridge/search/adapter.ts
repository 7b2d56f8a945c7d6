import { z } from "zod";
import { afterReading } from "../../../drivers/clock/system-clock.js";
import { type SearchAnswer, type SearchProviderName, searchArguments } from "../../wire/web-search.js";
import { defineAdapter, JobFailure, readArguments } from "../adapter.js";
import { fetchText } from "../http/fetch.js";
import { duckduckgo } from "./duckduckgo.js";
import { type SearchProvider, shownResults } from "./provider.js";
import { searxng } from "./searxng.js";

/** Every search engine. CONTRIBUTING.md says what belongs to a new one. */
const PROVIDERS: Readonly<Record<SearchProviderName, SearchProvider>> = { duckduckgo, searxng };

/** What stands in for "come back later" [DuckDuckGo answers 202 to programs that ask often; RFC 6585, 4]. */
const REFUSALS: readonly string[] = ["HTTP_202", "HTTP_429"];

/** Bytes of a page of results. A choice: such pages have some 50 kB, and a larger one would keep the bridge busy. */
const MAX_BYTES = 1_000_000;

const ALL = Object.values(PROVIDERS);
const settings = z
  .strictObject(Object.fromEntries(ALL.map((each) => [each.name, each.settings])))
  .prefault({});

/** Web search: `search:` in bridge.yaml has the settings of each engine that needs some. */
export const searchAdapter = defineAdapter({
  name: "search",
  key: "search",
  config: settings,
  secrets: (configured) =>
    ALL.flatMap(({ name, secrets }) => (configured[name] === undefined ? [] : secrets(configured[name]))),
  open: (configured) => ({
    search: async (args, signal): Promise<SearchAnswer> => {
      const { provider: name, query } = readArguments(searchArguments, args);
      const provider = PROVIDERS[name];
      const text = await answerOf(provider, configured[name], query, signal);
      return shownResults(await provider.read(text, () => pause(signal)), name);
    },
  }),
});

/** Lets other work of the bridge go on. */
async function pause(signal: AbortSignal): Promise<void> {
  await new Promise<void>(afterReading);
  if (signal.aborted) throw new JobFailure("TOO_SLOW", "the search engine's page takes too long to read");
}

async function answerOf(
  { name, accept, needs, ask }: SearchProvider,
  own: unknown,
  query: string,
  signal: AbortSignal,
): Promise<string> {
  if (own === undefined) throw new JobFailure("NOT_CONFIGURED", `bridge.yaml has no ${needs} for ${name}`);
  const request = { server: "the search engine's server", accept, most: MAX_BYTES, ...ask(own, query) };
  try {
    return (await fetchText(request, signal)).text;
  } catch (error) {
    if (!(error instanceof JobFailure) || !REFUSALS.includes(error.code)) throw error;
    throw new JobFailure("PROVIDER_REFUSED", `${name} takes no more searches for now: wait, or use another`);
  }
}
