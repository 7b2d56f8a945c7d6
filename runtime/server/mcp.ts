import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import { TendrilError } from "../errors.js";
import type { ToolListing } from "../tools/host.js";
import { type Identity, mayActAs } from "../wire/identity.js";
import { META } from "../wire/names.js";
import { RUNTIME, VERSION } from "../wire/program.js";
import type { PlainCalls } from "./plain-calls.js";
import { type Caller, ToolCalls } from "./tool-call.js";

export const INFO = { name: RUNTIME, title: "Tendril", version: VERSION };
/** What the server tells any agent about itself. */
export const INSTRUCTIONS =
  "Tendril cares for plants. Open each care cycle with write_plant_status: water and light need a cleared status. " +
  "Reading and logging are free at any time. A refused call says in its error what to do next.";

/** Of what a person fills into a form. */
const VALIDATOR = new CfWorkerJsonSchemaValidator();

/**
 * An MCP server for one caller: for one WebSocket connection, or for one HTTP request. Serves both protocol eras.
 */
export function mcpServer(caller: Caller, { subscribe, plain }: Extras): Server {
  const resources = { resources: subscribe ? { subscribe } : {} };
  const capabilities = { tools: {}, ...(seesResources(caller.identity) && resources) };
  const server = new Server(INFO, {
    capabilities,
    instructions: INSTRUCTIONS,
    jsonSchemaValidator: VALIDATOR,
  });
  server.onerror = (error) =>
    caller.log("debug", "mcp", { client: caller.identity.name, error: error.message });
  serveTools(server, caller, plain);
  if (seesResources(caller.identity)) serveResources(server, caller);
  return server;
}

interface Extras {
  /** Whether this caller can subscribe to changes. */
  readonly subscribe: boolean;
  /** Learns from each call how later ones can do without the SDK. */
  readonly plain?: PlainCalls;
}

/** Every role sees photos and the agenda. A token with a scope (for one purpose only) does not. */
export const seesResources = ({ role }: Identity): boolean => mayActAs(role, "observer");

function serveTools(server: Server, caller: Caller, plain: PlainCalls | undefined): void {
  const { host, identity } = caller;
  const calls = new ToolCalls(server, caller, host.listTools(identity));
  server.setRequestHandler("tools/list", ({ params }) => {
    const tools = listed(caller, params?._meta?.[META.toolsets]);
    return { tools: tools.map((tool) => ({ ...tool })) };
  });
  server.setRequestHandler("tools/call", ({ params }, context) => {
    const request = calls.requestIn(params, context);
    if (!request.dialogue) plain?.learn(calls, context);
    return during(caller, () => calls.answer(request));
  });
}

/** The tools of the toolsets that the caller asks for; all if it asks for none. */
function listed({ host, identity }: Caller, toolsets: unknown): readonly ToolListing[] {
  if (toolsets === undefined) return host.listTools(identity);
  if (!Array.isArray(toolsets) || !toolsets.every((name) => typeof name === "string"))
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `_meta["${META.toolsets}"] is not a list of names`,
    );
  try {
    return host.listTools(identity, toolsets);
  } catch (error) {
    throw error instanceof TendrilError
      ? new ProtocolError(ProtocolErrorCode.InvalidParams, error.message)
      : error;
  }
}

function serveResources(server: Server, caller: Caller): void {
  const { host, identity } = caller;
  server.setRequestHandler("resources/list", () =>
    during(caller, async () => ({ resources: [...(await host.resources.list())] })),
  );
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) =>
    during(caller, async () => {
      const content = await host.resources.read(uri, identity);
      if (!content) throw new ResourceNotFoundError(uri);
      return { contents: [{ uri, ...content }] };
    }),
  );
}

/** Counts the work as running: each token may have only so much at once. */
const during = <T>({ turns, identity }: Caller, work: () => Promise<T>): Promise<T> =>
  turns.during(identity.name, work);

/** A choice: there is only one resource that changes. */
export const MAX_SUBSCRIPTIONS = 16;

type Subscriber = Pick<Caller, "host" | "identity">;

/**
 * Tells one connection about changed resources, until it closes. From protocol 2026 on, the SDK keeps the list of
 * subscriptions and drops the rest; for earlier clients it is kept here.
 */
export function serveSubscriptions(server: Server, caller: Subscriber, era: "legacy" | "modern"): void {
  const listening = era === "modern" ? EVERYTHING : subscribed(server, caller);
  const unwatch = caller.host.resources.watch((uri) => {
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

/** Refuses an address that is no resource, and a subscription too many. */
function subscribed(server: Server, { host, identity }: Subscriber): ReadonlySet<string> {
  const uris = new Set<string>();
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    const known =
      uris.has(uri) || (uris.size < MAX_SUBSCRIPTIONS && (await host.resources.read(uri, identity)));
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
