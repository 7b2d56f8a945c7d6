import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../durable-file.js";
import { DriverError } from "../errors.js";
import { isMissing } from "../system-error.js";
import {
  beyondPlan,
  formatOffList,
  isDamaged,
  offWrites,
  readOffList,
  switchOffDirectly,
} from "./off-list.js";
import type { GuardPlan } from "./plan.js";

/** In the state folder: how to switch every relay off without us, for a start that fails and the service manager's stop step. */
export const OFF_FILE = "relays.off";
/** It holds no secret, and whoever stops us may be another user. */
const READABLE = 0o666;

/**
 * Switches off what the last run with this state folder may have left on. Only for who owns the folder: it would end a running
 * runtime's pulses. Returns what could not be switched off. Rejects with OFF_LIST_FAILED where the list cannot be read.
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
    return await readFile(file, "utf8");
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
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DriverError("OFF_LIST_FAILED", `${file} could not be ${what} (${reason})`, { cause });
}
