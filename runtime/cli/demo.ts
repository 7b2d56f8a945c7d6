import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { messageOf } from "../../drivers/system-error.js";
import { seconds } from "../../drivers/units.js";
import { harmless } from "../log.js";
import { AGENT_FOLDER } from "../places.js";
import { quoted } from "../wire/phrases.js";
import { followNotifications, TERMINAL } from "./messages.js";
import { asCalledHere, folded, repeatInHints, stateElsewhere } from "./print.js";
import { FRUGAL } from "./programs.js";
import { withRemote } from "./remote.js";
import { type Address, configFor } from "./state.js";

interface DemoOptions {
  readonly state: string;
  readonly speed: number;
  readonly seed: number;
  readonly config?: string;
  /** Whether --state was given. */
  readonly isStateNamed?: boolean;
  readonly replay?: string;
  readonly skipGaps: boolean;
  readonly replayZone: string;
  readonly port?: number;
  readonly every: string;
}

const PROGRAM = fileURLToPath(new URL("./tendril.js", import.meta.url));
const LISTENING = /^listening on (\S+)/;

/** Runs runtime and agent as two processes, until Ctrl-C or the end of a recording. */
export async function demo(options: DemoOptions): Promise<void> {
  const { state, isTemporary } = await stateOf(options);
  repeatInHints({ "--state": stateElsewhere(state), "--config": options.config });
  try {
    await run(options, state);
  } finally {
    if (isTemporary) await rm(state, { recursive: true, force: true });
  }
}

/** A recording has its own clock, so it gets its own state folder, unless the person has named one. */
async function stateOf({ replay, state, isStateNamed }: DemoOptions) {
  const isNamed = isStateNamed || process.env.TENDRIL_STATE !== undefined;
  if (replay === undefined || isNamed) return { state, isTemporary: false };
  return { state: await mkdtemp(join(tmpdir(), "tendril-replay-")), isTemporary: true };
}

