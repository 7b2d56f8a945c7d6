import type { IncomingMessage } from "node:http";
import { TendrilError } from "../errors.js";
import { PAGE_HEADER } from "../wire/names.js";
import { tlsSocketOf } from "./http-message.js";

const isTls = (request: IncomingMessage): boolean => tlsSocketOf(request) !== undefined;

/** Under TLS the prefix keeps other hosts of the domain from setting it (RFC 6265bis, section 4.1.3.2). */
const nameOn = (request: IncomingMessage, instance: string): string =>
  `${isTls(request) ? "__Host-" : ""}tendril-${instance}`;

/** What the session's cookie of this instance holds; undefined without one. */
export function cookieIn(request: IncomingMessage, instance: string): string | undefined {
  const wanted = `${nameOn(request, instance)}=`;
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length);
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
