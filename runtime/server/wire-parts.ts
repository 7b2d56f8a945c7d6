import type { Clock } from "../../drivers/ports.js";
import type { Log } from "../log.js";
import type { WireHost } from "../tools/host.js";
import type { Arrivals } from "./arrivals.js";
import type { Exchanges } from "./exchanges.js";
import type { Heartbeat } from "./heartbeat.js";
import type { Limits } from "./limits.js";
import type { PlainSockets } from "./plain-sockets.js";
import type { Turns } from "./turns.js";

/** What both ways in, WebSocket and HTTP, are made of. */
export interface WireParts {
  readonly host: WireHost;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly heartbeat: Heartbeat;
  readonly arrivals: Arrivals;
  readonly exchanges: Exchanges;
  readonly turns: Turns;
  readonly sockets: PlainSockets;
  readonly log: Log;
}
