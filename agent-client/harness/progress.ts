import type { Log } from "../../runtime/log.js";
import type { Clock } from "../clock.js";
import type { Output } from "../cycle/log.js";
import { type Millis, seconds } from "../units.js";
import type { HourReport } from "./simulation.js";

/** Real time between two lines: on a terminal, which shows the last one alone, and elsewhere. */
const EVERY = { terminal: 100 as Millis, elsewhere: seconds(10) };
/** Erases the line and returns to its start (ECMA-48: EL, CR). */
const ERASE = "\u001b[2K\r";

const NEVER: Millis = Number.NEGATIVE_INFINITY;
type Kind = "hour" | "waiting";

/** Says how far a simulation has come. */
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

  /** Whom the simulation waits for. */
  waiting(text: string): void {
    this.passing("waiting", text);
  }

  /** A line until the next. One that follows another of its kind at once is left out. */
  private passing(kind: Kind, text: string): void {
    const { terminal, elsewhere } = EVERY;
    const now = this.clock.monotonic();
    if (now - this.lastAt[kind] < (this.output.isTTY ? terminal : elsewhere)) return;
    this.lastAt[kind] = now;
    this.output.write(this.output.isTTY ? `${ERASE}${text.slice(0, 79)}` : `${text}\n`);
  }

  /** A line that stays. */
  line(text: string): void {
    this.output.write(`${this.output.isTTY ? ERASE : ""}${text}\n`);
  }

  done(): void {
    if (this.output.isTTY && Object.values(this.lastAt).some((at) => at > NEVER)) this.output.write(ERASE);
  }
}

/** What the runtime logs as an error is said at once: a simulation that goes on after it may mean nothing. */
export const printErrors: Log = (level, message) => {
  if (level === "error") process.stderr.write(`the runtime: ${message}\n`);
};
