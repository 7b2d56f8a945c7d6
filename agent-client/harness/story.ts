import type { Log as RuntimeLog } from "../../runtime/log.js";
import { isoUtc } from "../../runtime/tools/iso-time.js";
import { HouseTime } from "../../runtime/wire/house-time.js";
import { unmarked } from "../../runtime/wire/phrases.js";
import { type Clock, hours, type Millis, seconds } from "../clock.js";
import { type CycleStory, ERASE, Log, type Output } from "../cycle/log.js";
import type { SimulationStory } from "./recorder.js";
import type { HourReport } from "./simulation.js";

const UTC = new HouseTime();
const DAY = hours(24);

/** A simulation as plain text: the agent's cycles, the scenario's events, and messages. */
export class WrittenStory implements SimulationStory {
  private readonly written: string[] = [];
  private readonly log = new Log({ write: (text) => this.write(text) }, {});
  /** Heading of the current day; written with its first line, so an empty day has none. */
  private heading = "";
  private day = "";

  /** `start`: the wall clock of the first hour. */
  constructor(private readonly start: number) {
    this.passHour(0);
  }

  get text(): string {
    return this.written.join("");
  }

  /** Hours since the start. Dates are by the house's clock, as the times of the cycles. */
  passHour(hour: number): void {
    const now = this.start + hours(hour);
    const day = UTC.day(isoUtc(now));
    if (day === this.day) return;
    this.day = day;
    const number = Math.floor(now / DAY) - Math.floor(this.start / DAY) + 1;
    this.heading = `${this.written.length === 0 ? "" : "\n"}── day ${number}, ${day} ──\n`;
  }

  cycle(number: number, plant: string | undefined): CycleStory {
    return this.log.cycle(number, plant);
  }

  happened(at: string, who: string, text: string): void {
    this.log.line(who, `${UTC.clock(at)} ${unmarked(text)}`, "yellow");
  }

  complained(text: string): void {
    this.log.text(text);
  }

  private write(text: unknown): void {
    this.written.push(this.heading, String(text));
    this.heading = "";
  }
}

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
export const printErrors: RuntimeLog = (level, message) => {
  if (level === "error") process.stderr.write(`the runtime: ${message}\n`);
};
