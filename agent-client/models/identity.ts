import { createHash } from "node:crypto";
import { z } from "zod";
import { parseJson } from "../../runtime/wire/refusal.js";
import { WebPage } from "./model-error.js";
import { kindOf, Refused } from "./refusal.js";

const entry = z.looseObject({ id: z.string() });
type Entry = z.output<typeof entry>;
const listing = z.object({ data: z.array(entry).min(1) });

/**
 * What tells the weights, of an entry of GET /models: llama.cpp's `meta`, vLLM's `root` (the folder or repository),
 * OpenRouter's `canonical_slug`. Not `created`, which llama.cpp and vLLM set to the time of asking; not `permission`
 * (vLLM, random) or `status` (llama.cpp, whether it is loaded).
 */
const TELLING = ["meta", "root", "canonical_slug"] as const;
/** Of llama.cpp's `meta`; it also has n_ctx, which is how the server was started. */
const META = ["vocab_type", "n_vocab", "n_ctx_train", "n_embd", "n_params", "size"] as const;

/** A hash of what a server's list tells of a model; undefined where it has no such list, or no more than names in it. */
export async function listedIdentity(
  model: string,
  list: () => Promise<Response>,
): Promise<string | undefined> {
  const body = await list().then((response) => response.text(), nothingTold);
  const { data } = listing.safeParse(parseJson(body ?? ""));
  const found = data && entryOf(model, data.data);
  const told = found && pick(found, TELLING);
  if (!told || Object.keys(told).length === 0) return undefined;
  const { meta, ...rest } = told;
  return hashOf({ ...rest, ...(isObject(meta) && pick(meta, META)) });
}

/** A server with one model gives it for any name (llama.cpp). */
const entryOf = (model: string, entries: readonly Entry[]): Entry | undefined =>
  entries.find(({ id }) => id === model) ?? (entries.length === 1 ? entries[0] : undefined);

/** A server without a list; one that is only busy or loading is no such. */
function nothingTold(error: unknown): undefined {
  const hasNone = error instanceof WebPage || (error instanceof Refused && kindOf(error) !== "away");
  if (!hasNone) throw error;
}

/** In the order of `keys`, whatever order the server has. */
const pick = (from: Readonly<Record<string, unknown>>, keys: readonly string[]) =>
  Object.fromEntries(keys.flatMap((key) => (from[key] == null ? [] : [[key, from[key]]])));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const hashOf = (told: unknown): string =>
  `sha256:${createHash("sha256").update(JSON.stringify(told)).digest("hex")}`;
