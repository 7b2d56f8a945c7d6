import type { Clock } from "../../drivers/ports.js";
import { type Millis, seconds } from "../../drivers/units.js";
import type { Log } from "../log.js";
import type { RuntimeApi } from "../tools/host.js";
import type { Exchanges, Heartbeat, PlainSockets } from "./connections.js";
import type { Arrivals, Turns } from "./turns.js";

const KIB = 1024;
const MIB = 1024 * KIB;

/** What one client may use. Sizes in bytes. */
export interface Limits {
  /** Largest WebSocket message; a larger one closes the connection with code 1009. */
  readonly maxFrameBytes: number;
  /**
   * Largest HTTP body, also for what does not fit into a frame. The longest argument of a tool is a note of 1 MiB; as
   * JSON it has at most three times as many bytes, unless it consists of control characters.
   */
  readonly maxBodyBytes: number;
  /** WebSocket connections at once, and as many HTTP exchanges on /mcp. */
  readonly maxConnections: number;
  /** Requests of one token that are being answered at once; the others wait their turn. */
  readonly maxInFlight: number;
  /** Bytes that may wait for a peer that does not read; beyond that, it is closed with code 1013. */
  readonly maxBufferedBytes: number;
  /**
   * Time between two pings. A peer that misses two is dropped. A removed token ends its connections at the next one.
   */
  readonly heartbeat: Millis;
  /** Time a client has to send its HTTP headers. */
  readonly headersTimeout: Millis;
  /** Time a client has to send a whole HTTP request. */
  readonly requestTimeout: Millis;
  /**
   * Time a connection may rest between two requests. A request that comes just as it ends is lost, so it is longer than
   * the usual clients rest (Node's fetch 4 s, Python's httpx 5 s), and they are told of it (Keep-Alive).
   */
  readonly keepAliveTimeout: Millis;
  /** Time a client has for the TLS handshake. */
  readonly handshakeTimeout: Millis;
  /** Longest wait for the peers' closing handshake when the server stops. */
  readonly closeGrace: Millis;
}

export const DEFAULT_LIMITS: Limits = {
  maxFrameBytes: MIB,
  maxBodyBytes: 4 * MIB,
  maxConnections: 32,
  maxInFlight: 32,
  maxBufferedBytes: 4 * MIB,
  heartbeat: seconds(15),
  headersTimeout: seconds(10),
  requestTimeout: seconds(60),
  keepAliveTimeout: seconds(75), // nginx's keepalive_timeout
  handshakeTimeout: seconds(10),
  closeGrace: seconds(2),
};

/** What WebSocket and HTTP share. */
export interface ServerParts {
  readonly host: RuntimeApi;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly heartbeat: Heartbeat;
  readonly arrivals: Arrivals;
  readonly exchanges: Exchanges;
  readonly turns: Turns;
  readonly sockets: PlainSockets;
  readonly log: Log;
}
