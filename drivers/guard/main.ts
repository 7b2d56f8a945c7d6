import { writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { setPriority } from "node:os";
import { SystemClock } from "../clock/system-clock.js";
import { DriverError } from "../errors.js";
import { hasCode } from "../system-error.js";
import { millis } from "../units.js";
import { Guard } from "./guard.js";
import { claimLines, openParts } from "./open-lines.js";
import { encode, type GuardPlan, Lines, type Order, type Report } from "./protocol.js";

/** The pipe to the parent: a socket of its own, since writing to stdout would wait for a parent that does not read. */
const PIPE = 3;
/** The highest priority, where it is allowed: what is on has to go off in time. */
const URGENT = -20;
/** Between tries to switch off a line that fails, once the parent is gone, and between those to be urgent. */
const PAUSE = millis(50);
/** A choice: two seconds. A program that gives such orders all the time must not keep the guard from its work. */
const URGENT_TRIES = 40;

/** SIGUSR1 would open a debugger. */
const LEFT_TO_THE_PARENT = ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"] as const;

const clock = new SystemClock();
const pipe = new Socket({ fd: PIPE, readable: true, writable: true });
let closed = false;
const tell = (report: Report) => void pipe.write(encode(report));

async function run(plan: GuardPlan): Promise<void> {
  await claimLines(plan);
  const guard = new Guard({ ...(await openParts(plan, clock)), clock, tell });
  letGoAtTheEnd(guard);
  obey(guard);
  await hurry(); // not before: udev has to have its turn while pins are opened
  tell({ is: "ready", active: guard.active(), rss: process.memoryUsage.rss() });
}

/** The guard ends when its parent is gone, or on a defect of its own. Signals are for the parent, who then ends the guard in order. */
function letGoAtTheEnd(guard: Guard): void {
  const end = () => void letGo(guard);
  pipe.once("end", end).on("error", end).once("close", end);
  for (const signal of LEFT_TO_THE_PARENT) process.on(signal, () => undefined);
  process.on("uncaughtException", (error) => {
    process.stderr.write(`guard: ${error.stack}\n`);
    process.exitCode = 1;
    end();
  });
}

/** Garbage in the pipe means a broken parent: an uncaught exception, and everything goes off. */
function obey(guard: Guard): void {
  const lines = new Lines();
  pipe.setEncoding("utf8").on("data", (chunk: string) => {
    for (const order of lines.take<Order>(chunk)) guard.receive(order);
  });
}

/** Exits only when everything is off and the reports are sent. */
async function letGo(guard: Guard): Promise<void> {
  while (!guard.allOff("lease")) await clock.sleep(PAUSE);
  if (!closed) guard.close();
  closed = true;
  if (pipe.destroyed) process.exit();
  pipe.once("close", () => process.exit());
  pipe.destroySoon();
}

/** Without the right to it the priority stays as it is: docs/benchmarks.md has figures for both. */
async function hurry(): Promise<void> {
  try {
    setPriority(URGENT);
    for (let left = URGENT_TRIES; !hurrySession() && left > 0; left -= 1) await clock.sleep(PAUSE);
  } catch {
    // not allowed, or a kernel without such groups
  }
}

/**
 * nice counts only within a session where sessions are scheduled as groups, and we are alone in ours [sched(7)]. False where the
 * system takes no such order just now: only ten a second, from all processes together.
 */
function hurrySession(): boolean {
  try {
    writeFileSync("/proc/self/autogroup", String(URGENT));
    return true;
  } catch (error) {
    if (hasCode(error, "EAGAIN")) return false;
    throw error;
  }
}

run(JSON.parse(process.argv[2] ?? "") as GuardPlan).catch((error: unknown) => {
  const { code, what, facts } =
    error instanceof DriverError
      ? error
      : new DriverError("PIN_FAILED", String(error), {
          facts: { during: "opening", reasons: [String(error)] },
        });
  tell({ is: "trouble", code, what, facts });
  pipe.once("close", () => process.exit(1));
  pipe.destroySoon();
});
