import { writeFileSync } from "node:fs";
import { isMissing } from "../system-error.js";
import type { GuardPlan, LinePlan } from "./plan.js";

/** A value that switches a relay off, and the file of the kernel's to write it to. */
export type OffWrite = readonly [value: string, path: string];

/** How to switch every relay off without a guard. A pigpio line has no file: its DMA ends the pulse. */
export const offWrites = ({ outputs }: GuardPlan): OffWrite[] =>
  outputs.flatMap(({ line }) => offWrite(line));

/** One "VALUE PATH" a line: what systemd/relays-off reads. */
export const offList = (plan: GuardPlan): string => formatOffList(offWrites(plan));

export const formatOffList = (writes: readonly OffWrite[]): string =>
  writes.map(([value, path]) => `${value} ${path}\n`).join("");

const LINES = /^(\S+) (.+)$/gm;

/** Reads such a list. */
export const readOffList = (list: string): OffWrite[] =>
  [...list.matchAll(LINES)].map(([, value = "", path = ""]) => [value, path]);

/** Whether such a list holds anything that is no line of one, as a file does that the disk has spoiled. */
export const isDamaged = (list: string): boolean => list.replaceAll(LINES, "").trim() !== "";

/** Of an earlier list, what a new plan says nothing about. A pin that is an input by now must not be driven. */
export function beyondPlan(earlier: readonly OffWrite[], plan: GuardPlan): OffWrite[] {
  const paths = [
    ...offWrites(plan).map(([, path]) => path),
    ...plan.inputs.map((each) => directionOf(each.number)),
  ];
  return earlier.filter(([, path]) => !paths.includes(path));
}

/** Off by our own hand, when there is no guard. Returns what could not be written; a file that is not there switches nothing. */
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
