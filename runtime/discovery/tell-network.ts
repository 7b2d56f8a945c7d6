import type { ServerConfig } from "../config/server.js";
import type { OnStop } from "../core.js";
import type { Log } from "../log.js";
import { isLoopback } from "../server/origin.js";
import type { RunningServer } from "../server/server.js";
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
  const { announceOn } = await import("./announce.js"); // 1 MB that loopback does without
  onStop(announceOn(address, { port, path: PATHS.mcp, tls: tls !== undefined, target }, log));
}
