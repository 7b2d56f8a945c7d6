import { join } from "node:path";
import { Command, Option } from "commander";
import type { Environment } from "../models/http.js";
import { checked } from "../options/values.js";
import { asCalledHere } from "../program.js";
import { runsIn, stateFolder } from "../state/state-folder.js";

export interface LogOptions {
  readonly logDir: string;
  /** Bytes, of all runs; a choice: some months of cycles every half hour. */
  readonly logTotal: number;
  /** Another file with the same lines, never split. */
  readonly record: string | undefined;
}

const MEGABYTE = 1_000_000;

export const logOptions = (): Option[] => [
  new Option("--log-dir <dir>", "folder for the logs of runs; by default runs in --agent-state"),
  new Option("--log-total <MB>", "size of all logs; beyond it the oldest are deleted")
    .argParser(checked(megabytes))
    .default(200 * MEGABYTE, "200"),
  new Option("--record <file>", "also write the whole run to this new file, such as for a bug report"),
  new Option("--playback <file>", "take the replies from a log or a record; the runtime carries them out"),
];

function megabytes(text: string): number {
  const size = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (size >= 0.1 && size <= 100_000) return size * MEGABYTE;
  throw new Error("must be a number of megabytes from 0.1 to 100000");
}

export interface Given {
  readonly cycle?: number;
  readonly json?: boolean;
  readonly logDir?: string;
  readonly agentState?: string;
  readonly state: string;
}

const AFTERWORD = `
Without a file: the newest run of the agent on this computer, or of the demo.
Every run of \`tendril agent\` writes a log on its computer, one JSON object per
line.
Exit codes: 0 done; 1 it failed; 2 wrong use, or no run was found.`;

/** Folders with runs: the agent's, and the demo's, whose agent keeps them in the runtime's state folder. */
export function runFolders({ logDir, agentState, state }: Given, env: Environment): readonly string[] {
  if (logDir !== undefined) return [logDir];
  if (agentState !== undefined) return [runsIn(agentState)];
  return [runsIn(stateFolder(env)), runsIn(join(state, "agent"))];
}

export const logCommand = (env: Environment): Command =>
  new Command("tendril log")
    .description("Show a run of the agent as a story: what it saw, thought, did, and was refused.")
    .argument("[file]", "a run's file; by default the newest run")
    .option("--cycle <n>", "one cycle of it", checked(cycleNumber))
    .option("--json", "its lines unchanged, one JSON object each")
    .option("--log-dir <dir>", `where the agent keeps its runs (default: ${runsIn(stateFolder(env))})`)
    .option("--agent-state <dir>", "the agent's state folder, if it was started with this flag")
    .option(
      "--state <dir>",
      "the runtime's state folder, in which the demo's agent keeps its runs (or TENDRIL_STATE)",
      env.TENDRIL_STATE ?? ".tendril",
    )
    .addHelpText("after", asCalledHere(AFTERWORD));

function cycleNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error("must be a whole number from 1 on");
}
