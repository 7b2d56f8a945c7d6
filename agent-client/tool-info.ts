import { TOOL_META } from "../runtime/wire/names.js";
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
