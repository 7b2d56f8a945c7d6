import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import type { Duplex } from "node:stream";
import { hasCode } from "../../drivers/system-error.js";
import { seconds } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";
import { PATHS } from "../wire/names.js";
import type { Doorkeeper } from "./admission.js";
import type { Arrivals } from "./arrivals.js";
import { refuseSocket } from "./http-error.js";
import { type HttpRoutes, urlOf } from "./http-routes.js";
import type { Limits } from "./limits.js";
import type { McpOverWebSocket } from "./websocket-server.js";

/** How often Node looks for slow requests. */
export const SLOWNESS_CHECK = seconds(1);

/** Who answers what comes in, over whichever port. */
export interface Handlers {
  readonly arrivals: Arrivals;
  readonly routes: HttpRoutes;
  readonly door: Doorkeeper;
  readonly ws: McpOverWebSocket;
}

/** The plain port: HTTP to the routes, upgrades to the WebSocket. */
export function makeHttpServer({ headersTimeout, requestTimeout }: Limits, handlers: Handlers): HttpServer {
  const slowness = { headersTimeout, requestTimeout, connectionsCheckingInterval: SLOWNESS_CHECK };
  return serveOn(createServer(slowness), handlers);
}

export function serveOn<S extends HttpServer | HttpsServer>(server: S, handlers: Handlers): S {
  server.on("request", (request, response) => void handlers.routes.answer(request, response));
  server.on("upgrade", (request, socket, head) => void upgrade(request, socket, head, handlers));
  server.on("clientError", (error, socket) => refuseSocket(socket, malformed(error)));
  return server;
}

/** Resolves to where it listens. Rejects with LISTEN_FAILED: taken, not allowed, no such address. */
export function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const why = hasCode(cause, "EADDRINUSE") ? "something else listens there already" : cause.message;
      reject(new TendrilError("LISTEN_FAILED", `cannot listen on ${host} port ${port}: ${why}`, { cause }));
    });
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

async function upgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { arrivals, door, ws }: Handlers,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  try {
    await arrivals.wait(request);
    refuseOtherUpgrades(request);
    ws.accept(request, socket, head, await door.admit(request));
  } catch (error) {
    refuseSocket(socket, error);
  }
}

function refuseOtherUpgrades(request: IncomingMessage): void {
  const { pathname } = urlOf(request);
  if (pathname !== PATHS.mcp)
    throw new TendrilError("NO_ROUTE", `there is no WebSocket at ${pathname}, only at ${PATHS.mcp}`);
  const protocol = request.headers.upgrade ?? "";
  if (protocol.toLowerCase() !== "websocket") {
    throw new TendrilError("INVALID_ARGUMENT", `Upgrade: ${JSON.stringify(protocol)} is not websocket`);
  }
}

function malformed(error: Error): TendrilError {
  const slow = hasCode(error, "ERR_HTTP_REQUEST_TIMEOUT");
  return new TendrilError(
    "INVALID_ARGUMENT",
    slow ? "the request took too long to arrive" : "the request is not valid HTTP",
  );
}
