import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { ServerConfig } from "../config/server.js";
import type { OnStop } from "../core.js";
import type { Log } from "../log.js";
import { isLoopback } from "../server/authenticator.js";
import type { RunningServer } from "../server/server.js";
import { labelOf } from "../wire/mdns-record.js";
import { PATHS } from "../wire/names.js";

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
  const { announceOn } = await import("./announcer.js"); // 1 MB that loopback does without
  onStop(announceOn(address, { port, path: PATHS.mcp, tls: tls !== undefined, target }, log));
}

/**
 * A name for this computer that is Tendril's alone, another at each start. Not `raspberrypi.local`: that one is avahi's, which
 * on a Pi with two interfaces would take our addresses for another computer's, and rename the Pi.
 */
export const freshTarget = (): string => `tendril-${randomBytes(4).toString("hex")}.local`;

/** How clients may call this computer that found the runtime announced as `target`: also by the name that avahi gives it. */
export const namesBeside = (target: string): string[] => [target, `${labelOf(hostname())}.local`];
