import type { IncomingMessage, ServerResponse } from "node:http";
import { TendrilError } from "../errors.js";
import { PATHS } from "../wire/names.js";
import type { Doorkeeper } from "./admission.js";
import { sendError, sendJson } from "./http-error.js";
import type { McpOverHttp } from "./mcp-http.js";
import { isLoopback } from "./origin.js";
import { type PairingRoutes, sendPrivate } from "./pairing/routes.js";
import type { WireParts } from "./wire-parts.js";

const PHOTOS = "/photos/";

/** Answers everything that comes in over HTTP, with TLS or without. */
export class HttpRoutes {
  constructor(
    private readonly parts: WireParts,
    private readonly door: Doorkeeper,
    private readonly mcp: McpOverHttp,
    private readonly pairing: PairingRoutes,
  ) {}

  /** Never rejects: what goes wrong is the answer. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stopsBefore = this.parts.host.stopsBefore(); // before anything is waited for
    try {
      await this.route(request, response, stopsBefore);
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

  private async route(
    request: IncomingMessage,
    response: ServerResponse,
    stopsBefore: number,
  ): Promise<void> {
    const { pathname, searchParams } = urlOf(request);
    const route = `${request.method} ${pathname}`;
    if (route === `POST ${PATHS.off}`) return this.off(request, response);
    await this.parts.arrivals.wait(request);
    this.door.checkOrigin(request);
    if (pathname === PATHS.mcp) {
      const admission = await this.door.admit(request);
      return this.mcp.serve(request, response, admission, stopsBefore);
    }
    const paired = await this.pairing.answer(route, request);
    if (paired) return sendPrivate(response, paired);
    if (route === "GET /healthz") return sendJson(response, 200, this.parts.host.health());
    if (route === `GET ${PATHS.proof}`)
      return sendJson(response, 200, await this.door.prove(request, searchParams));
    if (route.startsWith(`GET ${PHOTOS}`)) return this.photo(response, pathname, searchParams);
    throw new TendrilError("NOT_FOUND", `there is no ${route} here`);
  }

  /** Nothing may refuse a person at the machine to switch everything off: no token, no Origin, no limit is asked for. */
  private async off({ socket }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLoopback(socket.remoteAddress)) {
      throw new TendrilError("FORBIDDEN", "POST /off is answered on the runtime's own machine only");
    }
    await this.parts.host.switchEverythingOff("POST /off on this machine");
    sendJson(response, 200, { off: true });
  }

  private async photo(response: ServerResponse, path: string, query: URLSearchParams): Promise<void> {
    const jpeg = await this.parts.host.photo(path, query);
    if (!jpeg) throw new TendrilError("NOT_FOUND", `there is no photo at ${path}, or its link has expired`);
    response.writeHead(200, {
      "Content-Type": "image/jpeg",
      "Content-Length": jpeg.byteLength,
      "Cache-Control": "private, no-store",
      "X-Content-Type-Options": "nosniff",
    });
    response.end(jpeg);
  }
}

/** Throws INVALID_ARGUMENT for a request target that is no path (`OPTIONS *`, `GET http://…`, `//`). */
export function urlOf({ url = "" }: IncomingMessage): URL {
  if (/^\/(?!\/)/.test(url)) return new URL(url, "http://runtime");
  throw new TendrilError("INVALID_ARGUMENT", "the request target is not a path");
}
