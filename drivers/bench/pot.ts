import type { Clock } from "../ports.js";
import {
  type EpochMillis,
  hours,
  type Millilitres,
  type Millis,
  type MlPerSecond,
  millilitres,
  minutes,
  type Percent,
  plus,
  seconds,
  type Volts,
  volts,
} from "../units.js";
import { BenchPulse } from "./bench-relay.js";
import type { BenchFaults } from "./faults.js";
import type { BenchPlant, PlantSnapshot } from "./plant.js";
import type { Scene } from "./plant-picture.js";
import { gaussian } from "./random.js";

/** The hardware's own cuts: the longest pulse that the relays' timers accept (CONTRACT.md, "Water" and "Light"). */
const PUMP_CEILING = seconds(26);
const LIGHT_CEILING = minutes(120);
/** Plants live in steps of this length, on a grid: what happens to them does not depend on who looks when. */
const STEP = seconds(1);
/** Daylight on the bench, UTC. */
const DAY = { from: hours(6), to: hours(20) };
/** An input with nothing on it floats below the 0.7 V of the ADC's sampling capacitors [SBAS444D 9.3.2] and picks up hum. */
const FLOATING = { level: volts(0.6), hum: volts(0.05) };

export interface PotParts {
  readonly id: string;
  readonly plant: BenchPlant;
  readonly flow: MlPerSecond;
  readonly seed: number;
  readonly species?: string;
  /** When the plant was last known as it is handed over; it has lived on since. */
  readonly since?: EpochMillis;
  /** Called after every edge of a relay. */
  readonly onEdge: () => void;
}

/** One plant with what is wired to it. */
export class Pot {
  readonly pump: BenchPulse;
  readonly light: BenchPulse;
  private readonly trouble: BenchFaults = {};
  private livedUntil: Millis;
  private lastMeasured: Volts | undefined;

  constructor(
    private readonly parts: PotParts,
    private readonly clock: Clock,
  ) {
    const { id, since = clock.now() } = parts;
    const onEdge = () => {
      this.catchUp();
      parts.onEdge();
    };
    const losesTrack = () => this.trouble.pump === "unknown outcome";
    this.pump = new BenchPulse(
      { name: `the pump of ${id}`, ceiling: PUMP_CEILING, losesTrack, onEdge },
      clock,
    );
    this.light = new BenchPulse({ name: `the light of ${id}`, ceiling: LIGHT_CEILING, onEdge }, clock);
    this.livedUntil = plus(clock.monotonic(), Math.min(0, since - clock.now()));
  }

  /** To be set through this, each time: what was before is settled first. */
  get faults(): BenchFaults {
    this.catchUp();
    return this.trouble;
  }

  /** Voltage at the ADC's input. */
  voltage(at: EpochMillis): Volts {
    const { probe } = this.faults;
    const measured = probe === "unplugged" ? undefined : this.parts.plant.probe(at);
    if (measured === undefined) return volts(FLOATING.level + FLOATING.hum * gaussian(this.parts.seed, at));
    this.lastMeasured = probe === "stuck" ? (this.lastMeasured ?? measured) : measured;
    return this.lastMeasured;
  }

  /** The truth. */
  moisture(): Percent {
    this.catchUp();
    return this.parts.plant.moisture(this.clock.now());
  }

  /** The plant and the instant of which it is a picture. */
  snapshot(): { readonly at: EpochMillis; readonly plant: PlantSnapshot } | undefined {
    this.catchUp();
    const plant = this.parts.plant.snapshot();
    return plant && { at: this.wallAt(this.livedUntil), plant };
  }

  /** What the camera sees; undefined where it is dead. */
  scene(): Scene | undefined {
    if (this.faults.camera === "dead") return undefined;
    const { species, seed } = this.parts;
    const light = { day: isDay(this.clock.now()), lit: this.light.isOn() };
    return { moisture: this.moisture(), ...light, seed, ...(species !== undefined && { species }) };
  }

  private catchUp(): void {
    const now = this.clock.monotonic();
    for (let to = plus(this.livedUntil, STEP); to <= now; to = plus(to, STEP)) {
      const exposure = { water: this.waterUntil(to), lit: this.light.onTime(this.livedUntil, to) > 0 };
      this.parts.plant.step(STEP, { ...exposure, day: isDay(this.wallAt(to)) });
      this.livedUntil = to;
    }
  }

  private waterUntil(to: Millis): Millilitres {
    if (this.trouble.pump === "tube off") return millilitres(0);
    return millilitres((this.pump.onTime(this.livedUntil, to) / 1000) * this.parts.flow);
  }

  private wallAt(instant: Millis): EpochMillis {
    return Math.round(this.clock.now() - this.clock.monotonic() + instant) as EpochMillis;
  }
}

const isDay = (at: EpochMillis): boolean => at % hours(24) >= DAY.from && at % hours(24) < DAY.to;
