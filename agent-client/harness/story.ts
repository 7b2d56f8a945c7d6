import { isoUtc } from "../../runtime/tools/iso-time.js";
import { HouseTime } from "../../runtime/wire/house-time.js";
import { unmarked } from "../../runtime/wire/unmarked.js";
import { type CycleStory, Log } from "../cycle/log.js";
import { hours } from "../units.js";
import type { SimulationStory } from "./recorder.js";

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
