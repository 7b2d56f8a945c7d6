import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { type Millis, millis } from "../../../drivers/units.js";
import { Child } from "../child.js";
import type { Task, Told } from "./pulser.js";

const PULSER = fileURLToPath(new URL("./pulser.js", import.meta.url));
const BUSY_LOOP = fileURLToPath(new URL("./busy-loop.js", import.meta.url));
const DURATION = millis(200);
/** Twice the pulse: its end lies in the middle. */
const STALL = millis(400);

export interface Condition {
  readonly name: string;
  /** Whether there are more busy loops than processors. */
  readonly busy: boolean;
  readonly stall: Millis;
}

export const CONDITIONS: readonly Condition[] = [
  { name: "idle", busy: false, stall: millis(0) },
  { name: "processors busy", busy: true, stall: millis(0) },
  { name: "runtime stalled", busy: false, stall: STALL },
  { name: "busy and stalled", busy: true, stall: STALL },
];

/** Pulses a line under a condition, in processes of their own. `under`: what the pulser is started with. */
export async function pulsed(
  { busy, stall }: Condition,
  task: Pick<Task, "line" | "stamped" | "pulses">,
  under: readonly string[] = [],
): Promise<Told> {
  const loops = busy ? await startLoops() : [];
  const pulser = new Child([PULSER, JSON.stringify({ ...task, duration: DURATION, stall })], under);
  try {
    return JSON.parse(await pulser.line(/^late (.+)$/));
  } finally {
    await pulser.exit();
    await Promise.all(loops.map((loop) => loop.stop("SIGKILL")));
  }
}

/** As many as there are processors, and one. Each in a session of its own, since the scheduler shares out by session [sched(7)]. */
async function startLoops(): Promise<Child[]> {
  const loops = Array.from({ length: availableParallelism() + 1 }, () => new Child([BUSY_LOOP], ["setsid"]));
  await Promise.all(loops.map((loop) => loop.line(/^(busy)$/)));
  return loops;
}
