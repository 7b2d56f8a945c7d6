import { createServer, type Server as HttpServer, type IncomingMessage, ServerResponse } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { hasCode } from "../../drivers/system-error.js";
import { seconds } from "../../drivers/units.js";
import { invalidArgument, notAllowed, TendrilError } from "../errors.js";
import type { Route } from "../tools/host.js";
import { type Allowed, type Identity, isAllowed, neededWords } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import { type Admission, type Authenticator, isLoopback } from "./authenticator.js";
import type { PlainSockets } from "./connections.js";
import { refuseSocket, secure, sendError, sendFile, sendJson, tlsSocketOf } from "./http-message.js";
import type { Limits, ServerParts } from "./limits.js";
import type { McpOverWebSocket } from "./mcp-transports.js";
import { type Entry, type Exchange, forAnybody, isOpen, type OpenEntry, Router } from "./router.js";
import { type Arrivals, ClientLeft } from "./turns.js";

/** How often Node looks for slow requests. */
const SLOWNESS_CHECK = seconds(1);

/**
 * Connections that the kernel keeps until they are accepted, one in each turn of the event loop. Beyond that it drops
 * new ones, and the client's kernel asks again after 1, 3 and 7 s (RFC 6298): with a thousand new connections, a
 * person's call waited 5 s. Linux allows 4096 by default since 5.4 (net.core.somaxconn); Node's default is 511.
 */
const BACKLOG = 4096;

/**
 * A choice: `POST /off` works with many cookies too. A browser sends those of all services on this machine, since cookies are not kept
 * apart by port (RFC 6265, 8.5), at most 4096 bytes each, and Node's 16 KiB have room for four: this has room for 50 (RFC 6265, 6.1).
 */
const MAX_HEADER_SIZE = 256 * 1024;

/** What answers requests and upgrades, on either port. */
export interface Handlers {
  readonly arrivals: Arrivals;
  readonly sockets: PlainSockets;
  readonly routes: HttpRoutes;
  readonly authenticator: Authenticator;
  readonly ws: McpOverWebSocket;
}

/** What both ports are made with. */
export const httpOptions = ({ headersTimeout, requestTimeout, keepAliveTimeout }: Limits) => ({
  headersTimeout,
  requestTimeout,
  keepAliveTimeout,
  connectionsCheckingInterval: SLOWNESS_CHECK,
  maxHeaderSize: MAX_HEADER_SIZE,
  requireHostHeader: false, // `POST /off` works without Host too. For everything else `checkOrigin` refuses it
});

/** The plain port: HTTP to the routes, upgrades to the WebSocket. */
export const makeHttpServer = (limits: Limits, handlers: Handlers): HttpServer =>
  serveOn(createServer(httpOptions(limits)), handlers);

export function serveOn<S extends HttpServer | HttpsServer>(server: S, handlers: Handlers): S {
  server.on("request", (request, response) => void handlers.routes.answer(request, response));
  server.on("checkExpectation", (request, response) => {
    if (isOff(request)) void handlers.routes.answer(request, response);
    else response.writeHead(417).end(); // as Node does
  });
  server.on("upgrade", (request, socket, head) => void upgrade(request, socket, head, handlers));
  server.on("clientError", (error, socket) => refuseRequest(socket as Socket, error));
  return server;
}

/**
 * A request that did not parse, or did not arrive. A connection that brought no byte is closed without a word: browsers
 * open spare ones ahead, and take what comes there as the answer to the next request that they send on it.
 */
function refuseRequest(socket: Socket, error: Error): void {
  if (socket.bytesRead === 0) return void socket.destroy();
  refuseSocket(socket, malformed(error));
}

/** Resolves to the address it listens on. `setting`: how a person names its port. Rejects with LISTEN_FAILED: taken, not allowed, no such address. */
export function listen(server: Server, host: string, port: number, setting: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const why = hasCode(cause, "EADDRINUSE") ? "something else listens there already" : cause.message;
      const what = `cannot listen on ${host} port ${port} (${setting}): ${why}`;
      reject(new TendrilError("LISTEN_FAILED", what, { cause }));
    });
    server.listen({ port, host, backlog: BACKLOG }, () => resolve(server.address() as AddressInfo));
  });
}

