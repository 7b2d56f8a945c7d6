import type { Server } from "node:http";
import { isIPv6 } from "node:net";
import type { Clock } from "../../drivers/ports.js";
import { tooMany } from "../errors.js";
import type { Log } from "../log.js";
import type { RuntimeApi, UploadRoute } from "../tools/host.js";
import { PATHS } from "../wire/names.js";
import type { TlsAddress } from "../wire/proof.js";
import { type Admission, Authenticator } from "./authenticator.js";
import { Exchanges, Heartbeat, PlainSockets } from "./connections.js";
import { PRIVATE, readBytes, sendJson } from "./http-message.js";
import { type Handlers, HttpRoutes, listen, makeHttpServer } from "./http-server.js";
import { DEFAULT_LIMITS, type Limits, type ServerParts } from "./limits.js";
import { McpOverHttp, McpOverWebSocket } from "./mcp-transports.js";
import { backupRoutes, ownerRoutes } from "./owner-routes.js";
import { Pairing, pairingRoutes } from "./pairing.js";
import type { Entry, Exchange } from "./router.js";
import { SessionLinks, sessionRoutes } from "./session-routes.js";
import { Sessions } from "./sessions.js";
import { PAGES, pageRoutes } from "./static-files.js";
import type { TlsListener, TlsOptions } from "./tls/tls-listener.js";
import { TokenUses } from "./token-files.js";
import type { TokenStore } from "./tokens.js";
import { Arrivals, Pace, Turns } from "./turns.js";

interface ServerOptions {
  readonly host: RuntimeApi;
  readonly tokens: TokenStore;
  /** Real time: heartbeats are about clients, not plants. */
  readonly clock: Clock;
  /** `host` is an address or name to bind, 127.0.0.1 by default; port 0 picks a free one. */
  readonly listen: { readonly host?: string; readonly port: number };
  /** A further port, for the network. It may come up later, and its problems are not errors here. */
  readonly tls?: TlsOptions | undefined;
  /** Further host names by which clients may reach this runtime. */
  readonly allowedHosts?: readonly string[];
  readonly limits?: Partial<Limits>;
  /** What a person types for `tendril` on this machine; by default its plain name. */
  readonly called?: string;
  /** A folder of pages to serve instead of the runtime's own. */
  readonly pages?: string;
  readonly log: Log;
}

export interface RunningServer {
  /** ws://HOST:PORT/mcp; the same with http:// serves Streamable HTTP. */
  readonly url: string;
  readonly port: number;
  /** The address it listens on, even if `listen.host` is a name. */
  readonly address: string;
  /** The TLS port, while it listens. */
  tls(): TlsAddress | undefined;
  /** Open WebSocket connections. */
  connections(): number;
  /** Accepts nothing new, closes every connection, and ends after `limits.closeGrace` at the latest. */
  close(): Promise<void>;
}

/** Rejects with LISTEN_FAILED. The host ends calls that are in flight at `close`. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host: bound = "127.0.0.1", port: wanted } = options.listen;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { host, clock, log } = options;
  const heartbeat = new Heartbeat(clock, limits.heartbeat, log);
  const pace = new Pace();
  const turns = new Turns(limits.maxInFlight, pace);
  const sockets = new PlainSockets(limits.maxConnections);
  const arrivals = new Arrivals(pace);
  const exchanges = new Exchanges(limits.maxConnections);
  const parts = { host, clock, log, limits, heartbeat, arrivals, exchanges, turns, sockets };
  const { tokens } = options;
  const uses = await TokenUses.open(tokens, clock, log);
  const sessions = await Sessions.open(tokens, uses, clock, log);
  const names = [bound, ...(options.allowedHosts ?? [])];
  const authenticator = new Authenticator(tokens, uses, sessions, names);
  const ws = new McpOverWebSocket(parts);
  const http = new McpOverHttp(parts);
  const tlsAddress = (): TlsAddress | undefined => tls?.address;
  const links = new SessionLinks(clock, log);
  const heedNoErasure = host.onErase(async (isTheirs) => {
    links.forget(isTheirs);
    await sessions.endOf(isTheirs);
  });
  const { called = "tendril" } = options;
  const personOf = (token: string) => host.personOf(token);
  const others = [
    ...[http.route(), ...pairingRoutes(new Pairing(tokens, clock, log), tlsAddress, personOf)],
    ...[
      ...sessionRoutes({ sessions, links, tokens, tls: tlsAddress, personOf, called }),
      ...backupRoutes(host.backups),
    ],
    ...ownerRoutes({ tokens, uses, sessions, links, doctor: host.doctor }),
  ];
  const uploads = uploadEntries(parts);
  const pages = await pagesIn(options.pages ?? PAGES, log);
  const routes = new HttpRoutes(parts, authenticator, [...others, ...uploads, ...pages]);
  const handlers = { arrivals, sockets, authenticator, ws, routes };
  const server = makeHttpServer(limits, handlers);
  server.on("connection", () => pace.connectionAccepted());
  sockets.bound(server);
  const { port, address } = await listen(
    server,
    bound,
    wanted,
    "--port, else server.port of the configuration",
  );
  const tls = options.tls && (await tlsListener(options.tls, handlers, parts));
  await tls?.begin();
  const url = `ws://${isIPv6(bound) ? `[${bound}]` : bound}:${port}${PATHS.mcp}`;
  const connections = () => ws.connections;
  const close = async () => {
    heedNoErasure();
    await stop({ server, tls, heartbeat, ws, http });
    await uses.settled();
  };
  return { url, port, address, tls: tlsAddress, connections, close };
}

/** Loaded for a runtime that has a TLS port. */
async function tlsListener(options: TlsOptions, handlers: Handlers, { limits, clock, log }: ServerParts) {
  const { TlsListener } = await import("./tls/tls-listener.js");
  return new TlsListener(options, handlers, limits, clock, log);
}

