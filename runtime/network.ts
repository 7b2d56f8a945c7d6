import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { hostname } from "node:os";
import type { ServerConfig } from "./config/schema.js";
import type { OnStop } from "./core.js";
import type { Log } from "./log.js";
import { isLoopback } from "./server/authenticator.js";
import type { RunningServer } from "./server/server.js";
import type { Material } from "./server/tls/material.js";
import type { TlsOptions } from "./server/tls/tls-listener.js";
import { labelOf } from "./wire/mdns-record.js";
import { PATHS } from "./wire/names.js";
import type { TlsAddress } from "./wire/proof.js";

/** Addresses to listen on to which no client can connect. */
export const ANYWHERE: readonly string[] = ["0.0.0.0", "::"];

/** What reads certificates, with all of TLS, is loaded for a runtime that has such a port. */
const materials = () => import("./server/tls/material.js");

/** The configured TLS port; undefined without one. */
export function tlsOptions(
  server: ServerConfig,
  state: string,
  listeners: Pick<TlsOptions, "onTrouble" | "onWell">,
): TlsOptions | undefined {
  if (!server.tls) return undefined;
  const { host, port, cert, key } = server.tls;
  const material =
    cert && key
      ? async () => (await materials()).readMaterial(cert, key)
      : ownOnce(state, certifiedNames(server));
  return { host, port, material, ...listeners };
}

/** Reads the runtime's own certificate once, because nobody renews it. */
function ownOnce(state: string, names: readonly string[]): TlsOptions["material"] {
  let own: Material | undefined;
  return async () => {
    own ??= await (await materials()).ownMaterial(state, names);
    return own;
  };
}

/** This machine's names on its network: the host name, and the same over mDNS (RFC 6762, section 3). */
export function ownNames(): string[] {
  const [name = "localhost"] = hostname().toLowerCase().split(".");
  return name === "localhost" ? [] : [name, `${name}.local`];
}

/** The names by which clients may call this runtime. A request for another name may come from a foreign web page. */
export function reachableNames(server: ServerConfig): string[] {
  const { tls, public_url, allowed_hosts } = server;
  const published = public_url === undefined ? [] : [new URL(public_url).hostname];
  const bound = tls && !ANYWHERE.includes(tls.host) ? [tls.host] : [];
  return [...allowed_hosts, ...published, ...bound, ...(tls ? ownNames() : [])];
}

/** The names in the runtime's own certificate: this machine's on the network, and on itself. */
const certifiedNames = (server: ServerConfig): string[] => {
  const names = [...ownNames(), "localhost", "127.0.0.1", "::1", ...reachableNames(server)];
  return [...new Set(names.map((name) => name.toLowerCase().replace(/^\[(.*)\]$/, "$1")))];
};

/** The base of links if none is configured: TLS at this machine's name. */
export function secureBase({ tls }: ServerConfig, found: TlsAddress | undefined): string | undefined {
  if (!tls) return undefined;
  const host = ANYWHERE.includes(tls.host) ? (ownNames().at(-1) ?? "localhost") : tls.host;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${found?.port ?? tls.port}`;
}

/**
 * Announces the runtime by multicast DNS as `target`: its TLS port if there is one, else its plain port. Not on
 * loopback, where nobody else could come, except for trials (TENDRIL_MDNS).
 */
export async function tellNetwork(
  server: RunningServer,
  { announce, tls }: ServerConfig,
  target: string,
  { log, onStop }: { readonly log: Log; readonly onStop: OnStop },
): Promise<void> {
  const { address, port } = tls ? (server.tls() ?? { address: tls.host, port: tls.port }) : server;
  if (!announce || port === 0 || (isLoopback(address) && !process.env.TENDRIL_MDNS)) return;
  const { announceOn } = await import("./discovery/announcer.js"); // 1 MB that loopback does not need
  onStop(announceOn(address, { port, path: PATHS.mcp, tls: tls !== undefined, target }, log));
}

/**
 * A new name for this computer at each start, for Tendril only. `raspberrypi.local` belongs to avahi: on a Pi with two
 * interfaces, avahi would take our addresses for another computer's, and rename the Pi.
 */
export const freshTarget = (): string => `tendril-${randomBytes(4).toString("hex")}.local`;

/** How clients may call a computer that announces itself as `target`: by that name, or by avahi's. */
export const namesBeside = (target: string): string[] => [target, `${labelOf(hostname())}.local`];
