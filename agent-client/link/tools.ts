import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import { z } from "zod";
import { RESULT_META, TOOL_META } from "../../runtime/wire/names.js";
import { isObject, parseJson, type RefusalBody, refusalIn } from "../../runtime/wire/refusal.js";

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Changes nothing, so it may be called again. */
  readonly readOnly: boolean;
  /** Writes text that people or later turns read, so a repeat within a cycle is a nuisance. */
  readonly speaks?: boolean;
  /** Belongs to the tools of a care cycle. */
  readonly inCare?: boolean;
}

/** A tool in the answer to `tools/list`. */
type Listed = Pick<Tool, "name" | "description" | "annotations" | "_meta"> & Pick<ToolInfo, "inputSchema">;

export const toolInfo = ({
  name,
  description = "",
  inputSchema,
  annotations,
  _meta: meta,
}: Listed): ToolInfo => ({
  name,
  description,
  inputSchema,
  readOnly: annotations?.readOnlyHint === true,
  speaks: meta?.[TOOL_META.speaks] === true,
  inCare: meta?.[TOOL_META.care] === true,
});

/** Refusals made by this client, not by the runtime; `fix` says what to do. */
export const CALL_REFUSALS = {
  LINK_BROKEN: { retryable: false, fix: "look at the history: the call may have been carried out" },
  TIMEOUT: { retryable: false, fix: "look at the history: the call may have been carried out" },
  PROTOCOL: { retryable: false, fix: "look at the runtime's log: its answer was not understood" },
  UNKNOWN_TOOL: { retryable: false, fix: "use a name of the list of tools" },
  NOT_OFFERED: {
    retryable: false,
    fix: "continue without it; a person can offer all tools with `tendril agent --tools all`",
  },
  INVALID_ARGUMENT: { retryable: false, fix: "send the arguments as a JSON object" },
  REPEATED: { retryable: false, fix: "go on with the answer that is there, or stop" },
  TOO_MANY_CALLS: { retryable: true, fix: "call the rest again in the next reply" },
} as const;

export interface Picture {
  /** Such as image/jpeg. */
  readonly type: string;
  /** Base64. */
  readonly data: string;
}

/** The result of a call. Refusals are data, for the model to act on. */
export type ToolResult = (
  | { readonly ok: true; readonly value: unknown; readonly images?: readonly Picture[] }
  | { readonly ok: false; readonly error: RefusalBody }
) & {
  /** Arguments that were left out of the call: empty ones that the tool does not have. */
  readonly ignored?: readonly string[];
  /** Where words of strangers in the result came from. */
  readonly untrusted?: readonly string[];
  /** What in them reads as if it was written for a model. */
  readonly suspicious?: readonly string[];
};

export const refused = (code: keyof typeof CALL_REFUSALS, message: string): ToolResult => ({
  ok: false,
  error: { code, message, retryable: CALL_REFUSALS[code].retryable },
});

/** Reads a result: the value from structured content or JSON text, the error from JSON text. */
export function readResult({ structuredContent, content, isError, _meta: meta }: CallToolResult): ToolResult {
  const text = content.find((part) => part.type === "text")?.text ?? "";
  const images = picturesIn(content);
  // most results have no marks
  const untrusted = meta && texts.safeParse(meta[RESULT_META.untrusted]).data;
  const suspicious = meta && texts.safeParse(meta[RESULT_META.suspicious]).data;
  const marks = { ...(untrusted && { untrusted }), ...(suspicious && { suspicious }) };
  if (!isError)
    return {
      ok: true,
      value: structuredContent ?? parseJson(text) ?? text,
      ...(images.length > 0 && { images }),
      ...marks,
    };
  const error = refusalIn(text);
  return error ? { ok: false, error, ...marks } : refused("PROTOCOL", text || "refused without a reason");
}

const texts = z.array(z.string());

const picturesIn = (content: CallToolResult["content"]): readonly Picture[] =>
  content.flatMap((part) => (part.type === "image" ? [{ type: part.mimeType, data: part.data }] : []));

const plantProperty = z.object({
  properties: z.object({ plant: z.object({ examples: z.array(z.string()).default([]) }) }),
});

/** The ids of the plants, from the examples of the tools' `plant` parameter; empty if only one plant is configured. */
export function plantsOf(tools: readonly ToolInfo[]): readonly string[] {
  const schema = tools.find(({ name }) => name === "read_moisture")?.inputSchema;
  return plantProperty.safeParse(schema).data?.properties.plant.examples ?? [];
}

/** Asked for each call, so without a schema. */
export const takesPlant = (tool: ToolInfo | undefined): boolean => {
  const properties = tool?.inputSchema.properties;
  return isObject(properties) && isObject(properties.plant);
};
