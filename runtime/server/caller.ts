import type { Log } from "../log.js";
import type { Identity } from "../services/tool.js";
import type { WireHost } from "./host.js";
import type { Turns } from "./turns.js";

/** Whom an MCP server serves, and with what. */
export interface Caller {
  readonly host: WireHost;
  readonly identity: Identity;
  readonly turns: Turns;
  readonly log: Log;
}
