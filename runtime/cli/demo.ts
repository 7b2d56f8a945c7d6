import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { defaultState } from "./state.js";

export interface DemoOptions {
  readonly state: string;
  readonly speed: number;
  readonly seed: number;
  readonly replay?: string;
  readonly replayZone: string;
  readonly port?: number;
  readonly every: string;
}

const PROGRAM = fileURLToPath(new URL("./tendril.js", import.meta.url));
const LISTENING = /^listening on (\S+)/;

/** Runtime and agent as the two processes that they are. Ctrl-C: the runtime first, which begins with its relays. */
export async function demo(options: DemoOptions): Promise<void> {
  const state =
    options.replay === undefined ? options.state : await mkdtemp(join(tmpdir(), "tendril-replay-"));
  const runtime = start(serveArgs(options, state));
  let agent: ChildProcess | undefined;
  const stop = () => void runtime.kill("SIGTERM");
  process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", stop);
  process.stdout.on("error", stop); // nobody looks on any more
  const url = await listening(runtime);
  if (url !== undefined) {
    process.stdout.write(introduction(options, state));
    const own = ["--agent-state", ownOf(state)];
    agent = start(["agent", "--state", state, "--url", url, "--every", options.every, ...own]);
    agent.stdout?.pipe(process.stdout);
  }
  await ended(runtime);
  agent?.kill("SIGTERM");
  if (agent) await ended(agent);
  process.exitCode = url === undefined ? runtime.exitCode || 1 : 0;
}

/** The agent's own folder: an agent of real plants on this computer may have the default one. */
const ownOf = (state: string): string => join(state, "agent");

function serveArgs({ speed, seed, replay, replayZone, port }: DemoOptions, state: string): string[] {
  const recording = replay === undefined ? [] : ["--replay", replay, "--replay-zone", replayZone];
  const listen = port === undefined ? [] : ["--port", String(port)];
  return [
    "serve",
    "--bench",
    "--state",
    state,
    "--speed",
    String(speed),
    "--seed",
    String(seed),
    "--log-level",
    "warn",
    ...listen,
    ...recording,
  ];
}

/** As the first line of `tendril.ts` has it. */
const FRUGAL = "--max-semi-space-size=4";

/** In a group of its own, so that Ctrl-C reaches this process alone and the order of stopping is ours. */
const start = (args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [FRUGAL, PROGRAM, ...args], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });

/** The runtime's URL, or undefined if it ended without listening. Its lines go on to our own output. */
function listening(runtime: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    runtime.once("exit", () => resolve(undefined));
    if (!runtime.stdout) return;
    createInterface({ input: runtime.stdout }).on("line", (line) => {
      process.stdout.write(`${line}\n`);
      const url = LISTENING.exec(line)?.[1];
      if (url) resolve(url);
    });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

function introduction({ speed, every, replay }: DemoOptions, state: string): string {
  const plant = replay === undefined ? "A simulated plant" : `The pot recorded in ${replay}`;
  const where = state === defaultState() ? "" : ` (each with --state ${state})`;
  const call = process.env.npm_command === undefined ? "tendril" : "npx tendril"; // in a clone it is npm that starts it
  return `
${plant}, at ${speed} times real time; the caretaker looks after it every ${every} of its time.
In another terminal: ${call} status, history moisture, messages, reply, hold, off${where}. Ctrl-C ends it.
What the agent did, as a story: ${call} log --log-dir ${join(ownOf(state), "runs")}

`;
}
