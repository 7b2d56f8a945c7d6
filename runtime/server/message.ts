import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
} from "@modelcontextprotocol/server";
import type { WireHost } from "../tools/host.js";

/** Under which name a call carries how many stops there had been when it was read. What a client writes there is overwritten. */
export const STOPS_BEFORE = "tendril/stops-before";

/** The id of the request that a message cancels; undefined where it cancels none. */
export function cancelledBy(message: JSONRPCMessage): string | number | undefined {
  if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return undefined;
  const id = (message.params as { requestId?: unknown } | undefined)?.requestId;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** What never waits behind other messages: answers, cancellations, and calls that switch off or hold. */
export function isUrgent(message: JSONRPCMessage, host: WireHost): boolean {
  if (isJSONRPCNotification(message)) return cancelledBy(message) !== undefined;
  if (!isJSONRPCRequest(message)) return true;
  const tool = toolOf(message);
  return tool !== undefined && host.isUrgent(tool);
}

/** Whether a parsed body is one message; the SDK says what is wrong with any other. */
export const isMessage = (body: unknown): body is JSONRPCMessage =>
  isJSONRPCRequest(body) || isJSONRPCNotification(body) || isJSONRPCResponse(body);

/** The tool that a request calls; undefined for every other message. */
export function toolOf(message: JSONRPCMessage): string | undefined {
  if (!isJSONRPCRequest(message) || message.method !== "tools/call") return undefined;
  const { name }: { readonly name?: unknown; readonly [key: string]: unknown } = message.params ?? {};
  return typeof name === "string" ? name : "";
}

/** A call with the number of stops before it; any other message as it is. */
export function stamped(message: JSONRPCMessage, stopsBefore: number): JSONRPCMessage {
  if (toolOf(message) === undefined || !isJSONRPCRequest(message)) return message;
  const meta = { ...message.params?._meta, [STOPS_BEFORE]: stopsBefore };
  return { ...message, params: { ...message.params, _meta: meta } };
}
