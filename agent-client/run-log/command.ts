import { join } from "node:path";
import { Command } from "commander";
import type { Environment } from "../models/address.js";
import { checked } from "../options/values.js";
import { runsIn, stateFolder } from "../state/state-folder.js";

export interface Given {
  readonly last?: boolean;
  readonly cycle?: number;
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly logDir?: string;
  readonly agentState?: string;
  readonly state: string;
}

const AFTERWORD = `
Without a file it is the newest run of all: of the agent on this computer, and of the demo.
Every run of \`tendril agent\` leaves its lines on the computer it runs on, one JSON object a line.
Exit codes: 0 done; 1 it failed; 2 wrong use, or no run was found.`;

/** Where runs are looked for: those of the agent, and those of a demo, whose agent keeps them in the state folder. */
export function runFolders({ logDir, agentState, state }: Given, env: Environment): readonly string[] {
  if (logDir !== undefined) return [logDir];
  if (agentState !== undefined) return [runsIn(agentState)];
  return [runsIn(stateFolder(env)), runsIn(join(state, "agent"))];
}

export const logCommand = (env: Environment): Command =>
  new Command("tendril log")
    .description("Show a run of the agent as a story: what it saw, thought, did, and was refused.")
    .argument("[file]", "a run's file; by default the newest run")
    .option("--last", "the newest run")
    .option("--cycle <n>", "one cycle of it", checked(cycleNumber))
    .option("--json", "its lines as they are, one JSON object each")
    .option("--follow", "go on as the agent does; ends with Ctrl-C")
    .option("--log-dir <dir>", `where the agent keeps its runs (default: ${runsIn(stateFolder(env))})`)
    .option("--agent-state <dir>", "the agent's own folder, where it was started with this flag")
    .option(
      "--state <dir>",
      "the runtime's state folder, in which the demo's agent keeps its runs (or TENDRIL_STATE)",
      env.TENDRIL_STATE ?? ".tendril",
    )
    .addHelpText("after", AFTERWORD);

function cycleNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error("must be a whole number from 1 on");
}
