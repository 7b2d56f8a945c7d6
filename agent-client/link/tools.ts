import type { CallToolResult } from "@modelcontextprotocol/client";
import { z } from "zod";
import { TOOL_META } from "../../runtime/wire/names.js";
import { parseJson, type RefusalBody, refusalIn } from "../../runtime/wire/refusal.js";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as the runtime lists it. */
export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Changes nothing: may be called again at will. */
  readonly readOnly: boolean;
  /** Says something that is read by people or by later turns: saying it twice in a cycle is a nuisance. */
  readonly speaks?: boolean;
  /** Belongs to what a care cycle takes. */
  readonly inCare?: boolean;
}

/** What `tools/list` has of a tool. */
interface Listed {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A runtime from before these keys says of no tool that it speaks, or is part of a care. */
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

/** Refusals that this client words itself, beside those of the runtime; `fix` says what to do. */
export const CALL_REFUSALS = {
  LINK_BROKEN: { retryable: false, fix: "look at the history: the call may have been carried out" },
  TIMEOUT: { retryable: false, fix: "look at the history: the call may have been carried out" },
  PROTOCOL: { retryable: false, fix: "look at the runtime's log: its answer was not understood" },
  UNKNOWN_TOOL: { retryable: false, fix: "use a name of the list of tools" },
  NOT_OFFERED: {
    retryable: false,
    fix: "do without it; a person can offer all tools with `tendril agent --tools all`",
  },
  INVALID_ARGUMENT: { retryable: false, fix: "send the arguments as a JSON object" },
  REPEATED: { retryable: false, fix: "go on with the answer that is there, or stop" },
  TOO_MANY_CALLS: { retryable: true, fix: "call the rest again in the next reply" },
} as const;

/** A picture that came with a result. */
export interface Picture {
  /** Such as image/jpeg. */
  readonly type: string;
  /** Base64. */
  readonly data: string;
}

/** What came of a call. Refusals are data, for the model to act on. */
export type ToolResult = (
  | { readonly ok: true; readonly value: unknown; readonly images?: readonly Picture[] }
  | { readonly ok: false; readonly error: RefusalBody }
) & {
  /** Arguments that were left out of the call: the tool does not have them, and they were empty. */
  readonly ignored?: readonly string[];
};

export const refused = (code: keyof typeof CALL_REFUSALS, message: string): ToolResult => ({
  ok: false,
  error: { code, message, retryable: CALL_REFUSALS[code].retryable },
});

/** Reads a result off the wire: the value as structured content or as JSON text, the error as JSON text. */
export function readResult({ structuredContent, content, isError }: CallToolResult): ToolResult {
  const text = content.find((part) => part.type === "text")?.text ?? "";
  const images = picturesIn(content);
  if (!isError)
    return {
      ok: true,
      value: structuredContent ?? parseJson(text) ?? text,
      ...(images.length > 0 && { images }),
    };
  const error = refusalIn(text);
  return error ? { ok: false, error } : refused("PROTOCOL", text || "refused without a reason");
}

const picturesIn = (content: CallToolResult["content"]): readonly Picture[] =>
  content.flatMap((part) => (part.type === "image" ? [{ type: part.mimeType, data: part.data }] : []));

const plantProperty = z.object({
  properties: z.object({ plant: z.object({ examples: z.array(z.string()).default([]) }) }),
});

/** The ids of the plants, as the examples of the tools' `plant` parameter name them; none where only one plant is configured. */
export function plantsOf(tools: readonly ToolInfo[]): readonly string[] {
  const schema = tools.find(({ name }) => name === "read_moisture")?.inputSchema;
  return plantProperty.safeParse(schema).data?.properties.plant.examples ?? [];
}

export const takesPlant = (tool: ToolInfo | undefined): boolean =>
  plantProperty.safeParse(tool?.inputSchema).success;
