import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import type { Cancel } from "../../drivers/ports.js";
import type { Millis } from "../../drivers/units.js";
import { invalidArgument, notFound, TendrilError } from "../errors.js";
import type { Identity } from "../wire/identity.js";
import { PAGE_HEADER } from "../wire/names.js";
import { type Asked, isChallenge, type ProofAnswer, pinOf, withoutMapping } from "../wire/proof.js";
import { tlsSocketOf } from "./http-message.js";
import type { Sessions } from "./sessions.js";
import type { TokenUses } from "./token-files.js";
import { CHECK_WAITS, type TokenStore } from "./tokens.js";

/** RFC 6750, section 2.1. */
const BEARER = /^Bearer ([\w.~+/=-]+)$/i;

/** A caller whose token or session is known. */
export interface Admission {
  readonly identity: Identity;
  /** The session's id, for a browser. */
  readonly session?: string;
  /** Calls the listener at once when somebody ends the session, or revokes the token. A file that was removed is found by `stillHolds`. */
  onEnd(listener: () => void): Cancel;
  /** Whether the token still belongs to the same caller: it was not removed and not given to somebody else. */
  stillHolds(): Promise<boolean>;
}

/** Decides who may talk to /mcp. */
export class Authenticator {
  /** Names this run of the runtime; a new one at each start. */
  private readonly runtime = randomUUID();

  constructor(
    private readonly tokens: TokenStore,
    private readonly uses: TokenUses,
    private readonly sessions: Sessions,
    private readonly allowedHosts: readonly string[],
  ) {}

  /** Throws ORIGIN_REFUSED for a request that a foreign web page may have caused. */
  checkOrigin(request: IncomingMessage): void {
    checkOrigin(request, this.allowedHosts);
  }

  /**
   * Only headers are read, because URLs end up in logs. `cookie`: whether a browser's session will do. Throws
   * ORIGIN_REFUSED, PAGE_REFUSED, UNAUTHORIZED; INVALID_ARGUMENT for a request that carries a token and a session.
   */
  async admit(request: IncomingMessage, { cookie = false } = {}): Promise<Admission> {
    this.checkOrigin(request);
    const secrets = cookiesIn(request, this.sessions.instance);
    const { authorization } = request.headers;
    if (secrets.length > 0 && authorization !== undefined)
      throw invalidArgument("the request carries both a token and a session's cookie");
    return secrets.length > 0 && cookie
      ? this.admitSession(request, secrets)
      : this.admitToken(BEARER.exec(authorization ?? "")?.[1]);
  }

  /** Throws TOKENS_UNREAD if nobody knows whether the token that was admitted is revoked by now. */
  async assertSure(): Promise<void> {
    await this.tokens.confirm();
    this.tokens.assertSure();
  }

  private async admitToken(token: string | undefined): Promise<Admission> {
    if (token === undefined) throw new TendrilError("UNAUTHORIZED", "the request carries no bearer token");
    const identity = await this.identify(token);
    if (!identity) throw new TendrilError("UNAUTHORIZED", "the bearer token is not one of this runtime's");
    const stillHolds = async () => isSame(identity, await this.identify(token, CHECK_WAITS));
    return { identity, stillHolds, onEnd: (listener) => this.tokens.onRevoke(identity.name, listener) };
  }

  /** Counts as a use: of a connection that stays open, too. */
  private async identify(token: string, longest?: Millis): Promise<Identity | undefined> {
    const identity = await this.tokens.identify(token, longest);
    const key = identity && this.tokens.keyOf(identity);
    if (key !== undefined) this.uses.note(key);
    return identity;
  }

  private async admitSession(request: IncomingMessage, secrets: readonly string[]): Promise<Admission> {
    assertOwnPage(request);
    const held = await this.sessions.find(secrets);
    if (!held)
      throw new TendrilError("UNAUTHORIZED", "the session is over: make a new link with `tendril open`");
    const { id, identity } = held;
    const stillHolds = () => this.sessions.holds(id, identity);
    return { identity, session: id, stillHolds, onEnd: (listener) => this.sessions.onEnd(id, listener) };
  }

  /**
   * Proves to an agent that this runtime knows its token, before the agent sends it. Throws INVALID_ARGUMENT;
   * NOT_FOUND for a token of another runtime.
   */
  async prove(request: IncomingMessage, query: URLSearchParams): Promise<ProofAnswer> {
    const challenge = query.get("challenge");
    if (!isChallenge(challenge)) throw invalidArgument("challenge must be 64 hexadecimal digits");
    const { runtime } = this;
    const proof = await this.tokens.prove(query.get("key") ?? "", askedOn(request, challenge), runtime);
    if (proof === undefined) throw notFound("no token of this runtime has that key");
    return { runtime, proof };
  }
}

