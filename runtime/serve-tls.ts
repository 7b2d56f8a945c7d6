import { isIPv6 } from "node:net";
import type { ServerConfig } from "./config/server.js";
import { type Material, readMaterial } from "./server/tls/material.js";
import { ownMaterial } from "./server/tls/own-material.js";
import { ownNames } from "./server/tls/own-names.js";
import type { TlsOptions } from "./server/tls/tls-listener.js";
import type { TlsAddress } from "./wire/proof.js";

/** What says where to listen, and is nobody's address. */
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

/** Nobody renews our own: what was read once serves until the process ends, whatever becomes of the files. */
function ownOnce(state: string, names: readonly string[]): TlsOptions["material"] {
  let own: Material | undefined;
  return async () => {
    own ??= await ownMaterial(state, names);
    return own;
  };
}

/** By what names clients may call this runtime: a name that is not among them is taken for a foreign page's doing. */
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
