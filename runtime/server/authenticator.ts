import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { TLSSocket } from "node:tls";
import {
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { TendrilError } from "../errors.js";
import type { Identity } from "../wire/identity.js";
import { type Asked, isChallenge, type ProofAnswer, pinOf, withoutMapping } from "../wire/proof.js";
import type { TokenStore } from "./tokens.js";

/** RFC 6750, section 2.1. */
const BEARER = /^Bearer ([\w.~+/=-]+)$/i;

/** A caller whose token is known. */
export interface Admission {
  readonly identity: Identity;
  /** Whether the token still belongs to the same caller: it was not removed and not given to somebody else. */
  stillHolds(): Promise<boolean>;
}

/** Decides who may talk to /mcp. */
export class Authenticator {
  /** Names this run of the runtime; a new one at each start. */
  private readonly runtime = randomUUID();

  constructor(
    private readonly tokens: TokenStore,
    private readonly allowedHosts: readonly string[],
  ) {}

  /** Throws ORIGIN_REFUSED for a request that a foreign web page may have caused. */
  checkOrigin(request: IncomingMessage): void {
    checkOrigin(request, this.allowedHosts);
  }

  /** Throws ORIGIN_REFUSED or UNAUTHORIZED. Only the Authorization header is read, because URLs end up in logs. */
  async admit(request: IncomingMessage): Promise<Admission> {
    this.checkOrigin(request);
    const token = BEARER.exec(request.headers.authorization ?? "")?.[1];
    if (token === undefined) throw new TendrilError("UNAUTHORIZED", "the request carries no bearer token");
    const identity = await this.tokens.identify(token);
    if (!identity) throw new TendrilError("UNAUTHORIZED", "the bearer token is not one of this runtime's");
    return { identity, stillHolds: async () => isSame(identity, await this.tokens.identify(token)) };
  }

  /**
   * Proves to an agent that this runtime knows its token, before the agent sends it. Throws INVALID_ARGUMENT;
   * NOT_FOUND for a token of another runtime.
   */
  async prove(request: IncomingMessage, query: URLSearchParams): Promise<ProofAnswer> {
    const challenge = query.get("challenge");
    if (!isChallenge(challenge))
      throw new TendrilError("INVALID_ARGUMENT", "challenge must be 64 hexadecimal digits");
    const { runtime } = this;
    const proof = await this.tokens.prove(query.get("key") ?? "", askedOn(request, challenge), runtime);
    if (proof === undefined) throw new TendrilError("NOT_FOUND", "no token of this runtime has that key");
    return { runtime, proof };
  }
}

/** The challenge, together with the connection that it came on. */
function askedOn({ socket }: IncomingMessage, challenge: string): Asked {
  const certificate = socket instanceof TLSSocket ? socket.getX509Certificate() : undefined;
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
  const names = [...localhostAllowedHostnames(), ...allowed, ...arrivedAt(request)].map(hostname);
  const { host, origin } = request.headers;
  if (!validateHostHeader(host, names).ok) throw refused("Host", host);
  if (!validateOriginHeader(origin, names).ok) throw refused("Origin", origin);
}

/** The host as it stands in a URL, because the SDK compares in that form. */
const hostname = (name: string): string => (isIPv6(name) ? `[${name}]` : name.toLowerCase());

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
