import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type NodeIncomingMessageLike,
  type NodeMcpRequestHandler,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { type AuthInfo, createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import type { Cancel } from "../../drivers/ports.js";
import { TendrilError } from "../errors.js";
import type { Identity } from "../wire/identity.js";
import type { Admission } from "./authenticator.js";
import { readBody, sendJson } from "./http-message.js";
import { isMessage, isUrgent, JsonRpcFault, maxPartsOf, parseJson, stamp, toolOf } from "./json-rpc.js";
import type { ServerParts } from "./limits.js";
import { mcpServer } from "./mcp.js";
import type { Exchange } from "./router.js";
import { ClientLeft } from "./turns.js";

/**
 * Serves MCP over Streamable HTTP. Each request has a server of its own, without state between them. So a client with a
 * protocol from before 2026 cannot subscribe here; since 2026 a subscription is a request whose answer streams.
 */
export class HttpExchanges {
  private readonly handler: McpHttpHandler;
  private readonly respond: NodeMcpRequestHandler;
  private readonly unwatch: Cancel;

  constructor(private readonly parts: ServerParts) {
    const { host, log, limits, turns } = parts;
    const onerror = (error: Error) => log("debug", "mcp over http", { error: error.message });
    this.handler = createMcpHandler(
      ({ authInfo, era }) =>
        mcpServer({ host, log, turns, identity: identityOf(authInfo) }, { subscribe: era === "modern" }),
      // a subscription is an exchange that stays open: half of them are kept for calls
      { onerror, maxSubscriptions: Math.floor(limits.maxConnections / 2) },
    );
    this.unwatch = host.resources.watch((uri) => this.handler.notify.resourceUpdated(uri));
    this.respond = toNodeHandler(this.handler, { onerror });
  }

  /** Throws RATE_LIMITED and REQUEST_TOO_LARGE. */
  async serve(exchange: Exchange, admission: Admission): Promise<void> {
    const { request, response, stopsBefore } = exchange;
    const { identity } = admission;
    // the client left during the check of its token: "close" has already been emitted
    if (response.closed) return;
    this.watch(response, admission);
    if (response.destroyed) return; // its token or session has just ended
    response.once("close", this.parts.sockets.serves(request.socket));
    const body = await this.bodyOf(request, identity);
    if (body instanceof JsonRpcFault) return sendJson(response, 400, body.reply);
    if (isMessage(body)) stamp(body, stopsBefore);
    if (!isMessage(body) || !isUrgent(body, this.parts.host, identity)) {
      this.parts.exchanges.begin(identity, response);
      await this.inTurn(identity, body, response);
    }
    const admitted = Object.assign(request, { auth: new CallerAuth(identity) });
    await this.respond(admitted as NodeIncomingMessageLike, response, body);
  }

  /** Ends what is still being answered. */
  close(): Promise<void> {
    this.unwatch();
    return this.handler.close();
  }

  private async bodyOf(request: IncomingMessage, identity: Identity): Promise<unknown> {
    if (request.method !== "POST") return undefined;
    const { limits, host, exchanges } = this.parts;
    const text = await exchanges.receive(identity, (signal) =>
      readBody(request, limits.maxBodyBytes, signal),
    );
    host.meter.chargeBytes(identity.name, text.length);
    return parseBody(text, maxPartsOf(identity));
  }

  /** Waits for this token's turn, and counts requests other than calls: the host counts calls. Throws RATE_LIMITED. */
  private async inTurn({ name }: Identity, message: unknown, response: ServerResponse): Promise<void> {
    const { host, turns } = this.parts;
    await new Promise<void>((resolve, reject) => {
      const leave = turns.wait(name, resolve);
      response.once("close", () => {
        leave();
        reject(new ClientLeft());
      });
    });
    if (!isMessage(message) || toolOf(message) === undefined) host.meter.take(name);
  }

  /** Ends the exchange when its token is removed: an answer may stream for hours. */
  private watch(response: ServerResponse, admission: Admission): void {
    const end = () => void response.destroy();
    const leave = this.parts.heartbeat.add(async () => void ((await admission.stillHolds()) || end()));
    response.once("close", leave).once("close", admission.onEnd(end));
  }
}

/** Carries the identity through the SDK, without the token. */
class CallerAuth implements AuthInfo {
  readonly token = "";
  readonly clientId: string;
  readonly scopes: string[];

  constructor(readonly identity: Identity) {
    this.clientId = identity.name;
    this.scopes = [identity.role];
  }
}

function identityOf(auth: AuthInfo | undefined): Identity {
  if (auth instanceof CallerAuth) return auth.identity;
  throw new TendrilError("UNAUTHORIZED", "the request was not admitted");
}

function parseBody(text: string, maxParts: number): unknown {
  try {
    return parseJson(text, maxParts);
  } catch (error) {
    if (error instanceof JsonRpcFault) return error;
    throw error;
  }
}
