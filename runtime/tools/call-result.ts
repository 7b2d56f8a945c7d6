import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ErrorBody } from "../errors.js";
import { RESULT_META } from "../wire/names.js";
import { refusalIn } from "../wire/refusal.js";
import { Picture, ShownOnce, Untrusted } from "./tool.js";

/** A result as the wire has it. */
export function success(output: unknown): CallToolResult {
  if (output instanceof Untrusted) return { ...shown(output.value, jpegOf(output)), _meta: metaOf(output) };
  return shown(output instanceof ShownOnce ? output.value : output);
}

const jpegOf = (output: object): Uint8Array | undefined =>
  output instanceof Picture ? output.jpeg : undefined;

function shown(value: unknown, jpeg?: Uint8Array): CallToolResult {
  const texts = [...sentenceIn(value), JSON.stringify(value)].map((text) => ({
    type: "text" as const,
    text,
  }));
  const image = jpeg && {
    type: "image" as const,
    data: Buffer.from(jpeg).toString("base64"),
    mimeType: "image/jpeg",
  };
  return { content: image ? [...texts, image] : texts, structuredContent: value as Record<string, unknown> };
}

/** What a tool whose result is a sentence says. Its facts follow as JSON, for clients that read no structured content. */
function sentenceIn(value: unknown): readonly string[] {
  const { message } = value as { message?: unknown };
  return typeof message === "string" ? [message] : [];
}

const metaOf = ({ sources, suspicions }: Untrusted<unknown>): Record<string, unknown> => ({
  [RESULT_META.untrusted]: [...sources],
  ...(suspicions.length > 0 && { [RESULT_META.suspicious]: suspicions }),
});

/** The first text of a result. */
export const textOf = ({ content }: CallToolResult): string =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : []))[0] ?? "";

/** Why a call was refused, for people. */
export const wordsOfRefusal = (result: CallToolResult): string =>
  refusalIn(textOf(result))?.message ?? "the call failed";

/**
 * Without structured content, because clients check that against the output schema, even for errors. `words`: the body again, where
 * it has words of strangers.
 */
export function failure(body: ErrorBody, words?: Untrusted<ErrorBody>): CallToolResult {
  const content = [{ type: "text" as const, text: JSON.stringify({ error: body }) }];
  return { isError: true, content, ...(words && { _meta: metaOf(words) }) };
}
