import type { CycleLog } from "../cycle/cycle.js";
import type { Log, Style } from "../cycle/log.js";
import type { RunLog } from "./run-log.js";

/** Told of a run as it goes. */
export interface StoryTeller {
  cycle(number: number, plant: string | undefined): CycleLog;
  line(label: string, text: string, style: Style): void;
}

/** The person at the console, and the run's own log. */
export const tellBoth = (console: Log, runLog: RunLog): StoryTeller => ({
  cycle: (number, plant) => both(console.cycle(number, plant), runLog.cycle(number, plant)),
  line(label, text, style) {
    console.line(label, text, style);
    runLog.line(label, text);
  },
});

const both = (one: CycleLog, other: CycleLog): CycleLog => ({
  began: (...told) => each(one, other, (log) => log.began(...told)),
  replied: (...told) => each(one, other, (log) => log.replied(...told)),
  progress: (...told) => each(one, other, (log) => log.progress(...told)),
  waits: (...told) => each(one, other, (log) => log.waits(...told)),
  answered: (...told) => each(one, other, (log) => log.answered(...told)),
  ended: (...told) => each(one, other, (log) => log.ended(...told)),
});

function each(one: CycleLog, other: CycleLog, tell: (log: CycleLog) => void): void {
  for (const log of [one, other]) tell(log);
}
