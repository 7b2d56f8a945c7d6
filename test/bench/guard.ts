import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { GuardLink } from "../../drivers/guard/guard-link.js";
import { type Millis, seconds } from "../../drivers/units.js";
import type { Held } from "../drivers/guard/holder.js";
import { LedFolder } from "../drivers/guard/led-folder.js";
import { Child } from "./child.js";
import { type Figure, median, megabytes, milliseconds } from "./figures.js";
import { bareNode } from "./programs.js";

const HOLDER = fileURLToPath(new URL("../drivers/guard/holder.js", import.meta.url));
const DEATHS = 20;
const STARTS = 7;
const PULSE = seconds(20);
const OUTPUT = { gpio: 17, activeLow: false, via: "led", led: "pump", acceptSoftwareCutoff: false } as const;
const clock = new SystemClock();

/** What a guard costs, and what becomes of a relay that is on when the runtime or the guard is killed. */
export async function guardFigures(folder: string): Promise<Figure[]> {
  const led = new LedFolder(folder, OUTPUT.led);
  const plan = {
    outputs: [{ name: "pump", ceiling: PULSE, line: { via: "led", path: led.path } }],
    inputs: [],
  } as const;
  const alive = setInterval(() => undefined, 1000);
  const starts = await repeated(STARTS, () => start(new GuardLink(plan, clock)));
  clearInterval(alive);
  const bare = median(await repeated(STARTS, timeBareNode));
  const runtimes = await repeated(DEATHS, () => killedRuntime(folder, led));
  const guards = await repeated(DEATHS, () => killedGuard(folder, led));
  return [
    { what: "guard: start to ready", ours: median(starts.map(({ took }) => took)), bare, show: milliseconds },
    ...memory(starts.map(({ held }) => held)),
    ...deaths("runtime killed: relay off after", runtimes),
    ...deaths(
      "guard killed: relay off after",
      guards.map(({ off }) => off),
    ),
    ...deaths(
      "guard killed: runtime knows after",
      guards.map(({ known }) => known),
    ),
  ];
}

async function repeated<T>(times: number, measure: () => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  while (found.length < times) found.push(await measure());
  return found;
}

async function timeBareNode(): Promise<number> {
  const began = clock.monotonic();
  await bareNode("0").exit();
  return clock.monotonic() - began;
}

async function start(link: GuardLink): Promise<{ readonly took: number; readonly held: Memory }> {
  const began = clock.monotonic();
  await link.start();
  const took = clock.monotonic() - began;
  await clock.sleep(seconds(1));
  const held = heldBy(link.pid);
  await link.stop();
  return { took, held };
}

/** Bytes of memory that a process holds. */
interface Memory {
  readonly rss: number;
  readonly pss: number;
  readonly own: number;
}

/** smaps_rollup [proc(5)]: Pss counts a shared page in parts, one for each that shares it. */
function heldBy(pid: number | undefined): Memory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const of = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(rollup)?.[1]) * 1024;
  return { rss: of("Rss"), pss: of("Pss"), own: of("Private_Clean") + of("Private_Dirty") };
}

const memory = (held: readonly Memory[]): Figure[] => [
  { what: "resident memory, guard", ours: median(held.map(({ rss }) => rss)), show: megabytes },
  { what: "… what is shared counted in parts", ours: median(held.map(({ pss }) => pss)), show: megabytes },
  { what: "… its own alone", ours: median(held.map(({ own }) => own)), show: megabytes },
];

const deaths = (what: string, took: readonly number[]): Figure[] => [
  { what: `${what}: median of ${DEATHS}`, ours: median(took), show: milliseconds },
  { what: `${what}: worst`, ours: Math.max(...took), show: milliseconds },
];

/** A runtime whose pump has just gone on, and the number of its guard's process. */
async function pulsing(leds: string): Promise<{ readonly holder: Child; readonly guard: number }> {
  const held: Held = { output: OUTPUT, kernel: { leds, gpio: join(leds, "none") }, pulses: [PULSE] };
  const holder = new Child([HOLDER, JSON.stringify(held)]);
  const guard = Number(await holder.line(/^\{"guard":(\d+),/));
  await holder.line(/^\{"on":(.+)\}$/);
  return { holder, guard };
}

async function killedRuntime(leds: string, led: LedFolder): Promise<number> {
  const { holder } = await pulsing(leds);
  const [killed, off] = await killing(led, () => void holder.stop("SIGKILL"));
  return off - killed;
}

async function killedGuard(
  leds: string,
  led: LedFolder,
): Promise<{ readonly off: number; readonly known: number }> {
  const { holder, guard } = await pulsing(leds);
  const [killed, off] = await killing(led, () => process.kill(guard, "SIGKILL"));
  const known = Number(await holder.line(/"trouble":"GUARD_LOST".*"at":([\d.]+)/));
  await holder.stop("SIGKILL");
  return { off: off - killed, known: known - killed };
}

/** The instants before the kill, and at which the relay was seen off: up to a millisecond late. */
async function killing(led: LedFolder, kill: () => void): Promise<[Millis, Millis]> {
  const killed = clock.monotonic();
  kill();
  return [killed, await led.until(false, seconds(5))];
}
