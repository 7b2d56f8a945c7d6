#!/usr/bin/env -S node --max-semi-space-size=2 --v8-pool-size=1
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { stopOnSignals } from "../runtime/wire/program.js";
import { Agent, releaseCare } from "./agent.js";
import { SystemClock, seconds } from "./clock.js";
import { Log } from "./cycle/log.js";
import { LinkError, type LinkErrorCode } from "./errors.js";
import { connect, type Runtime } from "./link/runtime.js";
import { askForCode, FirstUse, KnownRuntimes, pair, pinned, placeOf, type Trust } from "./link/trust.js";
import { modelChoice } from "./model-choice.js";
import { secretsIn } from "./models/index.js";
import { type AgentOptions, parseAgentOptions, settingsOf } from "./options/options.js";
import { explainFailure, repeatInHints } from "./program.js";
import { compileTemplate, OPENING } from "./prompts/prompt.js";
import { sentNoSecrets, withoutSecrets } from "./run-log/log-files.js";
import { type Playback, PlaybackEnded, playbackOf } from "./run-log/playback.js";
import { logToBoth, openRunLog, type RunLog, type StoryTeller } from "./run-log/run-log.js";
import { areSet } from "./spending/limits.js";
import { agentName, DurableFile, lockState } from "./state/state-folder.js";
import { cron, every, houseZone, PlantTime, runRegularly, WakeLimit } from "./time/schedule.js";
import { Attempts, attemptsFile } from "./turns/task.js";
import { WaitingTurns } from "./turns/waiting-turns.js";

const EXIT = { done: 0, incomplete: 1, unreachable: 3, unauthorized: 4, untrusted: 5 } as const;

const clock = new SystemClock();

/** A run: its logs, and the recording that replaces the model, if there is one. */
interface Run {
  readonly playback: Playback | undefined;
  readonly runLog: RunLog;
  readonly console: Log;
  readonly log: StoryTeller;
  /** The name of this agent among those with its token. */
  readonly instance: string;
}

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const options = await parseAgentOptions(args, process.env, repeatInHints);
  try {
    return await asOnlyAgent(options, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    if (signal.reason instanceof Error && signal.reason.name !== "AbortError") throw signal.reason;
    return options.once ? EXIT.incomplete : EXIT.done;
  }
}

/** With a token, from the options or from pairing. */
type WithToken = AgentOptions & Access;
type Access = { readonly token: string; readonly pin: string | undefined };

const secretsOf = ({ token }: AgentOptions) => [token, ...secretsIn(process.env)];
const consoleOf = (options: AgentOptions) =>
  new Log(process.stdout, process.env, withoutSecrets(secretsOf(options)), options.price);

/** Runs as the only agent of its state folder: spending has one writer, and the agent's name is its own. */
async function asOnlyAgent(options: AgentOptions, signal: AbortSignal): Promise<number> {
  const onWait = (text: string) => consoleOf(options).line("waiting", text, "yellow");
  const lock = await lockState(options.agentState, { clock, signal, onWait, onLost: end });
  try {
    const { token, pin } = options;
    const access = token === undefined ? await accessByCode(options, signal) : { token, pin };
    const admitted = { ...options, ...access };
    return await serve(admitted, begin(admitted), signal);
  } finally {
    lock.release();
  }
}

/** Pairs, and keeps token and key for the next start. With --discover the runtime is recognised by that key. */
async function accessByCode(options: AgentOptions, signal: AbortSignal): Promise<Access> {
  const { agentState, discover, pin } = options;
  const code = typeof options.pair === "string" ? options.pair : await askForCode(signal);
  const { url, pin: trust, token, name } = await pairBy(code, options, signal);
  new KnownRuntimes(agentState).paired(placeOf(url), { trust, url, token });
  consoleOf(options).line(
    "paired",
    `with ${placeOf(url)} as ${name}; the next start needs no code`,
    "yellow",
  );
  return { token, pin: pin ?? (discover && trust) };
}

/** Pairs with the runtime at the address, or with the one on this network that accepts the code. */
async function pairBy(code: string, { url, discover, pin }: AgentOptions, signal: AbortSignal) {
  if (discover === undefined) return { url, ...(await pair(url, code, signal, pin)) };
  const [{ pairNear }, { placeGiven }] = await Promise.all([
    import("./discovery/find-runtime.js"),
    import("./discovery/look.js"),
  ]);
  return pairNear(code, { ...discover, pin, place: placeGiven(process.env), clock }, signal);
}

function begin(options: WithToken): Run {
  const { model, logging, url, agentState } = options;
  const instance = agentName(agentState);
  const secrets = secretsOf(options);
  const console = consoleOf(options);
  const playback = options.playback === undefined ? undefined : playbackOf(options.playback, end);
  const runLog = openRunLog(logging, {
    start: { model: (playback ?? model).name, url, options: settingsOf(options) },
    clock,
    secrets,
    onTrouble: (problem) => console.line("log", `${problem}; care goes on without it`, "yellow"),
  });
  return { playback, runLog, console, log: logToBoth(console, runLog), instance };
}

async function serve(options: WithToken, run: Run, signal: AbortSignal): Promise<number> {
  const runtime = sentNoSecrets(await connectTo(options, run, signal), secretsOf(options));
  try {
    return await care(options, run, runtime, signal);
  } finally {
    await releaseCare(runtime, clock);
    await runtime.close();
  }
}

