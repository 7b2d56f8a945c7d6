import { tooMany } from "../errors.js";
import type { UploadRoute } from "../tools/host.js";
import type { Admission } from "./authenticator.js";
import { PRIVATE, readBytes, sendJson } from "./http-message.js";
import type { ServerParts } from "./limits.js";
import type { Entry, Exchange } from "./router.js";

/** A choice: a whole file is in memory until it is on the disk, so that what is cut in the middle leaves nothing. */
const MAX_AT_ONCE = 2;

type UploadParts = Pick<ServerParts, "host" | "exchanges" | "sockets">;

/** The modules' places for files, for a person's token and for the page of a person. */
export function uploadEntries(parts: UploadParts): readonly Entry[] {
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
