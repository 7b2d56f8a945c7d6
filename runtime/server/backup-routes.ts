import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { TendrilError } from "../errors.js";
import type { BackupStore } from "../tools/host.js";
import type { BackupList } from "../wire/backups.js";
import { type Identity, OWNER } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import { isLoopback } from "./authenticator.js";
import { PRIVATE, sendJson } from "./http-message.js";
import type { Entry, Exchange } from "./router.js";

/**
 * `/backups`: a person sees the backups and makes one. A backup holds every token, so it leaves the machine by no network: the
 * owner alone fetches it, on the runtime's own machine. A session that was stolen, or one of another person, gets no token by it.
 */
export function backupRoutes(store: BackupStore): Entry[] {
  const person = { may: { role: "human" }, cookie: true } as const;
  return [
    {
      ...person,
      methods: ["GET"],
      path: PATHS.backups,
      handle: async ({ request, response }, { identity }) => {
        const list: BackupList = {
          folder: store.folder,
          backups: [...(await store.list())],
          may_download: mayDownload(request, identity),
        };
        sendJson(response, 200, list, PRIVATE);
      },
    },
    {
      ...person,
      methods: ["POST"],
      path: PATHS.backups,
      handle: async ({ response }, { identity }) =>
        sendJson(response, 200, await store.make(identity.name), PRIVATE),
    },
    {
      ...person,
      methods: ["GET"],
      path: `${PATHS.backups}/`,
      handle: (exchange, { identity }) => download(store, exchange, identity),
    },
  ];
}

const mayDownload = ({ socket }: IncomingMessage, { name }: Identity): boolean =>
  name === OWNER && isLoopback(socket.remoteAddress);

async function download(
  store: BackupStore,
  { request, response, url }: Exchange,
  identity: Identity,
): Promise<void> {
  if (!mayDownload(request, identity))
    throw new TendrilError(
      "FORBIDDEN",
      `a backup holds every token: it is given to the token ${OWNER} alone, on the runtime's own machine`,
    );
  const file = await store.open(url.pathname.slice(PATHS.backups.length + 1));
  try {
    const { size } = await file.stat();
    response.writeHead(200, { "Content-Type": "application/gzip", "Content-Length": size, ...PRIVATE });
    if (request.method === "HEAD") response.end();
    else await pipeline(file.createReadStream({ autoClose: false }), response);
  } finally {
    await file.close();
  }
}
