import type { Log } from "../log.js";
import type { WireHost } from "../tools/host.js";
import type { Identity } from "../wire/identity.js";
import type { Turns } from "./turns.js";

/** Whom an MCP server serves, and with what. */
export interface Caller {
  readonly host: WireHost;
  readonly identity: Identity;
  readonly turns: Turns;
  readonly log: Log;
}
