import { z } from "zod";

/** What runtime and bridge say to each other about a web search. All words of the results are strangers'. */

/** DuckDuckGo needs no key. SearXNG is a server of one's own, or of somebody who allows programs. */
export const SEARCH_PROVIDERS = ["duckduckgo", "searxng"] as const;
export type SearchProviderName = (typeof SEARCH_PROVIDERS)[number];

export const MAX_RESULTS = 5;
/** Choices, in characters: a search is a line; a title is a line; a snippet is a few; a browser's address holds 2,000. */
export const LONGEST_SEARCH = { query: 300, title: 200, snippet: 500, url: 2000 } as const;

/** Arguments of the job `search search`. */
export const searchArguments = z.strictObject({
  provider: z.enum(SEARCH_PROVIDERS),
  query: z.string().min(1).max(LONGEST_SEARCH.query),
});

const searchResult = z.strictObject({
  title: z.string().max(LONGEST_SEARCH.title),
  snippet: z.string().max(LONGEST_SEARCH.snippet),
  url: z
    .string()
    .max(LONGEST_SEARCH.url)
    .regex(/^https?:\/\//, { error: "must begin with http:// or https://" }),
});
export type SearchResult = z.output<typeof searchResult>;

/** A choice: far more than a page of a search engine has. */
const MAX_LEFT_OUT = 10_000;
const leftOut = z
  .int()
  .min(1)
  .max(MAX_LEFT_OUT)
  .optional()
  .describe("results without an address that a browser opens; absent: none");

export const searchAnswer = z.strictObject({
  results: z.array(searchResult).max(MAX_RESULTS),
  left_out: leftOut,
});
export type SearchAnswer = z.output<typeof searchAnswer>;

/** `search_web`: the results, or why nothing was sent. */
export const webSearch = z.object({
  query: z.string().optional().describe("as it was sent"),
  results: z.array(searchResult).optional(),
  left_out: leftOut,
  blocked: z.literal(true).optional().describe("nothing was sent"),
  reason: z.string().optional(),
});

/** What a search must not tell the outside. */
const PRIVATE_KINDS = [
  "person",
  "place",
  "plant",
  "entity",
  "device",
  "schedule",
  "e-mail",
  "phone",
  "address",
  "card",
  "account",
  "key",
] as const;
export type PrivateKind = (typeof PRIVATE_KINDS)[number];

const loggedSearch = z.object({
  id: z.int(),
  timestamp: z.string(),
  by: z.string().describe("the token"),
  user_id: z.string().describe('for whom: a person, or "household"'),
  provider: z.string().describe("the search engine"),
  query: z.string().nullable().describe("as it was sent; null if it was blocked"),
  removed: z.array(z.object({ kind: z.enum(PRIVATE_KINDS), hash: z.string() })),
  after_reading: z
    .array(z.string())
    .describe("where words of strangers came from that the agent had read before"),
  outcome: z.enum(["sent", "blocked", "answered", "failed"]).describe("sent: its end is not known"),
  results: z.int().nullable().describe("how many, once answered"),
  suspicious: z.array(z.string()).describe("what in the results reads like an instruction"),
  code: z.string().nullable().describe("why it failed"),
});

/** `list_web_searches`: the audit record, newest first. */
export const searchAudit = z.object({ searches: z.array(loggedSearch), count: z.int() });
export type SearchAudit = z.output<typeof searchAudit>;
