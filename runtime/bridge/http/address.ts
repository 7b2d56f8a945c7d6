import { lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { z } from "zod";
import type { JobFailure } from "../adapter.js";

/** The address of a server of others, as the owner wrote it in bridge.yaml. It can be a secret. */
export interface OutsideAddress {
  readonly url: URL;
  /** Whether http is allowed: without TLS, whoever listens reads address and answer. */
  readonly plain: boolean;
}

/** This computer itself (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3). */
const OWN = new BlockList();
OWN.addSubnet("127.0.0.0", 8, "ipv4");
OWN.addAddress("::1", "ipv6");

/** Networks that are not the public Internet [IANA's registries of special-purpose addresses]. */
const NEAR = new BlockList();
for (const [net, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  NEAR.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of [
  ["::", 127],
  ["64:ff9b:1::", 48],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  NEAR.addSubnet(net, prefix, "ipv6");

const isIn = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

/** Whether the name or address stands for this computer, so that nothing goes over a network. */
export const isLoopback = (url: URL): boolean => isOwnHost(bareHost(url));

/** The same of a host alone; an address of IPv6 without brackets. */
export const isOwnHost = (host: string): boolean =>
  host === "localhost" || (isIP(host) !== 0 && isIn(OWN, host));

/** Whether nobody else can read what goes there, or the owner has said that nobody else is on that network. */
export const mayBeAsked = (url: URL, plain: boolean): boolean =>
  /^(https|mqtts):$/.test(url.protocol) || plain || isLoopback(url);

/** What is wrong with an address that may not be asked. */
export const withoutTls = (scheme: "https" | "mqtts"): string =>
  `is without TLS: write ${scheme}://, or \`plain: true\` beside it if nobody else is on that network`;

/** Reads a text, or an object for what is unusual. `aliases` are schemes that stand for https, such as "webcal". */
export function outsideAddress(aliases: readonly string[] = []): z.ZodType<OutsideAddress> {
  const schemes = ["https", ...aliases].map((scheme) => `${scheme}://`).join(" or ");
  const error = `must be an address that begins with ${schemes}`;
  const isAlias = (url: string) => aliases.some((alias) => url.toLowerCase().startsWith(`${alias}:`));
  const url = z
    .string()
    .trim()
    .transform((text) => (isAlias(text) ? text.replace(/^[^:]*/, "https") : text))
    .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), { error })
    .transform((text) => new URL(text));
  return z
    .union(
      [
        url.transform((each) => ({ address: each, plain: false })),
        z.strictObject({ address: url, plain: z.boolean().default(false) }),
      ],
      { error },
    )
    .refine(({ address, plain }) => mayBeAsked(address, plain), { error: withoutTls("https") })
    .transform(({ address, plain }) => ({ url: address, plain: plain || isLoopback(address) }));
}

/** A path below an address that may have a path itself, such as that of a proxy. */
export const urlBelow = ({ href }: URL, path: string): URL => new URL(path, href.replace(/\/*$/, "/"));

/** What must not be seen of an address: the whole, its path, and long parts of that. */
export function secretsOf({ url: { href, pathname, search, password } }: OutsideAddress): string[] {
  // a choice: private links have at least as many characters in one piece, ordinary words do not
  const long = `${pathname}/${search}`.split(/[/?&=]/).filter((part) => part.length >= 20);
  const path = pathname.length + search.length > "/calendar.ics".length ? [pathname + search] : [];
  return [href, ...path, ...long, password].filter((part) => part !== "");
}

/** Refuses a redirect. `where` follows "redirects". */
export type RefuseRedirect = (where: string) => JobFailure;

/**
 * Where a redirect leads. Throws what `refused` makes for one to http, unless the address is plain anyway. The new server
 * is only asked at a public address: else a server could make the bridge knock at doors of this house.
 */
export function redirected(
  from: URL,
  location: string | undefined,
  { url: first, plain }: OutsideAddress,
  refused: RefuseRedirect,
): URL {
  if (location === undefined || !URL.canParse(location, from.href)) throw refused("to nowhere");
  const to = new URL(location, from);
  const isAllowed =
    to.protocol === "https:" || (to.protocol === "http:" && plain && from.protocol === "http:");
  if (!isAllowed) throw refused("to an address without TLS");
  const host = bareHost(to);
  if (to.host !== first.host && isIP(host) !== 0 && isIn(NEAR, host)) throw refused(NEARBY);
  return to;
}

const NEARBY = "into a private network";

/** Looks a name up. For another server than the owner's own, only public addresses count. */
export const lookupFor = (
  url: URL,
  { url: first }: OutsideAddress,
  refused: RefuseRedirect,
): LookupFunction | undefined => (url.host === first.host ? undefined : publicLookup(refused));

const publicLookup =
  (refused: RefuseRedirect): LookupFunction =>
  (hostname, options, done) =>
    systemLookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, "", 0);
      if (found.some(({ address }) => isIn(NEAR, address))) return done(refused(NEARBY), "", 0);
      if (options.all) return done(null, found);
      const [one] = found;
      done(null, one?.address ?? "", one?.family);
    });

/** Where the page is for whoever reads a letter. A link of one's own: it carries no token, and opening it does nothing. */
export const pageLink = z
  .url({ protocol: /^https?$/, error: "must be an address such as https://tendril.local:8732/" })
  .refine((link) => !/[?#@]/.test(link), {
    error: "must have no ?, # or @: a link in a letter carries no secret",
  });
