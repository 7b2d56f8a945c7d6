import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { hostname } from "node:os";
import type { ServerConfig } from "./config/server.js";
import type { OnStop } from "./core.js";
import type { Log } from "./log.js";
import { isLoopback } from "./server/authenticator.js";
import type { RunningServer } from "./server/server.js";
import { type Material, ownMaterial, ownNames, readMaterial } from "./server/tls/material.js";
import type { TlsOptions } from "./server/tls/tls-listener.js";
import { labelOf } from "./wire/mdns-record.js";
import { PATHS } from "./wire/names.js";
import type { TlsAddress } from "./wire/proof.js";

/** Addresses to listen on that no client can connect to. */
const ANYWHERE: readonly string[] = ["0.0.0.0", "::"];

/** The TLS port as it is configured; undefined where none is. */
export function tlsOptions(
  server: ServerConfig,
  state: string,
  listeners: Pick<TlsOptions, "onTrouble" | "onWell">,
): TlsOptions | undefined {
  if (!server.tls) return undefined;
  const { host, port, cert, key } = server.tls;
  const material = cert && key ? () => readMaterial(cert, key) : ownOnce(state, certifiedNames(server));
  return { host, port, material, ...listeners };
}

/** Nobody renews the runtime's own certificate: what was read once serves until the process ends. */
function ownOnce(state: string, names: readonly string[]): TlsOptions["material"] {
  let own: Material | undefined;
  return async () => {
    own ??= await ownMaterial(state, names);
    return own;
  };
}

/** The names by which clients may call this runtime. A request for another name is refused: a foreign web page may have caused it. */
export function reachableNames(server: ServerConfig): string[] {
  const { tls, public_url, allowed_hosts } = server;
  const published = public_url === undefined ? [] : [new URL(public_url).hostname];
  const bound = tls && !ANYWHERE.includes(tls.host) ? [tls.host] : [];
  return [...allowed_hosts, ...published, ...bound, ...(tls ? ownNames() : [])];
}

/** What the runtime's own certificate names: this machine as others call it, and as it calls itself. */
const certifiedNames = (server: ServerConfig): string[] => {
  const names = [...ownNames(), "localhost", "127.0.0.1", "::1", ...reachableNames(server)];
  return [...new Set(names.map((name) => name.toLowerCase().replace(/^\[(.*)\]$/, "$1")))];
};

/** The base of links that others open, where nobody has said: by TLS, at this machine's name. */
export function secureBase({ tls }: ServerConfig, found: TlsAddress | undefined): string | undefined {
  if (!tls) return undefined;
  const host = ANYWHERE.includes(tls.host) ? (ownNames().at(-1) ?? "localhost") : tls.host;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${found?.port ?? tls.port}`;
}

/**
 * Announces the runtime by multicast DNS, as `target`: its TLS port where there is one, else its plain one. Unless nobody else
 * could come: on loopback, but for trials (TENDRIL_MDNS).
 */
export async function tellNetwork(
  server: RunningServer,
  { announce, tls }: ServerConfig,
  target: string,
  { log, onStop }: { readonly log: Log; readonly onStop: OnStop },
): Promise<void> {
  const { address, port } = tls ? (server.tls() ?? { address: tls.host, port: tls.port }) : server;
  if (!announce || port === 0 || (isLoopback(address) && !process.env.TENDRIL_MDNS)) return;
  const { announceOn } = await import("./discovery/announcer.js"); // 1 MB that loopback does without
  onStop(announceOn(address, { port, path: PATHS.mcp, tls: tls !== undefined, target }, log));
}

/**
 * A name for this computer that is Tendril's alone, another at each start. Not `raspberrypi.local`: that one is avahi's, which
 * on a Pi with two interfaces would take our addresses for another computer's, and rename the Pi.
 */
export const freshTarget = (): string => `tendril-${randomBytes(4).toString("hex")}.local`;

/** How clients may call this computer that found the runtime announced as `target`: also by the name that avahi gives it. */
export const namesBeside = (target: string): string[] => [target, `${labelOf(hostname())}.local`];
