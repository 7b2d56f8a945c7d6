/**
 * Where the time of a read call goes in the runtime, from the socket that it reads to the socket that it writes, after a build:
 * node dist/test/bench/wire-profile.js
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { bundle } from "../../systemd/programs/bundle.js";
import type { Child } from "./child.js";
import { columns, microseconds } from "./figures.js";
import { listening, runtimeBuilt, runtimeUnder, tokenOf, unlimited } from "./programs.js";
import { connect, run, toolCall } from "./wire.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));
/** The programs as they are written, beside `dist`: from there they find what is not bundled. */
const READABLE = join(PROJECT, "dist.readable");
const CALLS = 10_000;
const IN_FLIGHT = [1, 32];
const CALL = toolCall("2026-07-28", "get_current_time", {});
const clock = new SystemClock();

/** What V8 writes; times in microseconds of the monotonic clock. */
interface Profile {
  readonly startTime: number;
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface Frame {
  readonly functionName: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
}

/** The first that fits counts. */
const PARTS: readonly (readonly [string, RegExp])[] = [
  ["not busy", /^\(idle\)$/],
  ["the kernel: writing to the socket", /^write/],
  ["collection of garbage", /^\(garbage collector\)$/],
  ["zod: checking messages, arguments, results", /node_modules\/zod\//],
  ["the MCP SDK", /node_modules\/@modelcontextprotocol\//],
  ["ws", /node_modules\/ws\//],
  ["Tendril: server (parsing, turns, encoding)", /^runtime\/server\//],
  ["Tendril: registry, tool, services", /^(?:runtime|drivers)\//],
  ["Node and V8", /./],
];

/** Calls, then ends the program. `time`: processor time of its main thread for one call, in ms; `began`: when it was warm. */
async function makeCalls(server: Child, state: string, inFlight: number) {
  const socket = await connect("2026-07-28", await listening(server), await tokenOf(state, "observer"));
  await run(socket, CALL, CALLS, inFlight); // V8 compiles what runs often
  const [began, before] = [clock.monotonic(), server.processorTime()];
  await run(socket, CALL, CALLS, inFlight);
  const time = (server.processorTime() - before) / CALLS;
  socket.terminate();
  await server.stop();
  return { time, began };
}

/** By part: its share of the processor time of calls. */
async function sharesOf(file: string, since: number): Promise<ReadonlyMap<string, number>> {
  const profile = JSON.parse(await readFile(file, "utf8")) as Profile;
  const parts = new Map<number, string>();
  for (const { id, callFrame } of profile.nodes) parts.set(id, partOf(await placeOf(callFrame)));
  const shares = new Map<string, number>();
  let at = profile.startTime;
  for (const [index, delta] of profile.timeDeltas.entries()) {
    at += delta;
    const part = parts.get(profile.samples[index] ?? 0) ?? "";
    if (at / 1000 >= since) shares.set(part, (shares.get(part) ?? 0) + delta);
  }
  shares.delete("not busy");
  return shares;
}

const partOf = (place: string): string => PARTS.find(([, fits]) => fits.test(place))?.[0] ?? "";

/** By bundle: the source file of each of its lines. */
const bundles = new Map<string, readonly string[]>();

/** The source file; what is in no bundle of ours is named by its function. */
async function placeOf({ url, functionName, lineNumber }: Frame): Promise<string> {
  if (!url.startsWith("file:")) return functionName || "(anonymous)";
  const sources = bundles.get(url) ?? sourcesOf(await readFile(fileURLToPath(url), "utf8"));
  bundles.set(url, sources);
  return sources[lineNumber] ?? "";
}

/** esbuild names a source file in a line above its code. */
function sourcesOf(bundle: string): string[] {
  let source = "";
  return bundle.split("\n").map((line) => {
    source = /^\/\/ (\S+\.[cm]?[jt]s)$/.exec(line)?.[1] ?? source;
    return source;
  });
}

/** As they stand in the table. */
async function rowsOf(inFlight: number, folder: string): Promise<string[][]> {
  const state = join(folder, "state");
  const options = ["--config", await unlimited(state)];
  const plain = runtimeUnder([], state, ...options);
  const { time } = await makeCalls(plain, state, inFlight);
  const profiles = join(folder, String(inFlight));
  const profiled = runtimeBuilt(
    join(READABLE, "runtime/cli/tendril.js"),
    ["--cpu-prof", `--cpu-prof-dir=${profiles}`],
    state,
    ...options,
  );
  const { began } = await makeCalls(profiled, state, inFlight);
  const [file = ""] = await readdir(profiles);
  const shares = await sharesOf(join(profiles, file), began);
  const total = [...shares.values()].reduce((sum, each) => sum + each, 0);
  const percent = (part: string) => `${(((shares.get(part) ?? 0) / total) * 100).toFixed(0)} %`;
  const parts = PARTS.filter(([part]) => shares.has(part)).map(([part]) => [part, percent(part)]);
  return [[`${inFlight} in flight`, microseconds(time)], ...parts];
}

const folder = await mkdtemp(join(HERE, "state-"));
try {
  await bundle(PROJECT, READABLE, "clone", { readable: true });
  const rows: string[][] = [];
  for (const inFlight of IN_FLIGHT) rows.push(...(await rowsOf(inFlight, folder)));
  process.stdout.write(`${columns(["processor time of a call", "runtime"], rows)}\n`);
} finally {
  for (const made of [folder, READABLE]) await rm(made, { recursive: true, force: true });
}
