import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { millis } from "../../../drivers/units.js";
import { Child } from "../child.js";
import { columns, median, megabytes, milliseconds } from "../figures.js";
import { listening, runtime, tokenOf } from "../programs.js";
import { dial, toolCall } from "../wire.js";
import { FLOODS, type Flood, headersOf } from "./kinds.js";

const FLOODER = fileURLToPath(new URL("./flooder.js", import.meta.url));
/** A choice: longer than a rate's burst (4 s) lasts. */
const LASTS = millis(12_000);
/** Between two `POST /off`, and two calls of the other client. */
const EVERY = millis(100);
/** A choice: what takes longer counts as not answered. */
const PATIENCE = millis(5000);
/** A long thought counts as several calls; so nobody is told to slow down. */
const BETWEEN_THOUGHTS = millis(150);
/** So that what the thoughts have left is swept up. A choice. */
const SETTLE = millis(3000);
/** What the README promises of a person at the machine, as a figure. */
const AIM = 100;
const ERA = "2026-07-28";
const clock = new SystemClock();

interface Measured {
  readonly title: string;
  readonly memory: number;
  /** In ms; Infinity for what was refused or not answered. */
  readonly off: readonly number[];
  /** The runtime's processor time while each `POST /off` waited: what a busy machine does not change. */
  readonly work: readonly number[];
  readonly others: readonly number[];
}

const NOBODY: Flood = { title: "nobody floods", role: "observer", run: () => new Promise(() => undefined) };

/** Memory, the time of POST /off and that of another client's calls, under each flood, on a runtime of its own each. */
export async function floodSection(folder: string, wanted: (name: string) => boolean): Promise<string> {
  const rows = [await measure("nobody", NOBODY, join(folder, "nobody"))];
  for (const [name, flood] of Object.entries(FLOODS)) {
    if (!wanted(name)) continue;
    const row = await measure(name, flood, join(folder, name));
    process.stderr.write(`${cells(row).join("  ")}\n`);
    rows.push(row);
  }
  return columns(HEADER, rows.map(cells));
}

const HEADER = [
  "flood",
  "memory, most",
  "off, median",
  "off, worst",
  "of it the runtime's work",
  "another's call, median",
  "worst",
  "aim",
];

const cells = ({ title, memory, off, work, others }: Measured): string[] => [
  title,
  megabytes(memory),
  took(median(off)),
  took(Math.max(...off)),
  took(Math.max(...work)),
  took(median(others)),
  took(Math.max(...others)),
  Math.max(...off) <= AIM ? "met" : "MISSED",
];

const took = (ms: number): string => (Number.isFinite(ms) ? milliseconds(ms) : "none");

async function measure(name: string, flood: Flood, state: string): Promise<Measured> {
  const server = runtime(state);
  try {
    const url = await listening(server);
    await writeThoughts(url, await tokenOf(state, "agent"));
    const flooder = await begin(name, { URL: url, TOKEN: await tokenOf(state, flood.role) });
    const measured = await watch(server, url, await tokenOf(state, "human")).finally(() =>
      flooder?.stop("SIGKILL"),
    );
    return { title: flood.title, ...measured };
  } finally {
    await server.stop("SIGKILL");
  }
}

async function begin(name: string, env: Readonly<Record<string, string>>): Promise<Child | undefined> {
  if (!FLOODS[name]) return undefined;
  const flooder = new Child([FLOODER, name], ["env", ...Object.entries(env).map((pair) => pair.join("="))]);
  await flooder.line(/^(flooding)$/);
  return flooder;
}

async function watch(server: Child, url: string, token: string): Promise<Omit<Measured, "title">> {
  const [off, work, others]: [number[], number[], number[]] = [[], [], []];
  let memory = 0;
  const until = clock.monotonic() + LASTS;
  while (clock.monotonic() < until) {
    const worked = server.processorTime();
    const [first, second] = await Promise.all([
      timed(() => postOff(url).finally(() => work.push(server.processorTime() - worked))),
      timed(() => call(url, token)),
    ]);
    off.push(first);
    others.push(second);
    memory = Math.max(memory, server.residentBytes());
    await clock.sleep(EVERY);
  }
  return { memory, off, work, others };
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = clock.monotonic();
  const late = clock.sleep(PATIENCE).then(() => Promise.reject(new Error("not answered")));
  return Promise.race([act(), late]).then(
    () => clock.monotonic() - began,
    () => Number.POSITIVE_INFINITY,
  );
}

/** On a connection of its own, as curl and the command line have it. */
const postOff = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const target = new URL("/off", url.replace("ws:", "http:"));
    const sent = request(target, { method: "POST", agent: false }, (answer) => {
      answer.resume();
      if (answer.statusCode === 200) resolve();
      else reject(new Error(String(answer.statusCode)));
    });
    sent.once("error", reject).end();
  });

/** As a person's command does it: over HTTP, on a connection of its own. */
async function call(url: string, token: string): Promise<void> {
  const answer = await fetch(url.replace("ws:", "http:"), {
    method: "POST",
    headers: { ...headersOf(token), "Mcp-Name": "get_current_time", Connection: "close" },
    body: toolCall(ERA, "get_current_time", {})(1),
  });
  if (!answer.ok || (await answer.text()).includes('"isError":true')) throw new Error(String(answer.status));
}

type Socket = Awaited<ReturnType<typeof dial>>;

async function answered(socket: Socket, frame: string): Promise<void> {
  const answer = Promise.race([once(socket, "message"), once(socket, "close")]);
  socket.send(frame);
  const [data] = (await answer) as unknown[];
  if (!(data instanceof Buffer) || data.includes('"isError":true')) throw new Error(String(data));
}

/** The longest there may be: 40 MB. */
async function writeThoughts(url: string, token: string): Promise<void> {
  const text = "a ".repeat(40_000);
  const thought = {
    observation: text,
    hypothesis: text,
    candidate_actions: [],
    reasoning: text,
    uncertainties: text,
  };
  const socket = await dial(url, token);
  for (let id = 1; id <= 125; id += 1) {
    await answered(socket, toolCall(ERA, "log_thought", thought)(id));
    await clock.sleep(BETWEEN_THOUGHTS);
  }
  socket.terminate();
  await clock.sleep(SETTLE);
}
