import { z } from "zod";
import { parseJson } from "../../wire/refusal.js";
import { JobFailure } from "../adapter.js";
import { type OutsideAddress, outsideAddress, secretsOf, urlBelow } from "../http/address.js";
import { changed, defineSearchProvider } from "./provider.js";

const NAME = "SearXNG";

/** The parts of its answer that are used [docs.searxng.org, Search API; searx/webutils.py, get_json_response]. */
const page = z.object({
  results: z.array(z.object({ url: z.string(), title: z.string(), content: z.string().nullish() })),
  /** Pairs of an engine and what became of it. */
  unresponsive_engines: z.array(z.tuple([z.string(), z.string()]).rest(z.unknown())).default([]),
});

/** A SearXNG server. It must allow the format json (`search.formats` in its settings.yml), else it answers 403. */
export const searxng = defineSearchProvider<OutsideAddress>({
  name: "searxng",
  settings: outsideAddress().optional(),
  needs: "address",
  secrets: secretsOf,
  accept: "application/json",
  ask: (address, query) => {
    const url = urlBelow(address.url, "search");
    url.searchParams.set("q", query);
    url.searchParams.set("format", "json");
    return { address: { ...address, url } };
  },
  read: (text) => {
    const read = page.safeParse(parseJson(text));
    if (!read.success) throw changed(NAME, read.error.issues[0]?.path.join(".") || "no JSON");
    const { results, unresponsive_engines: silent } = read.data;
    if (results.length === 0 && silent.length > 0)
      throw new JobFailure("PROVIDER_REFUSED", `${silent.length} search engines did not answer ${NAME}`);
    return results.map(({ url, title, content }) => ({ url, title, snippet: content ?? "" }));
  },
});
