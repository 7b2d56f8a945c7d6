import { z } from "zod";
import { seconds } from "../../../drivers/units.js";
import { errorTable } from "../../errors.js";
import {
  SEARCH_PROVIDERS,
  type SearchAnswer,
  type SearchProviderName,
  searchAnswer,
} from "../../wire/web-search.js";
import type { JobKind } from "../bridge/job.js";
import { HOUSEHOLD } from "../household/household.js";
import type { Removed } from "./sanitizer.js";

export const webConfig = {
  web: z
    .strictObject({
      search: z
        .enum(SEARCH_PROVIDERS)
        .optional()
        .describe(
          "the search engine: duckduckgo, or searxng, whose address is in bridge.yaml; none by default",
        ),
    })
    .prefault({}),
};

export const WEB_ERRORS = errorTable({
  PROVIDER_CHANGED: {
    retryable: false,
    changed: "nothing",
    fix: "the search engine's page has another form now: a person updates Tendril, or takes the other engine",
  },
  PROVIDER_REFUSED: {
    retryable: true,
    changed: "nothing",
    fix: "go on without it and search later: the search engine takes no more searches now",
  },
});

/** Sends a search. It changes nothing outside, so it needs no claim: the audit record is this family's own. */
export const SEARCH: JobKind<SearchAnswer> = {
  adapter: "search",
  what: "search",
  effects: false,
  // a choice: a search engine answers in a second or two, and a model waits for it
  within: seconds(20),
  // five results of the longest kind, as JSON with escapes
  most: 50_000,
  answer: searchAnswer,
};

/** What is asked, or was to be asked. It is on the disk before anything leaves. */
interface Asked {
  /** The token's name. */
  readonly by: string;
  readonly owner: string;
  readonly provider: SearchProviderName;
  /** As it was sent; null if it was blocked. */
  readonly query: string | null;
  readonly removed: readonly Removed[];
  /** Where words of strangers came from that the agent had read before. */
  readonly after_reading: readonly string[];
}

export interface SearchEnd {
  readonly timestamp: string;
  readonly of: number;
  readonly results?: number;
  readonly suspicious?: readonly string[];
  /** Why it failed. */
  readonly code?: string;
}

/** A line of journal/searches.jsonl. */
type SearchEntry = { readonly timestamp: string } & (
  | Asked
  | SearchEnd
  // what an erasure has left of either
  | { readonly erased: true; readonly of?: number }
);

export interface SearchRecord extends Asked {
  readonly timestamp: string;
  readonly outcome: "sent" | "blocked" | "answered" | "failed";
  readonly results: number | null;
  readonly suspicious: readonly string[];
  readonly code: string | null;
}

const OPEN = { results: null, suspicious: [], code: null } as const;

export const SEARCH_LOG = {
  name: "searches",
  erasable: true,
  fold: (previous: SearchRecord | undefined, entry: SearchEntry): SearchRecord => {
    if ("erased" in entry) return previous ?? erased(entry.timestamp);
    if (!("of" in entry)) return { ...entry, ...OPEN, outcome: entry.query === null ? "blocked" : "sent" };
    if (!previous) throw new Error(`searches.jsonl: search ${entry.of} ended before it was sent`);
    const { results = null, suspicious = [], code = null } = entry;
    return { ...previous, outcome: code === null ? "answered" : "failed", results, suspicious, code };
  },
};

/** A search whose words were erased is nobody's. */
const erased = (timestamp: string): SearchRecord => ({
  ...{ timestamp, by: "", owner: HOUSEHOLD, provider: "duckduckgo", query: null, removed: [] },
  ...{ after_reading: [], outcome: "blocked", ...OPEN },
});
