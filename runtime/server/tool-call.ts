import type {
  CallToolResult,
  InputRequiredResult,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import { errorBody, TendrilError } from "../errors.js";
import type { CallRequest, JsonSchema, ToolListing } from "../tools/host.js";
import { META } from "../wire/names.js";
import type { Caller } from "./caller.js";
import { cancelSignal } from "./cancel-signal.js";
import { asInputRequired, dialogueOf } from "./dialogue.js";
import { STOPS_BEFORE } from "./message.js";

interface CallParams {
  readonly name: string;
  readonly arguments?: unknown;
}

/** Takes `tools/call` from the SDK's form to the host's and back. */
export class ToolCalls {
  private readonly outputs: ReadonlyMap<string, JsonSchema>;

  constructor(
    private readonly server: Server,
    private readonly caller: Caller,
    listed: readonly ToolListing[],
  ) {
    this.outputs = new Map(listed.map((tool) => [tool.name, tool.outputSchema]));
  }

  async answer(params: CallParams, context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    try {
      const result = await this.caller.host.callTool(this.request(params, context));
      if (!("content" in result)) return asInputRequired(result);
      this.caller.host.meter.chargeBytes(this.caller.identity.name, sizeOf(result));
      return this.server.projectCallToolResult(result, this.outputs.get(params.name));
    } catch (error) {
      return this.refusal(params.name, error);
    }
  }

  private request(params: CallParams, { mcpReq }: ServerContext): CallRequest {
    const key: unknown = mcpReq._meta?.[META.idempotencyKey];
    const instance: unknown = mcpReq._meta?.[META.agent];
    const confirm: unknown = mcpReq._meta?.[META.confirm];
    const stopsBefore: unknown = mcpReq._meta?.[STOPS_BEFORE];
    const dialogue = dialogueOf(this.server, mcpReq);
    return {
      name: params.name,
      arguments: params.arguments ?? {},
      identity: this.caller.identity,
      signal: cancelSignal(mcpReq.signal),
      progress: this.progress(mcpReq),
      ...(typeof stopsBefore === "number" && { stopsBefore }),
      ...(key !== undefined && { idempotencyKey: key }),
      ...(instance !== undefined && { instance }),
      ...(confirm !== undefined && { confirm }),
      ...(dialogue && { dialogue }),
    };
  }

  /** Writes before it returns, so that the last note is on its way before the result. */
  private progress({ _meta, notify }: ServerContext["mcpReq"]): CallRequest["progress"] {
    const progressToken = _meta?.progressToken;
    if (progressToken === undefined) return () => undefined;
    return (progress, total, message) => {
      const params = { progressToken, progress, total, message };
      notify({ method: "notifications/progress", params }).catch((error: Error) =>
        this.server.onerror?.(error),
      );
    };
  }

  /** The host answers refusals itself; what it throws is a defect, whose text stays in the log. */
  private refusal(tool: string, error: unknown): CallToolResult {
    if (!(error instanceof TendrilError))
      this.caller.log("error", "tool failed", { tool, error: String(error) });
    return { isError: true, content: [{ type: "text", text: JSON.stringify({ error: errorBody(error) }) }] };
  }
}

/** Characters of texts and pictures: what a long answer counts for need not be exact. */
const sizeOf = ({ content }: CallToolResult): number =>
  content.reduce(
    (sum, part) =>
      sum + (part.type === "text" ? part.text.length : part.type === "image" ? part.data.length : 0),
    0,
  );
