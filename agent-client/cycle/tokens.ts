/**
 * Bytes of UTF-8 in a token. OpenAI counts about four characters of English per token (help.openai.com, "What are tokens
 * and how to count them?"); figures, timestamps and JSON need more tokens. Three is a choice on the safe side.
 */
const BYTES = 3;

/** An estimate of a text's tokens: every model has its own tokenizer. */
export const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES);

/**
 * Default limit for one reply. A choice: a status with a long thought takes about 500 tokens, a model that thinks first
 * about 2000; a model that repeats itself never ends.
 */
export const REPLY_TOKENS = 4000;

/**
 * Default limit for the rules and a cycle's first message. A choice: with all tools and some 2,000 tokens for a cycle's calls
 * and answers it fits into the 16,384 that Ollama is asked for.
 *
 * Tokens of the tools, by Qwen's tokenizer and template (a space after each comma and colon): an agent's 32 tools take about
 * 5,500 (19 kB), the 17 of a care cycle about 2,500 (9 kB); compact JSON takes a fifth less. Calculated with 3.44 bytes a
 * token, measured on 2026-11-22 (21.0 kB, 6,120 tokens), and 4.05 for compact JSON. `tokensIn` says a quarter more.
 */
export const PROMPT_TOKENS = 4000;
