/**
 * The same rows and the same questions for this store, for GROUP BY in the same SQLite, JSONL in memory, and DuckDB, after a build:
 * node dist/test/bench/years/run.js [--rows 100000,1000000,10512000] [--rounds 10]
 * [--processor-time]. Prints tables for docs/performance.md.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { AGGREGATIONS } from "../../../runtime/store/bucket.js";
import { bytesWritten } from "../disk.js";
import { columns, median, megabytes, milliseconds, times } from "../figures.js";
import type { OpenPeer, Peer, Question } from "./peer.js";
import { bytesIn, PEERS } from "./peers.js";
import { END, MOST_ROWS, rowsOf, SERIES, spanOf } from "./rows.js";

const BUCKETS = 500;
/** Hours: a year, buckets of two hours, of an hour less a minute, of ten minutes. The span of all rows comes first. */
const WINDOWS = [8760, 1000, 491, 83];
/** A choice: a question that takes longer is asked three times, or a run takes an hour. */
const SLOW_MS = 500;
const SLOW_ROUNDS = 3;
const clock = new SystemClock();
const HERE = fileURLToPath(new URL(".", import.meta.url));

interface Kept {
  readonly name: string;
  readonly peer: Peer;
  readonly size: number;
  readonly written: number;
}

async function keep(name: string, open: OpenPeer, folder: string, rows: number): Promise<Kept> {
  process.stderr.write(`${rows} rows: filling ${name}\n`);
  const before = bytesWritten();
  const peer = await open(folder, rowsOf(rows));
  return { name, peer, size: await bytesIn(folder), written: bytesWritten() - before };
}

/** Milliseconds of each peer: medians of rounds that take turns. */
async function ask(peers: readonly Kept[], question: Question, rounds: number): Promise<number[]> {
  const took = peers.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1)
    for (const [at, { peer }] of peers.entries()) {
      const mine = took[at] ?? [];
      if (mine.length > SLOW_ROUNDS && median(mine) > SLOW_MS) continue;
      const began = now();
      await peer.ask(question);
      mine.push(now() - began);
    }
  // the first round compiles the statements
  return took.map((each) => median(each.slice(1)));
}

async function measure(rows: number, rounds: number): Promise<string> {
  const folder = await mkdtemp(join(HERE, "state-"));
  const peers: Kept[] = [];
  try {
    for (const [name, open] of Object.entries(PEERS))
      peers.push(await keep(name, open, join(folder, name.replaceAll(" ", "-")), rows));
    const { lines, ours } = await askAll(peers, rows, rounds);
    const [names, sizes] = [peers.map(({ name }) => name), peers.map((each) => megabytes(each.size))];
    return [
      `${rows.toLocaleString("en-US")} rows; the load is ${loadavg()[0]?.toFixed(1)}. Tendril: median of all questions ${milliseconds(median(ours))}, worst ${milliseconds(Math.max(...ours))}.`,
      columns([`${BUCKETS} buckets`, ...names, ...names.slice(1).map((name) => `${name} / Tendril`)], lines),
      columns(
        ["", ...names],
        [
          ["size on disk", ...sizes],
          ["written for it", ...peers.map((each) => megabytes(each.written))],
        ],
      ),
    ].join("\n\n");
  } finally {
    for (const { peer } of peers) await peer.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function askAll(peers: readonly Kept[], rows: number, rounds: number) {
  const span = spanOf(rows);
  const [lines, ours]: [string[][], number[]] = [[], []];
  for (const hours of [span, ...WINDOWS.filter((each) => each < span)])
    for (const aggregation of AGGREGATIONS) {
      const series = SERIES[0] ?? { place: "", quantity: "air_temperature" };
      const question = { hours, buckets: BUCKETS, aggregation, endMs: END, ...series };
      const [mine = Number.NaN, ...others] = await ask(peers, question, rounds);
      ours.push(mine);
      const ratios = others.map((other) => times(other / mine));
      lines.push([`${aggregation} of ${hours} h`, ...[mine, ...others].map(milliseconds), ...ratios]);
    }
  return { lines, ours };
}

const { values: flags } = parseArgs({
  options: {
    "processor-time": { type: "boolean", default: false },
    rows: { type: "string", default: `100000,1000000,${MOST_ROWS}` },
    rounds: { type: "string", default: "10" },
  },
});
/** Processor time is that of all threads of this process: on a busy machine nearer to what a quiet one takes. */
function now(): number {
  const { user, system } = process.cpuUsage();
  return flags["processor-time"] ? (user + system) / 1000 : clock.monotonic();
}

for (const rows of flags.rows.split(","))
  process.stdout.write(`${await measure(Number(rows), Number(flags.rounds))}\n\n`);
