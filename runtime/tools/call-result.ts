import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ErrorBody } from "../errors.js";
import { RESULT_META } from "../wire/names.js";
import { Picture, ShownOnce, Untrusted } from "./tool.js";

/** A result as the wire has it. */
export function success(output: unknown): CallToolResult {
  if (output instanceof Untrusted) return { ...success(output.value), _meta: metaOf(output) };
  if (output instanceof ShownOnce) return success(output.value);
  const { value, jpeg } = output instanceof Picture ? output : { value: output, jpeg: undefined };
  const text = { type: "text" as const, text: JSON.stringify(value) };
  const image = jpeg && {
    type: "image" as const,
    data: Buffer.from(jpeg).toString("base64"),
    mimeType: "image/jpeg",
  };
  return { content: image ? [text, image] : [text], structuredContent: value as Record<string, unknown> };
}

const metaOf = ({ sources, suspicions }: Untrusted<unknown>): Record<string, unknown> => ({
  [RESULT_META.untrusted]: sources,
  ...(suspicions.length > 0 && { [RESULT_META.suspicious]: suspicions }),
});

/** Without structured content, because clients check that against the output schema, even for errors. */
export function failure(body: ErrorBody): CallToolResult {
  return { isError: true, content: [{ type: "text", text: JSON.stringify({ error: body }) }] };
}
