import type { z } from "zod";
import {
  LONGEST_SEARCH,
  MAX_RESULTS,
  type SearchAnswer,
  type SearchProviderName,
} from "../../wire/web-search.js";
import { JobFailure } from "../adapter.js";
import type { TextRequest } from "../http/fetch.js";

/** A result as a page has it: nothing is cut yet. */
export type FoundPage = SearchAnswer["results"][number];

/** A search engine. `Settings` stand under its name in `search:` of bridge.yaml. */
export interface SearchProvider<Settings = unknown> {
  readonly name: SearchProviderName;
  readonly settings: z.ZodType<Settings | undefined>;
  /** What is missing where there are no settings: "address". */
  readonly needs: string;
  /** What of them must never be seen in a log, an error or an answer. */
  secrets(settings: Settings): readonly string[];
  /** The request header `Accept`. */
  readonly accept: string;
  ask(settings: Settings, query: string): Pick<TextRequest, "address" | "key">;
  /** Reads the answer; `pause` is called now and then. Throws JobFailure: what is not understood is never an empty answer. */
  read(text: string, pause: () => Promise<void>): readonly FoundPage[] | Promise<readonly FoundPage[]>;
}

export const defineSearchProvider = <S>(provider: SearchProvider<S>): SearchProvider =>
  provider as unknown as SearchProvider;

/** `what` is what the answer has no more. */
export const changed = (name: string, what: string): JobFailure =>
  new JobFailure("PROVIDER_CHANGED", `${name} answers in another form (${what}): Tendril needs an update`);

/**
 * What is shown of the pages found. One that no browser could open is left out and counted. Throws PROVIDER_CHANGED where
 * all are like that.
 */
export function shownResults(found: readonly FoundPage[], name: string): SearchAnswer {
  const pages = found.filter(({ url }) => isPage(url));
  if (found.length > 0 && pages.length === 0) throw changed(name, "the address of a result");
  const results = pages.slice(0, MAX_RESULTS).map(({ title, snippet, url }) => ({
    title: cut(title, LONGEST_SEARCH.title),
    snippet: cut(snippet, LONGEST_SEARCH.snippet),
    url,
  }));
  const leftOut = found.length - pages.length;
  return { results, ...(leftOut > 0 && { left_out: leftOut }) };
}

const isPage = (url: string): boolean =>
  /^https?:\/\//.test(url) && url.length <= LONGEST_SEARCH.url && URL.canParse(url);

/** In one line, with a mark where it was cut. */
function cut(text: string, longest: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= longest) return line;
  return `${line.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