async function run(options: DemoOptions, state: string): Promise<void> {
  let runtime = start(serveArgs(options, state));
  let agent: ChildProcess | undefined;
  let url: string | undefined;
  let stopping: Promise<void> | undefined;
  const over = new AbortController();
  const stop = () => {
    over.abort();
    stopping ??= end(runtime, agent);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", stop);
  process.stdout.on("error", stop); // the reader is gone
  url = await listening(runtime);
  if (url !== undefined && stopping === undefined) {
    process.stdout.write(introduction(options, url, await plantsOf(options, state)));
    const own = ["--agent-state", ownOf(state)];
    agent = start(["agent", "--state", state, "--url", url, "--every", options.every, ...own], {
      TENDRIL_HINTED: hintedState(state), // agent-client/program.ts
    });
    showLines(agent, over.signal);
    void showNotifications({ state, url }, runtime, over.signal);
  }
  await ended(runtime);
  while (url !== undefined && wasCut(runtime) && stopping === undefined) {
    process.stdout.write("\nthe power was cut: the runtime starts again\n");
    runtime = start(serveArgs({ ...options, port: Number(new URL(url).port) }, state));
    url = await listening(runtime);
    if (url !== undefined) void showNotifications({ state, url }, runtime, over.signal);
    await ended(runtime);
  }
  over.abort();
  await stopping;
  if (stopping) process.stdout.write("stopped\n");
  agent?.kill("SIGTERM");
  if (agent) await ended(agent);
  process.exitCode = url === undefined ? runtime.exitCode || 1 : 0;
}

/** Whether the runtime ended as by a power cut, which a person may try on the page. */
const wasCut = ({ signalCode }: ChildProcess): boolean => signalCode === "SIGKILL";

/** Prints the agent's lines, with commands as they are called here; none once the demo stops. */
function showLines({ stdout }: ChildProcess, signal: AbortSignal): void {
  if (!stdout) return;
  createInterface({ input: stdout }).on("line", (line) => {
    if (!signal.aborted) process.stdout.write(`${folded(asCalledHere(line), TERMINAL)}\n`);
  });
}

/** Prints the runtime's notifications between the agent's lines, until one of them ends. */
async function showNotifications(address: Address, runtime: ChildProcess, over: AbortSignal): Promise<void> {
  const gone = new AbortController();
  runtime.once("exit", () => gone.abort());
  const signal = AbortSignal.any([over, gone.signal]);
  const tell = (text: string) => void process.stdout.write(`${harmless(text)}\n`);
  const following = { channel: "demo", tell, clock: new SystemClock(), signal };
  await withRemote(address, (remote) => followNotifications(remote, following)).catch((error: unknown) => {
    // the runtime itself reports its end
    if (!signal.aborted)
      process.stderr.write(`notifications are no longer shown here: ${asCalledHere(messageOf(error))}\n`);
  });
}

/** A choice: an agent stops and releases its care in well under a second. */
const AGENT_PATIENCE = seconds(3);

/**
 * First the agent, which takes back what it asks for and releases its care, so that another one may begin at once. Then the runtime
 * stops, which is nobody's no and nobody's off: the record has neither.
 */
async function end(runtime: ChildProcess, agent: ChildProcess | undefined): Promise<void> {
  process.stdout.write("\nstopping: first the agent, then the runtime, with pump and light\n");
  if (agent) {
    agent.kill("SIGTERM");
    await Promise.race([ended(agent), new SystemClock().sleep(AGENT_PATIENCE)]);
  }
  runtime.kill("SIGTERM");
}

/** The demo agent's state folder. An agent of real plants on this computer may use the default one. */
const ownOf = (state: string): string => join(state, AGENT_FOLDER);

function serveArgs(
  { speed, seed, replay, replayZone, skipGaps, port, config }: DemoOptions,
  state: string,
): string[] {
  const recording = ["--replay-zone", replayZone, ...(skipGaps ? ["--skip-gaps"] : [])];
  return [
    ...["serve", "--bench", "--bench-controls", "--state", state, "--log-level", "warn"],
    ...["--speed", String(speed), "--seed", String(seed)],
    ...(replay === undefined ? ["--begin", MORNING] : ["--replay", replay, ...recording]),
    ...(port === undefined ? [] : ["--port", String(port)]),
    ...(config === undefined ? [] : ["--config", config]),
  ];
}

/** UTC, as the bench's sun. A choice: light enough to see the plant in winter too, and most of a day to watch. */
const MORNING = "09:00";

/** The option that hints of the agent need in another terminal. */
const hintedState = (state: string): string =>
  stateElsewhere(state) === undefined ? "" : `--state ${quoted(state)}`;

/** In its own process group, so that Ctrl-C reaches only this process, which stops the others in order. */
const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess =>
  spawn(process.execPath, [...FRUGAL, PROGRAM, ...args], {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });

/** The runtime's URL, or undefined if it ended without listening. Prints its lines. */
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

/** How many there are. The runtime has read the file, so it can be read. */
const plantsOf = async ({ config }: DemoOptions, state: string): Promise<number> =>
  (await configFor({ state, ...(config !== undefined && { config }) })).plants.length;

function introduction({ speed, every, replay }: DemoOptions, url: string, plants: number): string {
  const simulated = plants === 1 ? "A simulated plant" : `${plants} simulated plants`;
  const plant = replay === undefined ? simulated : `The pot recorded in ${replay}`;
  const words = [
    "",
    `${plant}, at ${speed} times real time. The caretaker looks after ${plants === 1 ? "it" : "them"}`,
    `every ${every} of the plant's time. Ctrl-C ends it.`,
    `Its page is ${pageOf(url)} once "open" has let your browser in.`,
    "",
    `In another terminal: cd ${folderWords(process.cwd())}, then`,
  ];
  return [folded(words.join("\n"), TERMINAL), ...hintLines(HINTS), "", ""].join("\n");
}

/** Commands with what they are for: behind each, or, where one of these lines would be too long, above each. */
export function hintLines(hints: readonly Hint[]): readonly string[] {
  const typed = hints.map(([command, what]) => ({ command: asCalledHere(`tendril ${command}`), what }));
  const width = Math.max(...typed.map(({ command }) => command.length));
  const lines = typed.map(({ command, what }) => `  ${command.padEnd(width)}  # ${what}`);
  if (lines.every((line) => line.length <= TERMINAL)) return lines;
  return typed.map(({ command, what }) => `  # ${what}\n  ${command}`);
}

/** "http://127.0.0.1:8731" for "ws://127.0.0.1:8731/mcp". */
const pageOf = (url: string): string => url.replace(/^ws(.*)\/mcp$/, "http$1");

/** A folder, with ~ for the home folder. */
export const folderWords = (folder: string): string => {
  const own = homedir();
  return folder.startsWith(`${own}/`) && quoted(folder) === folder
    ? `~${folder.slice(own.length)}`
    : quoted(folder);
};

type Hint = readonly [command: string, what: string];

const HINTS: readonly Hint[] = [
  ["open", "the page, in your browser"],
  ["status", "how the plant is"],
  ["history moisture", "a chart; also: water, light"],
  ["photo --open", "what it looks like"],
  ["messages", "messages of agent and runtime"],
  ["reply TEXT", "your answer"],
  ["chat", "talk with the agent"],
  ["approvals", "what waits for your yes"],
  ["off", "everything off, and on hold until: resume"],
  ["log", "what the agent did, as a story"],
];
