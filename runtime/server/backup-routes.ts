import type { IncomingMessage } from "node:http";
import { TendrilError } from "../errors.js";
import type { BackupStore } from "../tools/host.js";
import type { BackupList } from "../wire/backups.js";
import { type Identity, OWNER } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import { type Admission, isLoopback } from "./authenticator.js";
import { PRIVATE, sendFile } from "./http-message.js";
import { type Entry, type Exchange, privately } from "./router.js";

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
      handle: privately(
        async ({ request }, { identity }: Admission): Promise<BackupList> => ({
          folder: store.folder,
          backups: [...(await store.list())],
          may_download: mayDownload(request, identity),
        }),
      ),
    },
    {
      ...person,
      methods: ["POST"],
      path: PATHS.backups,
      handle: privately((_, { identity }: Admission) => store.make(identity.name)),
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
  await sendFile(response, file, { "Content-Type": "application/gzip", ...PRIVATE });
}
