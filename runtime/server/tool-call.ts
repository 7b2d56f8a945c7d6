import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  SdkError,
  SdkErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { errorBody, TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import { failure } from "../tools/call-result.js";
import type { CallRequest, RuntimeApi, ToolListing } from "../tools/host.js";
import type { Dialogue, Question } from "../tools/tool.js";
import type { Identity } from "../wire/identity.js";
import { META } from "../wire/names.js";
import { STOPS_BEFORE } from "./json-rpc.js";
import type { Turns } from "./turns.js";

interface CallParams {
  readonly name: string;
  readonly arguments?: unknown;
}

/** Carries `tools/call` from the SDK's form to the host's and back. */
export class ToolCalls {
  private readonly listed: ReadonlyMap<string, ToolListing>;

  constructor(
    private readonly server: Server,
    private readonly caller: Caller,
    listed: readonly ToolListing[],
  ) {
    this.listed = new Map(listed.map((tool) => [tool.name, tool]));
  }

  get identity(): Identity {
    return this.caller.identity;
  }

  async answer(request: CallRequest): Promise<CallToolResult | InputRequiredResult> {
    const { host, identity } = this.caller;
    try {
      const result = await host.callTool(request);
      if (!("content" in result)) return asInputRequired(result);
      host.meter.chargeBytes(identity.name, sizeOf(result));
      return this.server.projectCallToolResult(result, this.listed.get(request.name)?.outputSchema);
    } catch (error) {
      return this.refusal(request.name, error);
    }
  }

  /** A call as the SDK hands it over. */
  requestIn(params: CallParams, { mcpReq }: ServerContext): CallRequest {
    return requestOf(params, mcpReq._meta ?? {}, {
      identity: this.identity,
      signal: cancelSignal(mcpReq.signal),
      progress: this.progress(mcpReq),
      dialogue: dialogueOf(this.server, mcpReq),
    });
  }

  /** Writes before it returns, so that the last note leaves before the result. */
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

  /** The host answers refusals itself. Anything that it throws is a defect, and its text stays in the log. */
  private refusal(tool: string, error: unknown): CallToolResult {
    if (!(error instanceof TendrilError))
      this.caller.log("error", "tool failed", { tool, error: String(error) });
    return failure(errorBody(error));
  }
}

/** How a call reaches its caller while it lasts. */
interface Contact extends Pick<CallRequest, "identity" | "signal" | "progress"> {
  readonly dialogue?: Dialogue | undefined;
}

export function requestOf(
  params: CallParams,
  meta: Readonly<Record<string, unknown>>,
  { identity, signal, progress, dialogue }: Contact,
): CallRequest {
  const {
    [META.idempotencyKey]: idempotencyKey,
    [META.agent]: instance,
    [META.confirm]: confirm,
    [META.turn]: turn,
    [STOPS_BEFORE]: stopsBefore,
  } = meta;
  const request: Filled = {
    name: params.name,
    arguments: params.arguments ?? {},
    identity,
    signal,
    progress,
  };
  if (typeof stopsBefore === "number") request.stopsBefore = stopsBefore;
  if (idempotencyKey !== undefined) request.idempotencyKey = idempotencyKey;
  if (instance !== undefined) request.instance = instance;
  if (confirm !== undefined) request.confirm = confirm;
  if (turn !== undefined) request.turn = turn;
  if (dialogue) request.dialogue = dialogue;
  return request;
}

/** While it is filled. */
type Filled = { -readonly [Key in keyof CallRequest]: CallRequest[Key] };

/** Characters of texts and pictures; the charge for a long answer need not be exact. */
const sizeOf = ({ content }: CallToolResult): number =>
  content.reduce(
    (sum, part) =>
      sum + (part.type === "text" ? part.text.length : part.type === "image" ? part.data.length : 0),
    0,
  );

/** The caller of an MCP server, and what serves it. */
export interface Caller {
  readonly host: RuntimeApi;
  readonly identity: Identity;
  readonly turns: Turns;
  readonly log: Log;
}

/** The SDK aborts a call's signal also when the connection is lost, with this reason. */
const isLostConnection = (reason: unknown): boolean =>
  reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed;

/** Makes a signal that follows `signal`, but not for a lost connection: only the caller cancels. */
const cancelSignal = (signal: AbortSignal): CallRequest["signal"] => {
  let made: AbortSignal | undefined;
  return () => {
    made ??= following(signal);
    return made;
  };
};

function following(signal: AbortSignal): AbortSignal {
  const cancel = new AbortController();
  const follow = () => {
    if (!isLostConnection(signal.reason)) cancel.abort(signal.reason);
  };
  if (signal.aborted) follow();
  else signal.addEventListener("abort", follow, { once: true });
  return cancel.signal;
}

/** The name under which a question and its answer travel. */
const QUESTION = "approval";
/** The field of the form. */
const APPROVE = "approve";

type McpRequest = ServerContext["mcpReq"];

/**
 * The dialogue so far with a client that shows forms; undefined for other clients. Nothing but an answer is trusted.
 */
function dialogueOf(server: Server, request: McpRequest): Dialogue | undefined {
  if (!showsForms(capabilitiesOf(server, request))) return undefined;
  const state: unknown = request.requestState();
  if (typeof state !== "string") return {};
  const answer = answerIn(request.inputResponses);
  return { state, ...(answer && { answer }) };
}

/** Since 2026 every request names its client's capabilities; before, only `initialize` did. */
function capabilitiesOf(server: Server, { envelope }: McpRequest): ClientCapabilities | undefined {
  const meta: Readonly<Record<string, unknown>> | undefined = envelope;
  const declared = meta?.[CLIENT_CAPABILITIES_META_KEY]; // checked by the SDK, which does not type it
  return declared === undefined ? server.getClientCapabilities() : (declared as ClientCapabilities);
}

/** A bare `elicitation: {}` means forms, as it did before there were modes. */
function showsForms({ elicitation }: ClientCapabilities = {}): boolean {
  if (!elicitation) return false;
  return elicitation.form !== undefined || Object.keys(elicitation).length === 0;
}

/** A form that comes back without a "yes" is a "no". A dismissed form is neither. */
function answerIn(responses: McpRequest["inputResponses"]): Dialogue["answer"] {
  const response = inputResponse(responses, QUESTION);
  if (response.kind !== "elicit" || response.action === "cancel") return undefined;
  return response.action === "accept" && response.content?.[APPROVE] === true ? "yes" : "no";
}

/** The question as an MCP form. Over the 2025 protocol the SDK turns it into an elicitation. */
const asInputRequired = ({ message, state }: Question): InputRequiredResult =>
  inputRequired({
    requestState: state,
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message,
        requestedSchema: {
          type: "object",
          properties: { [APPROVE]: { type: "boolean", title: "Go ahead", default: false } },
          required: [APPROVE],
        },
      }),
    },
  });