async function upgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { arrivals, sockets, routes, authenticator, ws }: Handlers,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  if (isOff(request)) return routes.answer(request, plainResponse(request));
  sockets.asks(request.socket); // until it has its token checked, or is closed with a refusal
  try {
    await arrivals.wait(request);
    refuseOtherUpgrades(request);
    await ws.accept(request, socket, head, await authenticator.admit(request, { cookie: true }));
  } catch (error) {
    refuseSocket(socket, error);
  }
}

/** A body that goes on behind its answer is not read: Node would throw away as much of it as comes, and `POST /off` would wait. */
function endUnread({ complete, socket }: IncomingMessage): void {
  if (!complete) socket.destroySoon();
}

/** For a request that Node took for an upgrade. The connection ends with the answer. */
function plainResponse(request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request);
  const { socket } = request;
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.resume().destroySoon()); // unread bytes would reset the connection
  return response;
}

function refuseOtherUpgrades(request: IncomingMessage): void {
  const { pathname } = urlOf(request);
  if (pathname !== PATHS.mcp)
    throw new TendrilError("NO_ROUTE", `there is no WebSocket at ${pathname}, only at ${PATHS.mcp}`);
  const protocol = request.headers.upgrade ?? "";
  if (protocol.toLowerCase() !== "websocket") {
    throw invalidArgument(`Upgrade: ${JSON.stringify(protocol)} is not websocket`);
  }
}

const malformed = (error: Error): TendrilError =>
  hasCode(error, "ERR_HTTP_REQUEST_TIMEOUT")
    ? new TendrilError("REQUEST_TIMEOUT", "the request took too long to arrive")
    : invalidArgument("the request is not valid HTTP");

/** Answers everything that comes in over HTTP, with TLS or without. */
export class HttpRoutes {
  private readonly router: Router;

  /** `others`: routes beside the ones that this file declares. */
  constructor(
    private readonly parts: ServerParts,
    private readonly authenticator: Authenticator,
    others: readonly Entry[],
  ) {
    const { host } = parts;
    this.router = new Router([
      this.off(),
      ...others,
      forAnybody("GET", "/healthz", ({ response }) => sendJson(response, 200, host.health())),
      forAnybody("GET", PATHS.proof, async ({ request, response, url }) =>
        sendJson(response, 200, await authenticator.prove(request, url.searchParams)),
      ),
      ...host.routes.map((route) => this.entryOf(route)),
    ]);
  }

  /** Never rejects: an error becomes the answer. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // the rest of what was read from a connection that was closed meanwhile: never a stop
    if (request.socket.destroyed && !isOff(request)) return void this.parts.arrivals.count(request.socket);
    const stopsBefore = this.parts.host.stopsBefore(); // before any wait
    const { sockets, arrivals } = this.parts;
    const before = arrivals.lineUp(request.socket, response);
    response.once("close", sockets.asks(request.socket));
    response.once("finish", () => endUnread(request));
    secure(response);
    try {
      await this.route({ request, response, url: urlOf(request), stopsBefore }, before);
    } catch (error) {
      if (error instanceof ClientLeft) return;
      this.note(error, request);
      if (!request.complete) response.setHeader("Connection", "close"); // see endUnread
      sendError(response, error);
    }
  }

  /** A client that left is no defect of the runtime. */
  private note(error: unknown, { socket }: IncomingMessage): void {
    if (error instanceof TendrilError) return;
    this.parts.log(socket.destroyed ? "debug" : "error", "http", { error: String(error) });
  }

  /** `before`: until then, earlier requests of the connection are not answered. */
  private async route(exchange: Exchange, before: Promise<void>): Promise<void> {
    const { request, url } = exchange;
    const { method = "" } = request;
    const entry = this.router.find(method, url.pathname);
    if (!entry?.urgent) {
      await this.parts.arrivals.wait(request, before);
      this.authenticator.checkOrigin(request);
    }
    if (!entry) throw this.router.refusal(method, url.pathname);
    await this.enter(entry, exchange);
  }

