import type { Log } from "../../runtime/log.js";
import type { Clock } from "../clock.js";
import { ERASE, type Output } from "../cycle/log.js";
import { type Millis, seconds } from "../units.js";
import type { HourReport } from "./simulation.js";

/** Real time between two lines. A terminal shows only the last one. */
const EVERY = { terminal: 100 as Millis, elsewhere: seconds(10) };
const NEVER: Millis = Number.NEGATIVE_INFINITY;
type Kind = "hour" | "waiting";

export class Progress {
  private readonly lastAt: Record<Kind, Millis> = { hour: NEVER, waiting: NEVER };

  constructor(
    private readonly output: Output,
    private readonly clock: Clock,
  ) {}

  hour(days: number, title: string, { hour, plants }: HourReport): void {
    const each = plants.map(({ id, hydration, vigour }) => {
      return `${id} hydration ${Math.round(hydration)} vigour ${Math.round(vigour)}`;
    });
    this.passing("hour", `${title}: day ${Math.floor(hour / 24)} of ${days}   ${each.join("   ")}`);
  }

  waiting(text: string): void {
    this.passing("waiting", text);
  }

  /** A line that the next one replaces. One that comes too soon after another of its kind is left out. */
  private passing(kind: Kind, text: string): void {
    const { terminal, elsewhere } = EVERY;
    const now = this.clock.monotonic();
    if (now - this.lastAt[kind] < (this.output.isTTY ? terminal : elsewhere)) return;
    this.lastAt[kind] = now;
    this.output.write(this.output.isTTY ? `${ERASE}${text.slice(0, 79)}` : `${text}\n`);
  }

  line(text: string): void {
    this.output.write(`${this.output.isTTY ? ERASE : ""}${text}\n`);
  }

  done(): void {
    if (this.output.isTTY && Object.values(this.lastAt).some((at) => at > NEVER)) this.output.write(ERASE);
  }
}

/** Prints errors of the runtime at once: after one, the rest of the simulation may mean nothing. */
export const printErrors: Log = (level, message) => {
  if (level === "error") process.stderr.write(`the runtime: ${message}\n`);
};
