import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Environment } from "./models/http.js";

/** The agent's own folder unless it is told another (XDG Base Directory Specification: a relative path there is to be ignored). */
export function stateFolder({ XDG_STATE_HOME: given = "" }: Environment): string {
  return join(isAbsolute(given) ? given : join(homedir(), ".local", "state"), "tendril-agent");
}

/** Where it keeps the logs of its runs. */
export const runsIn = (agentState: string): string => join(agentState, "runs");
