import { statSync } from "node:fs";
import { getPriority } from "node:os";
import { BenchPulse } from "../../../drivers/bench/bench-relay.js";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { GuardLink } from "../../../drivers/guard/guard-link.js";
import { GuardedOutput } from "../../../drivers/guard/guarded-output.js";
import type { LinePlan } from "../../../drivers/guard/protocol.js";
import { latestEndBy } from "../../../drivers/pi/outputs.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";

/** What the pulser is told on its command line, as JSON. */
export interface Task {
  readonly line: LinePlan;
  /** A file that the guard writes at both edges and nobody else: when, is noted by the kernel. */
  readonly stamped?: string;
  readonly pulses: number;
  readonly duration: Millis;
  /** How long this program's event loop hangs from each edge on. */
  readonly stall: Millis;
}

/** How much later than asked each edge came, in ms: of one pulse, asked of all at the same instant. */
export interface Late {
  /** As the guard reports it. */
  readonly guard: number;
  /** As the kernel's time stamps say. */
  readonly stamped?: number;
  /** Of a simulated relay in the pulser's process. */
  readonly bench: number;
  /** Of a bare timer in the pulser's process. */
  readonly timer: number;
}

export interface Told {
  readonly late: readonly Late[];
  /** The guard's nice value [sched(7)]. */
  readonly nice: number;
}

/** A runtime reduced to one relay that is pulsed again and again; tells at the end how late the edges were. */
const CEILING = seconds(26);
/** Between two pulses. A choice. */
const REST = millis(30);
const { line, stamped, pulses, duration, stall }: Task = JSON.parse(process.argv[2] ?? "");
const clock = new SystemClock();
const link = new GuardLink({ outputs: [{ name: "pump", ceiling: CEILING, line }], inputs: [] }, clock);
const output = new GuardedOutput("pump", CEILING, link, clock, latestEndBy(line));
const simulated = new BenchPulse({ name: "simulated pump", ceiling: CEILING }, clock);

const alive = setInterval(() => undefined, 1000);
await link.start();
const late: Late[] = [];
while (late.length < pulses) {
  late.push(await pulse());
  await clock.sleep(REST);
}
const told: Told = { late, nice: getPriority(link.pid) };
process.stdout.write(`late ${JSON.stringify(told)}\n`);
await link.stop();
clearInterval(alive);

async function pulse(): Promise<Late> {
  let others: Promise<[number, number]> | undefined;
  let stampedOn = Number.NaN;
  const { onFor, outcome } = await output.pulse(duration, () => {
    stampedOn = stamp();
    others = Promise.all([simulated.pulse(duration).then(({ onFor }) => onFor - duration), timer()]);
    setImmediate(hang);
  });
  if (outcome !== "elapsed" || !others) throw new Error(`a pulse ended by itself only: ${outcome}`);
  const byStamps = stamp() - stampedOn - duration;
  const [bench, bare] = await others;
  return { guard: onFor - duration, ...(stamped && { stamped: byStamps }), bench, timer: bare };
}

/** Milliseconds of the wall clock, as exact as the file system keeps them. */
function stamp(): number {
  return stamped ? Number(statSync(stamped, { bigint: true }).mtimeNs / 1000n) / 1000 : Number.NaN;
}

function timer(): Promise<number> {
  const began = clock.monotonic();
  return new Promise((resolve) => {
    clock.after(duration, () => resolve(clock.monotonic() - began - duration));
  });
}

function hang(): void {
  const end = clock.monotonic() + stall;
  while (clock.monotonic() < end);
}