  /** Checks who may, then calls the handler. Throws UNAUTHORIZED and FORBIDDEN. */
  private async enter(entry: Entry, exchange: Exchange): Promise<void> {
    if (isOpen(entry)) {
      assertHere(entry, exchange);
      return entry.handle(exchange);
    }
    const admission = await this.authenticator.admit(exchange.request, entry);
    assertMay(entry.may, admission.identity, entry.path);
    assertHere(entry, exchange);
    if (entry.adds) await this.authenticator.assertSure();
    return entry.handle(exchange, admission);
  }

  /** Anybody at this machine can always switch everything off: no token, no Origin, no limit is checked. */
  private off(): OpenEntry {
    const handle = async ({ response }: Exchange) => {
      await this.parts.host.switchEverythingOff("POST /off on this machine");
      sendJson(response, 200, { off: true });
    };
    return { ...forAnybody("POST", PATHS.off, handle), here: true, urgent: true };
  }

  private entryOf(route: Route): Entry {
    const { path, may, cookie = false } = route;
    const place = { methods: ["GET"], path } as const;
    if (typeof may === "string") return { ...place, may, handle: (exchange) => send(route, exchange) };
    return {
      ...place,
      may,
      cookie,
      handle: (exchange, admission) => this.counted(route, exchange, admission),
    };
  }

  /** Counts against the token's rate and exchanges, as a call over /mcp does. Throws RATE_LIMITED. */
  private async counted(route: Route, exchange: Exchange, { identity }: Admission): Promise<void> {
    const { request, response } = exchange;
    if (response.closed) return; // the client left: "close" has already been emitted
    const { host, exchanges, sockets } = this.parts;
    response.once("close", sockets.serves(request.socket));
    exchanges.begin(identity, response);
    host.meter.take(identity.name);
    await send(route, exchange);
  }
}

async function send(route: Route, { request, response, url }: Exchange): Promise<void> {
  const { status, type, body, headers } = await route.answer({
    path: url.pathname,
    query: url.searchParams,
    isPrivate: tlsSocketOf(request) !== undefined || isLoopback(request.socket.remoteAddress),
    header: (name) => [request.headers[name]].flat()[0],
  });
  if (status === 304) return void response.writeHead(status, headers).end();
  const all = { "Content-Type": type, ...headers };
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return sendFile(response, body, all);
  response.writeHead(200, { "Content-Length": Buffer.byteLength(body), ...all }).end(body);
}

function assertMay(allowed: Allowed, { role }: Identity, path: string): void {
  if (isAllowed(role, allowed)) return;
  throw notAllowed(`${path} needs ${neededWords(allowed)}; this token is ${role}`);
}

function assertHere({ here, urgent, path }: Entry, { request: { socket, method } }: Exchange): void {
  if (!here || isLoopback(socket.remoteAddress) || (urgent && isToItself(socket))) return;
  throw notAllowed(`${method} ${path} is answered on the runtime's own machine only`);
}

/** Whether a machine talks to itself: so its own people reach a runtime that listens on its address in the network alone. */
const isToItself = ({ remoteAddress, localAddress }: Socket): boolean =>
  remoteAddress !== undefined && remoteAddress === localAddress;

/** What a person may come up with in haste, and a proxy's form of it (RFC 9112, 3.2.2). */
const OFF_TARGET = /^(?:https?:\/\/[^/?#]*)?\/+off\/*(?:[?#]|$)/i;
const isOff = ({ method, url = "" }: IncomingMessage): boolean => method === "POST" && OFF_TARGET.test(url);

/** Throws INVALID_ARGUMENT for a request target that is no path (`OPTIONS *`, `GET http://…`, `//`). */
function urlOf({ url = "" }: IncomingMessage): URL {
  if (OFF_TARGET.test(url)) return new URL(PATHS.off, "http://runtime");
  if (/^\/(?!\/)/.test(url)) return new URL(url, "http://runtime");
  throw invalidArgument("the request target is not a path");
}
