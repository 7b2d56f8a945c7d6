import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPlainBytes, replaceFile } from "../durable-file.js";
import { DriverError } from "../errors.js";
import { isMissing, messageOf } from "../system-error.js";
import type { GuardPlan, LinePlan } from "./protocol.js";

/** A value that switches a relay off, and the file of the kernel's to write it to. */
type OffWrite = readonly [value: string, path: string];

/** How to switch every relay off without a guard. A pigpio line has no file: its DMA ends the pulse. */
export const offWrites = ({ outputs }: GuardPlan): OffWrite[] =>
  outputs.flatMap(({ line }) => offWrite(line));

/** One "VALUE PATH" a line: what systemd/relays-off reads. */
export const offList = (plan: GuardPlan): string => formatOffList(offWrites(plan));

const formatOffList = (writes: readonly OffWrite[]): string =>
  writes.map(([value, path]) => `${value} ${path}\n`).join("");

const LINES = /^(\S+) (.+)$/gm;

export const readOffList = (list: string): OffWrite[] =>
  [...list.matchAll(LINES)].map(([, value = "", path = ""]) => [value, path]);

/** Whether a list has text that is no line of a list, as a damaged file has. */
const isDamaged = (list: string): boolean => list.replaceAll(LINES, "").trim() !== "";

/** The part of an earlier list that a new plan does not cover. A pin that has become an input must not be driven. */
function beyondPlan(earlier: readonly OffWrite[], plan: GuardPlan): OffWrite[] {
  const paths = [
    ...offWrites(plan).map(([, path]) => path),
    ...plan.inputs.map((each) => directionOf(each.number)),
  ];
  return earlier.filter(([, path]) => !paths.includes(path));
}

/** Switches off without a guard. Returns what could not be written; a file that is missing switches nothing. */
export function switchOffDirectly(writes: readonly OffWrite[]): Error[] {
  return writes.flatMap(([value, path]) => {
    try {
      writeFileSync(path, value, { flag: "r+" });
      return [];
    } catch (error) {
      return error instanceof Error && !isMissing(error) ? [error] : [];
    }
  });
}

/** Setting the direction with its level also helps a line that somebody has made an input. */
function offWrite(line: LinePlan): OffWrite[] {
  if (line.via === "led") return [["0", `${line.path}/brightness`]];
  if (line.via === "pigpio") return [];
  return [[line.activeLow ? "high" : "low", directionOf(line.number)]];
}

/** `number`: the kernel's own. */
const directionOf = (number: number): string => `/sys/class/gpio/gpio${number}/direction`;

/** In the state folder: how to switch every relay off without us, for a start that fails and the service manager's stop step. */
export const OFF_FILE = "relays.off";
/** It holds no secret, and the stop step may run as another user. */
const READABLE = 0o666;

/**
 * Switches off what the last run with this state folder may have left on. Only for the owner of the folder: it would end the
 * pulses of a running runtime. Returns what could not be switched off. Rejects with OFF_LIST_FAILED for an unreadable list.
 */
export async function switchOffAsLastTime(folder: string): Promise<Error[]> {
  const file = join(folder, OFF_FILE);
  const list = await readText(file);
  const failures = switchOffDirectly(readOffList(list));
  return isDamaged(list)
    ? [...failures, new Error(`${file} is damaged: relays may be missing in it`)]
    : failures;
}

/**
 * Carries out the old list and puts a plan's in its place, whole or not at all. What of the old one could not be switched off
 * and is not the plan's stays in it. Rejects with OFF_LIST_FAILED.
 */
export async function replaceOffList(folder: string, plan: GuardPlan): Promise<void> {
  const file = join(folder, OFF_FILE);
  const earlier = beyondPlan(readOffList(await readText(file)), plan);
  const left = earlier.filter((write) => switchOffDirectly([write]).length > 0);
  await writeList(file, formatOffList([...offWrites(plan), ...left]));
}

async function readText(file: string): Promise<string> {
  try {
    return (await readPlainBytes(file)).toString("utf8");
  } catch (cause) {
    if (isMissing(cause)) return "";
    throw failed(file, "read", cause);
  }
}

/** After a power cut there is the old list or the new one: never half of one, nor an empty one. */
async function writeList(file: string, list: string): Promise<void> {
  try {
    await replaceFile(file, list, READABLE);
  } catch (cause) {
    throw failed(file, "written", cause);
  }
}

function failed(file: string, what: "read" | "written", cause: unknown): DriverError {
  return new DriverError("OFF_LIST_FAILED", `${file} could not be ${what} (${messageOf(cause)})`, { cause });
}