/** With --once it fails at once if the runtime is away; otherwise it waits. */
async function connectTo(options: WithToken, { log, instance }: Run, signal: AbortSignal): Promise<Runtime> {
  const { url, token, once } = options;
  const find = await finderOf(options, log);
  return connect({
    url,
    token,
    trust: trustOf(options, log),
    ...(find && { find }),
    signal,
    clock,
    random: Math.random,
    instance,
    patience: once
      ? { toConnect: 0, toReconnect: seconds(30) }
      : { toConnect: Number.POSITIVE_INFINITY, toReconnect: Number.POSITIVE_INFINITY },
    onWait: ({ message }) => log.line("waiting", `${message}; tried again, less and less often`, "yellow"),
  });
}

/** Looks for the runtime on the network; loaded only with --discover. */
async function finderOf({ discover, token, pin }: WithToken, log: StoryTeller) {
  if (discover === undefined) return undefined;
  const [{ Finder }, { placeGiven }] = await Promise.all([
    import("./discovery/find-runtime.js"),
    import("./discovery/look.js"),
  ]);
  const say = (label: string, text: string) => log.line(label, text, "dim");
  const finder = new Finder({ ...discover, token, pin, place: placeGiven(process.env), clock, say });
  return (signal: AbortSignal) => finder.address(signal);
}

function trustOf({ pin, repin, agentState }: AgentOptions, log: StoryTeller): Trust {
  if (pin !== undefined) return pinned(pin);
  return new FirstUse(new KnownRuntimes(agentState), (text) => log.line("trusted", text, "yellow"), repin);
}

async function care(
  options: AgentOptions,
  { playback, runLog, console, log, instance }: Run,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<number> {
  const { maxRounds, promptTokens, once } = options;
  const say = (label: string, text: string) => log.line(label, text, "yellow");
  const pass = (text: string) => console.pass(text);
  const around = { runtime, clock, random: Math.random, newKey: randomUUID, say, pass };
  const models = runLog.around(playback ?? modelChoice(options, around));
  const shared = { runtime, models, maxRounds, clock, log, signal, newKey: () => randomUUID() };
  // with --once and in a playback there are care cycles alone
  const turns = once || playback ? undefined : new WaitingTurns({ ...shared, ...taskMemory(options, say) });
  const agent = new Agent({
    ...shared,
    template: compileTemplate(OPENING),
    promptTokens,
    others: { instance, onWait: (text) => say("waiting", text) },
    ...(turns && { turns }),
  });
  if (once) return (await agent.turn()) ? EXIT.done : EXIT.incomplete;
  const turn = async () => void (await agent.turn());
  const plantTime = new PlantTime(runtime, clock, (speed) => {
    if (areSet(options.limits))
      say("limits", `the runtime's clock runs ${Math.round(speed)} times as fast as ours: ${REAL_DAYS}`);
  });
  const schedule =
    options.cron === undefined ? every(options.every) : cron(options.cron, await houseZone(runtime));
  return runRegularly(turn, { schedule, plantTime, clock, signal, wakeUps: wakeUpsOf(runtime, log, turns) });
}

/** What the turns of tasks need beside all others. */
function taskMemory({ agentState }: AgentOptions, say: (label: string, text: string) => void) {
  const note = (text: string) => say("turn", text);
  const file = new DurableFile(join(agentState, "attempts.json"), attemptsFile);
  return { say: note, attempts: new Attempts(file, note) };
}

const REAL_DAYS = "limits count by real days (UTC), not by the plant's";

/** Wakes the agent for a due task, a message of the person, or a hold or fault that was lifted. Other turns begin at once. */
const wakeUpsOf =
  (runtime: Runtime, log: StoryTeller, turns: WaitingTurns | undefined) => (wake: () => void) => {
    const limit = new WakeLimit();
    turns?.look().catch(endUnlessStopped);
    return runtime.watchAgenda((all) => {
      turns?.look().catch(endUnlessStopped);
      const reasons = all.filter(({ kind }) => kind !== "chat" && !(turns && kind === "agent_task"));
      if (reasons.length === 0) return;
      const tasksAlone = reasons.every(({ kind }) => kind === "task_due" || kind === "agent_task");
      if (tasksAlone && !limit.admits(clock.monotonic())) return;
      log.line("woken", reasons.map(({ what }) => what).join("; "), "dim");
      wake();
    });
  };

function exitCodeOf(error: unknown): number {
  const code = explainFailure("tendril agent", error, () => true);
  if (error instanceof PlaybackEnded && error.atItsEnd) return EXIT.done;
  return error instanceof LinkError ? (EXIT_BY_CODE[error.code] ?? EXIT.unreachable) : code;
}

const EXIT_BY_CODE: Partial<Record<LinkErrorCode, number>> = {
  UNAUTHORIZED: EXIT.unauthorized,
  PAIRING_REFUSED: EXIT.unauthorized,
  PEER_CHANGED: EXIT.untrusted,
  PEER_UNTRUSTED: EXIT.untrusted,
};

const stop = stopOnSignals();
function end(reason: Error): void {
  stop.abort(reason);
}
function endUnlessStopped(reason: Error): void {
  if (!stop.signal.aborted) end(reason);
}
// a reader such as `head` has seen enough
process.stdout.on("error", (error: NodeJS.ErrnoException) =>
  stop.abort(error.code === "EPIPE" ? undefined : error),
);
// Not process.exitCode: a pending lookup of a host name would keep the process alive for seconds.
process.exit(await main(process.argv.slice(2), stop.signal).catch(exitCodeOf));
