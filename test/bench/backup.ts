import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Runtime } from "../../agent-client/link/runtime.js";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { hours, minutes } from "../../drivers/units.js";
import { backupsIn } from "../../runtime/backup/backup-folder.js";
import { THOUGHT_LOG } from "../../runtime/services/thinking/index.js";
import { openStore } from "../../runtime/store/store.js";
import { connectTo } from "../connect-once.js";
import { RuntimeProcess } from "../process.js";
import { TENDRIL } from "../run-tendril.js";
import { type Figure, megabytes, milliseconds, quantile } from "./figures.js";
import { reading } from "./reading.js";

const YEAR_OF_MINUTES = 525_600;
/** A cycle every half-hour leaves a thought; so do the statuses, calls and actions of other journals. */
const THOUGHTS = 17_520;
const ROUNDS = 3;
const SETTLE = 2000;
const END = Date.parse("2026-06-30T12:34:56.789Z");
/** A choice: a call beside a backup may take twice as long, no more. */
const AIM = { atMost: 2, of: "ratio" } as const;
const clock = new SystemClock();

/** Calls of a runtime with a year's data, beside a backup as the timer makes it, and without one. */
export async function backupFigures(folder: string): Promise<Figure[]> {
  await mkdir(folder, { recursive: true });
  const state = join(folder, "state");
  await storeYear(state);
  const runtime = await RuntimeProcess.start({ state });
  const link = await connectTo(runtime, "human");
  try {
    await timed(link, "log_thought", clock.sleep(milli(SETTLE)));
    return [...(await besides(link, state, folder)), ...(await sizes(state, folder))];
  } finally {
    await link.close();
    await runtime.stop("SIGKILL");
  }
}

async function besides(link: Runtime, state: string, folder: string): Promise<Figure[]> {
  const [took, figures]: [number[], Figure[]] = [[], []];
  for (const tool of ["get_overview", "log_thought"]) {
    const [beside, alone]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const began = clock.monotonic();
      beside.push(...(await timed(link, tool, backUp(state, folder))));
      const lasted = clock.monotonic() - began;
      took.push(lasted);
      alone.push(...(await timed(link, tool, clock.sleep(milli(lasted)))));
    }
    const p99 = { ours: quantile(beside, 0.99), bare: quantile(alone, 0.99), show: milliseconds };
    figures.push({ what: `${tool} beside a backup of a year, p99 (bare: without)`, ...p99, aim: AIM });
  }
  return [
    ...figures,
    { what: "a backup of a year, read back", ours: quantile(took, 0.5), show: milliseconds },
  ];
}

async function sizes(state: string, folder: string): Promise<Figure[]> {
  const [newest] = await backupsIn(folder);
  const database = (await stat(join(state, "tendril.sqlite"))).size;
  return [
    { what: "its size (bare: the database)", ours: newest?.bytes ?? 0, bare: database, show: megabytes },
  ];
}

/** With the least priority there is, as systemd/tendril-backup.service has it. */
async function backUp(state: string, folder: string): Promise<void> {
  const args = ["-n", "19", process.execPath, TENDRIL, "backup", "--state", state, "--to", folder];
  const child = spawn("nice", args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`tendril backup ended with ${code}`);
}

/** How long each call took, one after the other, until `over`. */
async function timed(link: Runtime, tool: string, over: Promise<void>): Promise<number[]> {
  const took: number[] = [];
  let going = true;
  const end = over.finally(() => {
    going = false;
  });
  while (going) {
    const began = clock.monotonic();
    await link.call(tool, tool === "log_thought" ? thought("a thought") : {});
    took.push(clock.monotonic() - began);
    await clock.sleep(milli(5));
  }
  await end;
  return took;
}

const milli = (ms: number) => minutes(ms / 60_000);

const thought = (observation: string) => ({
  observation,
  hypothesis: "The soil dries as it did on the days before, and the plant looks as it should.",
  candidate_actions: [],
  reasoning: "It was watered this morning; there is no reason to do more before the evening.",
  uncertainties: "none",
});

async function storeYear(folder: string): Promise<void> {
  const store = await openStore({ folder, relaxed: true });
  for (let n = 1; n <= YEAR_OF_MINUTES; n += 1) {
    store.readings.add(reading(n, END - (YEAR_OF_MINUTES - n) * minutes(1)));
    if (n % 10_000 === 0) await store.readings.flush();
  }
  const thoughts = await store.log(THOUGHT_LOG);
  for (let n = 0; n < THOUGHTS; n += 1) {
    const timestamp = new Date(END - (THOUGHTS - n) * hours(0.5)).toISOString();
    await thoughts.append({ timestamp, ...thought(`thought ${n}`), tags: [], by: "agent" });
  }
  await store.close();
}
