/**
 * The same rows and the same questions for this store, for GROUP BY in the same SQLite, JSONL in memory, and DuckDB, after a build:
 * node dist/test/bench/years/run.js [--rows 100000,1000000,10512000] [--rounds 10]
 * [--processor-time] [--folder FOLDER] [--without NAME]. Prints tables for docs/performance.md. Each way to keep the rows is a process of its own: ten
 * million records in memory would slow the others by the collection of garbage. With --folder the files are kept there, and used again.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { AGGREGATIONS, type Aggregation } from "../../../runtime/store/bucket.js";
import { columns, median, megabytes, milliseconds, times } from "../figures.js";
import type { Question } from "./peer.js";
import { PeerProcess } from "./peer-process.js";
import { PEERS } from "./peers.js";
import { END, MAX_ROWS, SERIES, spanOf } from "./rows.js";

const BUCKETS = 500;
/** Hours: a year, buckets of two hours, of an hour less a minute, of ten minutes. The span of all rows comes first. */
const SHORTEST = 83;
const WINDOWS = [8760, 1000, 491, SHORTEST];
const WARM_UP = 5;
/** A choice: a question that takes longer is asked three times, or a run takes an hour. */
const SLOW_MS = 500;
const SLOW_ROUNDS = 3;
const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Milliseconds of each peer: medians of rounds that take turns. */
async function ask(peers: readonly PeerProcess[], question: Question, rounds: number): Promise<number[]> {
  const took = peers.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1)
    for (const [at, peer] of peers.entries()) {
      const mine = took[at] ?? [];
      if (mine.length > SLOW_ROUNDS && median(mine) > SLOW_MS) continue;
      mine.push(await peer.ask(question));
    }
  // the first round compiles the statements
  return took.map((each) => median(each.slice(1)));
}

async function measure(rows: number, rounds: number): Promise<string> {
  const kept = flags.folder && join(resolve(flags.folder), String(rows));
  if (kept) await mkdir(kept, { recursive: true });
  const folder = kept ?? (await mkdtemp(join(HERE, "state-")));
  const peers: PeerProcess[] = [];
  try {
    for (const name of Object.keys(PEERS).filter((each) => !flags.without.includes(each))) {
      process.stderr.write(`${rows} rows: filling ${name}\n`);
      peers.push(await PeerProcess.start({ name, rows, folder, processorTime: flags["processor-time"] }));
    }
    const { lines, ours } = await askAll(peers, rows, rounds);
    const [names, sizes] = [peers.map(({ name }) => name), peers.map((each) => megabytes(each.size))];
    return [
      `${rows.toLocaleString("en-US")} rows; the load is ${loadavg()[0]?.toFixed(1)}. Tendril: median of all questions ${milliseconds(median(ours))}, worst ${milliseconds(Math.max(...ours))}.`,
      columns([`${BUCKETS} buckets`, ...names, ...names.slice(1).map((name) => `${name} / Tendril`)], lines),
      columns(
        ["", ...names],
        [
          ["size on disk", ...sizes],
          [
            "written for it",
            ...peers.map(({ written }) => (written === undefined ? "" : megabytes(written))),
          ],
        ],
      ),
    ].join("\n\n");
  } finally {
    for (const peer of peers) await peer.close();
    if (!kept) await rm(folder, { recursive: true, force: true });
  }
}

/** The first questions of a process are answered by code that is not compiled yet. */
async function warmUp(peers: readonly PeerProcess[]): Promise<void> {
  for (let time = 0; time < WARM_UP; time += 1)
    for (const aggregation of AGGREGATIONS)
      for (const peer of peers) await peer.ask(questionOf(aggregation, SHORTEST));
}

const questionOf = (aggregation: Aggregation, hours: number): Question => {
  const series = SERIES[0] ?? { place: "", quantity: "air_temperature" };
  return { hours, buckets: BUCKETS, aggregation, endMs: END, ...series };
};

async function askAll(peers: readonly PeerProcess[], rows: number, rounds: number) {
  const span = spanOf(rows);
  await warmUp(peers);
  const [lines, ours]: [string[][], number[]] = [[], []];
  for (const hours of [span, ...WINDOWS.filter((each) => each < span)])
    for (const aggregation of AGGREGATIONS) {
      const [mine = Number.NaN, ...others] = await ask(peers, questionOf(aggregation, hours), rounds);
      ours.push(mine);
      const ratios = others.map((other) => times(other / mine));
      lines.push([`${aggregation} of ${hours} h`, ...[mine, ...others].map(milliseconds), ...ratios]);
    }
  return { lines, ours };
}

const { values: flags } = parseArgs({
  options: {
    "processor-time": { type: "boolean", default: false },
    folder: { type: "string" },
    without: { type: "string", multiple: true, default: [] },
    rows: { type: "string", default: `100000,1000000,${MAX_ROWS}` },
    rounds: { type: "string", default: "10" },
  },
});
for (const rows of flags.rows.split(","))
  process.stdout.write(`${await measure(Number(rows), Number(flags.rounds))}\n\n`);
