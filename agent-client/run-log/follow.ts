import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Clock } from "../clock.js";
import { type Millis, seconds } from "../units.js";
import type { RunLine } from "./lines.js";
import { parseLines } from "./read-run.js";

/** A choice: often enough to watch, seldom enough to cost nothing. */
const LOOK_AGAIN: Millis = seconds(0.5);

/** The lines of a run, and those that are yet to come. `files` names the run's files that are there by now. Ends by the signal. */
export async function* follow(
  files: () => readonly string[],
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<RunLine> {
  const tails = new Map<string, Tail>();
  for (;;) {
    for (const path of files()) {
      const tail = tails.get(path) ?? new Tail(path);
      tails.set(path, tail);
      yield* tail.lines();
    }
    await clock.sleep(LOOK_AGAIN, signal);
  }
}

/** What has been added to a file since the last look, in whole lines. */
class Tail {
  private at = 0;

  constructor(private readonly path: string) {}

  lines(): readonly RunLine[] {
    const added = this.read();
    const whole = added.subarray(0, added.lastIndexOf(0x0a) + 1);
    this.at += whole.length;
    return parseLines(whole.toString("utf8")).lines;
  }

  private read(): Buffer {
    const fd = openSync(this.path, "r");
    try {
      const data = Buffer.alloc(Math.max(0, fstatSync(fd).size - this.at));
      return data.subarray(0, readSync(fd, data, 0, data.length, this.at));
    } finally {
      closeSync(fd);
    }
  }
}
