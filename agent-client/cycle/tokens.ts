/**
 * Bytes of UTF-8 to a token. OpenAI counts about four characters of English to one (help.openai.com, "What are tokens
 * and how to count them?"); figures, timestamps and JSON take more. Three is a choice on the safe side.
 */
const BYTES = 3;

/** About how many tokens a model takes a text for: an estimate, since every model has a tokenizer of its own. */
export const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES);

/**
 * Of one reply, unless the configuration says otherwise. A choice: a status with a long thought takes some 500, and a model
 * that thinks first some 2000; one that repeats itself has no end.
 */
export const REPLY_TOKENS = 4000;

/**
 * Of the rules and a cycle's first message, unless the configuration says otherwise. A choice: beside all tools and some
 * 2,000 tokens for a cycle's calls and answers it fits into the 16,384 that Ollama is asked for.
 *
 * What tools take, by Qwen's tokenizer: as its template writes them, with a space after each comma and colon, the 32 of an
 * agent some 5,500 tokens (19 kB), the 17 of a care cycle some 2,500 (9 kB); as compact JSON a fifth less. Reckoned with the
 * 3.44 bytes a token that were measured on 2026-11-22 (21.0 kB, 6,120 tokens), and 4.05 for compact JSON. `tokensIn` says a
 * quarter more.
 */
export const PROMPT_TOKENS = 4000;
