import type { IncomingMessage } from "node:http";
import { notAllowed, TendrilError } from "../errors.js";
import type { BackupStore, Doctor } from "../tools/host.js";
import { isoUtc } from "../tools/iso-time.js";
import { type Identity, OWNER } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import type { BackupList, TokenList, TokenView } from "../wire/owner-page.js";
import { type Admission, isLoopback } from "./authenticator.js";
import { PRIVATE, sendFile } from "./http-message.js";
import { type Entry, type Exchange, forPage, type Method, privately } from "./router.js";
import type { SessionLinks } from "./session-routes.js";
import type { Sessions } from "./sessions.js";
import type { TokenUses } from "./token-files.js";
import type { TokenStore } from "./tokens.js";

interface OwnersParts {
  readonly tokens: TokenStore;
  readonly uses: TokenUses;
  readonly sessions: Sessions;
  readonly links: SessionLinks;
  readonly doctor: Doctor;
}

/**
 * `/tokens` and `/doctor`: for the owner's token and its sessions alone. They take away and look; they make no token, so that a
 * stolen session gets no other. The doctor asks the runtime with the owner's token, so what it says is the owner's to read.
 */
export function ownerRoutes({ tokens, uses, sessions, links, doctor }: OwnersParts): Entry[] {
  const revoke = async ({ url }: Exchange): Promise<object> => {
    const name = decoded(url.pathname.slice(PATHS.tokens.length + 1));
    if (name === OWNER && url.searchParams.get("sure") !== OWNER) throw lastWayIn();
    const isIt = (token: string) => token === name;
    await tokens.revoke(name);
    links.forget(isIt);
    await sessions.endOf(isIt);
    return { revoked: name };
  };
  return [
    forOwner("GET", PATHS.tokens, async (): Promise<TokenList> => {
      const known = await tokens.list();
      return { tokens: known.map((token) => viewOf(token, uses.of(token.key))) };
    }),
    forOwner("DELETE", `${PATHS.tokens}/`, revoke),
    forOwner("POST", PATHS.doctor, () => doctor.look()),
  ];
}

type Listed = Awaited<ReturnType<TokenStore["list"]>>[number];

const viewOf = ({ identity, made }: Listed, used: number | undefined): TokenView => ({
  ...identity,
  made: isoUtc(made),
  used: used === undefined ? null : isoUtc(used),
});

const lastWayIn = (): TendrilError =>
  new TendrilError(
    "OWN_WAY_IN",
    `without the token ${OWNER} this page and the commands on the runtime's machine are closed to its owner`,
  );

/** A name that is no text in an address fits no token. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function forOwner(method: Method, path: string, answer: (exchange: Exchange) => Promise<object>): Entry {
  const owned = (exchange: Exchange, { identity }: Admission) => {
    if (identity.name === OWNER) return answer(exchange);
    throw notAllowed(`this is for the token ${OWNER}, not for ${identity.name}`);
  };
  return forPage(method, path, privately(owned));
}

/**
 * `/backups`: a person sees the backups and makes one. A backup holds every token, so it leaves the machine by no network: the
 * owner alone fetches it, on the runtime's own machine. A session that was stolen, or one of another person, gets no token by it.
 */
export function backupRoutes(store: BackupStore): Entry[] {
  const list = async ({ request }: Exchange, { identity }: Admission): Promise<BackupList> => ({
    folder: store.folder,
    backups: [...(await store.list())],
    may_download: mayDownload(request, identity),
  });
  const make = (_: Exchange, { identity }: Admission) => store.make(identity.name);
  return [
    forPage("GET", PATHS.backups, privately(list)),
    forPage("POST", PATHS.backups, privately(make)),
    forPage("GET", `${PATHS.backups}/`, (exchange, { identity }) => download(store, exchange, identity)),
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
    throw notAllowed(
      `a backup holds every token: it is given to the token ${OWNER} alone, on the runtime's own machine`,
    );
  const file = await store.open(url.pathname.slice(PATHS.backups.length + 1));
  await sendFile(response, file, { "Content-Type": "application/gzip", ...PRIVATE });
}
