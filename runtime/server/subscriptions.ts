import { ResourceNotFoundError, type Server } from "@modelcontextprotocol/server";
import type { WireHost } from "../tools/host.js";

/** A choice: there is one resource worth listening to. */
export const MOST_SUBSCRIPTIONS = 16;

/**
 * Tells one connection of resources that have changed, in the way of its protocol. From 2026 on, the SDK's entry keeps
 * what is listened to and drops the rest; before, this keeps the addresses that were subscribed to. It ends with the connection.
 */
export function serveSubscriptions(server: Server, host: WireHost, era: "legacy" | "modern"): void {
  const listening = era === "modern" ? EVERYTHING : subscribed(server, host);
  const unwatch = host.resources.watch((uri) => {
    if (!listening.has(uri)) return;
    server.sendResourceUpdated({ uri }).catch((error: Error) => server.onerror?.(error));
  });
  const { onclose } = server;
  server.onclose = () => {
    unwatch();
    onclose?.();
  };
}

const EVERYTHING = { has: (_uri: string) => true };

/** Throws to its caller what is no resource, or one too many. */
function subscribed(server: Server, host: WireHost): ReadonlySet<string> {
  const uris = new Set<string>();
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    const known = uris.has(uri) || (uris.size < MOST_SUBSCRIPTIONS && (await host.resources.read(uri)));
    if (!known) throw new ResourceNotFoundError(uri);
    uris.add(uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    uris.delete(uri);
    return {};
  });
  return uris;
}