/** The challenge, together with the connection that it came on. */
function askedOn(request: IncomingMessage, challenge: string): Asked {
  const { socket } = request;
  const certificate = tlsSocketOf(request)?.getX509Certificate();
  const address = withoutMapping(socket.localAddress ?? "");
  return { challenge, address, port: socket.localPort ?? 0, pin: certificate && pinOf(certificate) };
}

const isSame = (before: Identity, now: Identity | undefined): boolean =>
  before.name === now?.name && before.role === now.role;

/**
 * Throws ORIGIN_REFUSED when Host (DNS rebinding) or Origin (cross-site) does not name this runtime: a foreign web
 * page may have caused the request. Its names are the loopback names, the address that the request came in on, and
 * `allowed`. Programs other than browsers send no Origin, and pass that check.
 */
export function checkOrigin(request: IncomingMessage, allowed: readonly string[]): void {
  const names = [...LOOPBACK_NAMES, ...allowed, ...arrivedAt(request)].map(inUrl);
  const { host, origin } = request.headers;
  if (!names.includes(hostOf(`http://${host ?? ""}`))) throw refused("Host", host);
  if (origin && !names.includes(hostOf(origin))) throw refused("Origin", origin);
}

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "::1"];

/** A name or address as `hostOf` gives it. */
const inUrl = (name: string): string => (isIPv6(name) ? `[${name}]` : name.toLowerCase());

/** Lower case, without the port; empty if it is no URL or has no host. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : "");

const arrivedAt = ({ socket }: IncomingMessage): string[] =>
  socket.localAddress ? [withoutMapping(socket.localAddress)] : [];

const refused = (header: string, value: string | undefined): TendrilError =>
  new TendrilError(
    "ORIGIN_REFUSED",
    `${header} ${JSON.stringify(value ?? "")} is not a name of this runtime`,
  );

/** Whether a peer's address is this machine's own: 127.0.0.0/8 or ::1 (RFC 6890). */
export const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && (address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(withoutMapping(address)));

const isTls = (request: IncomingMessage): boolean => tlsSocketOf(request) !== undefined;

/** Under TLS the prefix keeps other hosts of the domain from setting it (RFC 6265bis, section 4.1.3.2). */
const nameOn = (request: IncomingMessage, instance: string): string =>
  `${isTls(request) ? "__Host-" : ""}tendril-${instance}`;

/** A choice. A browser sends as many as there are paths and hosts above ours: one, and those that another program has set. */
const MAX_COOKIES = 8;

/** What the session's cookies of this instance hold: another program of this host can have set one of the same name. */
export function cookiesIn(request: IncomingMessage, instance: string): readonly string[] {
  const wanted = `${nameOn(request, instance)}=`;
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  const ours = pairs.filter((pair) => pair.startsWith(wanted)).slice(0, MAX_COOKIES);
  return ours.map((pair) => pair.slice(wanted.length));
}

/** The header that sets the cookie; an empty secret takes it away. `lasts`: whole seconds. */
export function cookieFor(
  request: IncomingMessage,
  instance: string,
  { secret, lasts }: { readonly secret: string; readonly lasts: number },
): string {
  const parts = [`${nameOn(request, instance)}=${secret}`, "Path=/", "HttpOnly", "SameSite=Strict"];
  return [...parts, `Max-Age=${lasts}`, ...(isTls(request) ? ["Secure"] : [])].join("; ");
}

/**
 * Throws PAGE_REFUSED if another page may have caused a request that acts by cookie. A browser sends cookies to every port
 * of a host, so the Origin must be the same in scheme, host and port. Host itself was checked against the list of names
 * before: alone, an Origin that equals Host proves nothing. The header is one that a page of another origin cannot send.
 */
export function assertOwnPage(request: IncomingMessage): void {
  const { host = "", origin, upgrade } = request.headers;
  const isRead = request.method === "GET" && upgrade === undefined;
  const own = `${isTls(request) ? "https" : "http"}://${host.toLowerCase()}`;
  if (origin === undefined ? !isRead : origin.toLowerCase() !== own)
    throw new TendrilError("PAGE_REFUSED", `Origin ${JSON.stringify(origin ?? "")} is not ${own}`);
  if (upgrade === undefined && request.headers[PAGE_HEADER] === undefined)
    throw new TendrilError("PAGE_REFUSED", `the request carries no header ${PAGE_HEADER}`);
}

const BROWSERS = ["Edg", "OPR", "Firefox", "Chromium", "Chrome", "Safari"] as const;
const SYSTEMS = ["iPhone", "iPad", "Android", "CrOS", "Windows", "Mac OS", "Linux"] as const;

/** Browser and system by their usual names in User-Agent, for the list of sessions: "Firefox, Android". */
export function deviceOf({ headers }: IncomingMessage): string {
  const agent = headers["user-agent"] ?? "";
  const known = [BROWSERS, SYSTEMS].flatMap((names) => names.find((name) => agent.includes(name)) ?? []);
  return known.join(", ") || "unknown";
}
