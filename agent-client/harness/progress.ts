import type { Clock } from "../clock.js";
import type { Output } from "../log.js";
import { type Millis, seconds } from "../units.js";
import type { HourReport } from "./simulation-options.js";

/** Real time between two lines: on a terminal, which shows the last one alone, and elsewhere. */
const EVERY = { terminal: 100 as Millis, elsewhere: seconds(10) };
/** Erases the line and returns to its start (ECMA-48: EL, CR). */
const ERASE = "\u001b[2K\r";

/** Says how far a simulation has come. */
export class Progress {
  private lastAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly output: Output,
    private readonly clock: Clock,
  ) {}

  hour(days: number, title: string, { hour, plants }: HourReport): void {
    const { terminal, elsewhere } = EVERY;
    const now = this.clock.monotonic();
    if (now - this.lastAt < (this.output.isTTY ? terminal : elsewhere)) return;
    this.lastAt = now;
    const each = plants.map(({ id, hydration, vigour }) => {
      return `${id} hydration ${Math.round(hydration)} vigour ${Math.round(vigour)}`;
    });
    const line = `${title}: day ${Math.floor(hour / 24)} of ${days}   ${each.join("   ")}`;
    this.output.write(this.output.isTTY ? `${ERASE}${line.slice(0, 110)}` : `${line}\n`);
  }

  done(): void {
    if (this.output.isTTY && this.lastAt > Number.NEGATIVE_INFINITY) this.output.write(ERASE);
  }
}
