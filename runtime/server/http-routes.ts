import type { IncomingMessage, ServerResponse } from "node:http";
import { TendrilError } from "../errors.js";
import type { Route } from "../tools/host.js";
import { type Allowed, type Identity, isAllowed, neededWords } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import type { Admission, Doorkeeper } from "./admission.js";
import { sendError, sendJson } from "./http-error.js";
import { isLoopback } from "./origin.js";
import { type Entry, type Exchange, isOpen, type OpenEntry, Router } from "./router.js";
import { secure } from "./security-headers.js";
import type { WireParts } from "./wire-parts.js";

/** Answers everything that comes in over HTTP, with TLS or without. */
export class HttpRoutes {
  private readonly router: Router;

  /** `others`: what is served beside what this file declares. */
  constructor(
    private readonly parts: WireParts,
    private readonly door: Doorkeeper,
    others: readonly Entry[],
  ) {
    const { host } = parts;
    this.router = new Router([
      this.off(),
      ...others,
      {
        methods: ["GET"],
        path: "/healthz",
        may: "anybody",
        handle: ({ response }) => sendJson(response, 200, host.health()),
      },
      {
        methods: ["GET"],
        path: PATHS.proof,
        may: "anybody",
        handle: async ({ request, response, url }) =>
          sendJson(response, 200, await door.prove(request, url.searchParams)),
      },
      ...host.routes.map((route) => this.entryOf(route)),
    ]);
  }

  /** Never rejects: what goes wrong is the answer. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stopsBefore = this.parts.host.stopsBefore(); // before anything is waited for
    secure(response);
    try {
      await this.route({ request, response, url: urlOf(request), stopsBefore });
    } catch (error) {
      this.note(error, request);
      if (!request.complete) response.setHeader("Connection", "close"); // nobody reads the rest of it
      sendError(response, error);
    }
  }

  /** A client that went away is nobody's defect. */
  private note(error: unknown, { socket }: IncomingMessage): void {
    if (error instanceof TendrilError) return;
    this.parts.log(socket.destroyed ? "debug" : "error", "http", { error: String(error) });
  }

  private async route(exchange: Exchange): Promise<void> {
    const { request, url } = exchange;
    const { method = "" } = request;
    const entry = this.router.find(method, url.pathname);
    if (!entry?.urgent) {
      await this.parts.arrivals.wait(request);
      this.door.checkOrigin(request);
    }
    if (!entry) throw this.router.refusal(method, url.pathname);
    await this.enter(entry, exchange);
  }

  /** Who may, then the handler. Throws UNAUTHORIZED and FORBIDDEN. */
  private async enter(entry: Entry, exchange: Exchange): Promise<void> {
    if (isOpen(entry)) {
      assertHere(entry, exchange);
      return entry.handle(exchange);
    }
    const admission = await this.door.admit(exchange.request);
    assertMay(entry.may, admission.identity, entry.path);
    assertHere(entry, exchange);
    return entry.handle(exchange, admission);
  }

  /** Nothing may refuse a person at the machine to switch everything off: no token, no Origin, no limit is asked for. */
  private off(): OpenEntry {
    return {
      methods: ["POST"],
      path: PATHS.off,
      may: "anybody",
      here: true,
      urgent: true,
      handle: async ({ response }) => {
        await this.parts.host.switchEverythingOff("POST /off on this machine");
        sendJson(response, 200, { off: true });
      },
    };
  }

  /** A module's route as an entry of the table. */
  private entryOf(route: Route): Entry {
    const { path, may } = route;
    const place = { methods: ["GET"], path } as const;
    if (typeof may === "string") return { ...place, may, handle: (exchange) => send(route, exchange) };
    return { ...place, may, handle: (exchange, admission) => this.counted(route, exchange, admission) };
  }

  /** Counts against the token's rate and exchanges, as a call over /mcp does. Throws RATE_LIMITED. */
  private async counted(route: Route, exchange: Exchange, { identity }: Admission): Promise<void> {
    const { request, response } = exchange;
    if (response.closed) return; // the client left while it was let in: no close will come
    const { host, exchanges, sockets } = this.parts;
    response.once("close", sockets.serves(request.socket));
    exchanges.begin(identity, response);
    host.meter.take(identity.name);
    await send(route, exchange);
  }
}

async function send(route: Route, { response, url }: Exchange): Promise<void> {
  const { type, body, headers } = await route.answer({ path: url.pathname, query: url.searchParams });
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  response.writeHead(200, { "Content-Type": type, "Content-Length": bytes.byteLength, ...headers });
  response.end(bytes);
}

function assertMay(allowed: Allowed, { role }: Identity, path: string): void {
  if (isAllowed(role, allowed)) return;
  throw new TendrilError("FORBIDDEN", `${path} needs ${neededWords(allowed)}; this token is ${role}`);
}

function assertHere({ here, path }: Entry, { request: { socket, method } }: Exchange): void {
  if (!here || isLoopback(socket.remoteAddress)) return;
  throw new TendrilError("FORBIDDEN", `${method} ${path} is answered on the runtime's own machine only`);
}

/** Throws INVALID_ARGUMENT for a request target that is no path (`OPTIONS *`, `GET http://…`, `//`). */
export function urlOf({ url = "" }: IncomingMessage): URL {
  if (/^\/(?!\/)/.test(url)) return new URL(url, "http://runtime");
  throw new TendrilError("INVALID_ARGUMENT", "the request target is not a path");
}