/** A runtime without its pages still cares for its plants. */
async function pagesIn(folder: string, log: Log): Promise<readonly Entry[]> {
  try {
    return await pageRoutes(folder);
  } catch (error) {
    log("warn", "the pages are not served", { why: String(error) });
    return [];
  }
}

interface Stopped {
  readonly server: Server;
  readonly tls: TlsListener | undefined;
  readonly heartbeat: Heartbeat;
  readonly ws: McpOverWebSocket;
  readonly http: McpOverHttp;
}

async function stop({ server, tls, heartbeat, ws, http }: Stopped): Promise<void> {
  heartbeat.stop();
  const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
  const goodbyes = Promise.all([ws.close(), http.close()]);
  const ended = tls?.close(goodbyes);
  await goodbyes;
  server.closeAllConnections();
  await Promise.all([stopped, ended]);
}

/** A choice: a whole file is in memory until it is on the disk, so that what is cut in the middle leaves nothing. */
const MAX_AT_ONCE = 2;

type UploadParts = Pick<ServerParts, "host" | "exchanges" | "sockets">;

/** The modules' places for files, for a person's token and for the page of a person. */
function uploadEntries(parts: UploadParts): readonly Entry[] {
  const underWay = new Set<Exchange>();
  const handle = async (route: UploadRoute, exchange: Exchange, admission: Admission) => {
    if (underWay.size >= MAX_AT_ONCE) throw tooMany(`${MAX_AT_ONCE} files are on their way already`, 1);
    underWay.add(exchange);
    try {
      await take(parts, route, exchange, admission);
    } finally {
      underWay.delete(exchange);
    }
  };
  return parts.host.uploads.map((route) => ({
    methods: ["POST"],
    path: route.path,
    may: route.may,
    cookie: true,
    adds: true,
    handle: (exchange, admission) => handle(route, exchange, admission),
  }));
}

/** Counts against the token's rate and exchanges, as a call does. Throws RATE_LIMITED, REQUEST_TOO_LARGE. */
async function take(
  { host, exchanges, sockets }: UploadParts,
  route: UploadRoute,
  { request, response, url }: Exchange,
  { identity, onEnd }: Admission,
): Promise<void> {
  if (response.closed) return; // the client left: "close" has already been emitted
  response.once(
    "close",
    onEnd(() => response.destroy()),
  );
  if (response.destroyed) return;
  response.once("close", sockets.serves(request.socket));
  exchanges.begin(identity, response);
  host.meter.take(identity.name);
  const [name = "", channel, account] = ["name", "channel", "account"].map(
    (key) => url.searchParams.get(key) ?? undefined,
  );
  const from = channel !== undefined && account !== undefined ? { channel, account } : undefined;
  const bytes = await exchanges.receive(identity, (signal) => readBytes(request, route.mostBytes, signal));
  sendJson(response, 200, await route.take({ name, bytes, by: identity, from }), PRIVATE);
}
