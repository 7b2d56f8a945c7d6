import { refusalIn } from "./refusal.js";

/** RFC 9110, sections 15.5.1 and 15.5.21: OpenAI and llama.cpp send the first, FastAPI and Mistral the second. */
const BAD_REQUEST = new Set([400, 422]);
/** OpenAI's codes and words; litellm; Mistral and vLLM, whose "extra inputs are not permitted". */
const UNSUPPORTED =
  /unsupported|not support|n't support|unrecogni[sz]ed|unknown|unexpected|extra_forbidden|not permitted|not allowed/i;
/** llama.cpp: "failed to parse grammar". DeepSeek: "This response_format type is unavailable now". Ollama: "format". */
const OF_SCHEMA = /response_format|json_schema|grammar|\bschema\b|\bformat\b/i;
const HOLDS_SCHEMA: ReadonlySet<string> = new Set(["response_format", "format"]);

/** The one of `parts` that a server refuses for good; undefined where the request failed for another reason. */
export function refusedPart(error: unknown, parts: readonly string[]): string | undefined {
  const refusal = refusalIn(error);
  if (!refusal || !BAD_REQUEST.has(refusal.status)) return undefined;
  const { param = "", code = "" } = refusal.details;
  const words = `${refusal.said} ${code}`;
  return parts.find((part) => {
    if (HOLDS_SCHEMA.has(part) && OF_SCHEMA.test(`${words} ${param}`)) return true;
    return UNSUPPORTED.test(words) && (param === part || new RegExp(`\\b${part}\\b`).test(words));
  });
}
