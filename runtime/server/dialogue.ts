import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Dialogue, Question } from "../tools/tool.js";

/** Under which name a question and its answer travel. */
const QUESTION = "approval";
/** What the form asks for. */
const APPROVE = "approve";

type McpRequest = ServerContext["mcpReq"];

/** What a client that shows forms says so far; undefined for one that shows none. It is believed nothing but an answer. */
export function dialogueOf(server: Server, request: McpRequest): Dialogue | undefined {
  if (!showsForms(capabilitiesOf(server, request))) return undefined;
  const state: unknown = request.requestState();
  if (typeof state !== "string") return {};
  const answer = answerIn(request.inputResponses);
  return { state, ...(answer && { answer }) };
}

/** Since 2026 every request says what its client can do, before that the greeting did. */
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

/** A form that was sent back without a yes is a no, one that was put away is neither. */
function answerIn(responses: McpRequest["inputResponses"]): Dialogue["answer"] {
  const response = inputResponse(responses, QUESTION);
  if (response.kind !== "elicit" || response.action === "cancel") return undefined;
  return response.action === "accept" && response.content?.[APPROVE] === true ? "yes" : "no";
}

/** The question as an MCP form; over the 2025 protocol the SDK makes an elicitation of it. */
export const asInputRequired = ({ message, state }: Question): InputRequiredResult =>
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
