import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { benchOf } from "../../drivers/open-board.js";
import { millis } from "../../drivers/units.js";
import { parseConfig } from "../../runtime/configuration.js";
import { type Core, openCore } from "../../runtime/core.js";
import type { CallRequest } from "../../runtime/tools/host.js";
import { type Figure, median, milliseconds } from "./figures.js";

const DOSES = 51;
const PLANT = "basil";
const clock = new SystemClock();

/** From a person's call of dispense_water, past the wire, to the pump's edge; bare: a line appended and synced. */
export async function doseFigures(folder: string): Promise<Figure[]> {
  const closers: Array<() => unknown> = [];
  const core = await openBench(join(folder, "doses"), (close) => closers.push(close));
  try {
    const ours = median(await repeated(() => timeToEdge(core)));
    const file = await open(join(folder, "bare.jsonl"), "a");
    const bare = median(await repeated(() => timeToSync(file)));
    await file.close();
    return [{ what: "dispense_water: from the call to the pump's edge", ours, bare, show: milliseconds }];
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** A whole runtime on the bench, in this process. */
export const openBench = (state: string, onStop: (close: () => unknown) => void): Promise<Core> =>
  openCore(
    {
      config: parseConfig("server: { calls_per_second: 100000 }", "the benchmark's configuration"),
      state,
      board: { speed: 1, seed: 1 },
      log: () => undefined,
      publicUrl: () => "",
    },
    onStop,
  );

async function repeated(time: () => Promise<number>): Promise<number[]> {
  const took: number[] = [];
  while (took.length < DOSES) took.push(await time());
  return took;
}

/** The edge has its own time: when it is noticed does not matter. The dose is cancelled then. */
export async function timeToEdge({ registry, board }: Core): Promise<number> {
  const cancel = new AbortController();
  const called = board.clock.monotonic();
  const edge = () =>
    benchOf(board)
      .pumpEdges(PLANT)
      .findLast(({ level, at }) => level === 1 && at >= called);
  let answered = false;
  const dose = registry.call(doseCall(cancel.signal)).finally(() => {
    answered = true;
  });
  while (!edge() && !answered) await clock.sleep(millis(1));
  cancel.abort();
  const { content } = await dose;
  const at = edge()?.at;
  if (at === undefined) throw new Error(`no water flowed: ${JSON.stringify(content)}`);
  return at - called;
}

const doseCall = (signal: AbortSignal): CallRequest => ({
  name: "dispense_water",
  arguments: { ml: 10 },
  identity: { name: "human", role: "human" },
  // many doses of a few seconds make the soil wet
  confirm: "SOIL_WET",
  signal: () => signal,
  progress: () => undefined,
});

/** As long as the ledger's line of a dose. */
const LINE = `${"x".repeat(220)}\n`;

async function timeToSync(file: FileHandle): Promise<number> {
  const began = clock.monotonic();
  await file.write(LINE);
  await file.datasync();
  return clock.monotonic() - began;
}
