import { LONGEST_PULSE } from "../devices/pump.js";
import type { Calibration } from "../devices/soil-probe.js";
import type { Load } from "../inputs.js";
import {
  type EpochMillis,
  type Millilitres,
  type Millis,
  type MlPerSecond,
  millilitres,
  millis,
  minutes,
  type Percent,
  plus,
  type Volts,
  volts,
} from "../units.js";
import type { Scene } from "./bench-camera.js";
import type { WorldClock } from "./bench-clock.js";
import type { BenchInterlock } from "./bench-interlock.js";
import type { BenchPlant, PlantSnapshot, PlantTruth } from "./bench-plant.js";
import { BenchPulse, earliest } from "./bench-relay.js";
import { gaussian } from "./math.js";
import type { Room } from "./room.js";
import { probeNoise } from "./virtual-plant.js";

/** Plants live from minute to minute and from edge to edge: the result does not depend on when somebody looks. */
const STEP = minutes(1);
const LOADS = ["pump", "light"] as const satisfies readonly Load[];
/** An input with nothing on it floats below the 0.7 V of the ADC's sampling capacitors [SBAS444D 9.3.2] and picks up hum. */
const FLOATING = { level: volts(0.6), hum: volts(0.05) };

export interface PotParts {
  readonly id: string;
  readonly plant: BenchPlant;
  readonly flow: MlPerSecond;
  readonly calibration: Calibration<Volts>;
  readonly seed: number;
  readonly room: Room;
  /** The active input that keeps a plant's pump or light off, by name. */
  readonly inhibitor?: (plant: string, load: Load) => string | undefined;
  /** When the plant was last known as it is handed over; it has lived on since. */
  readonly since?: EpochMillis;
  /** In series with both relays. */
  readonly interlock?: Pick<BenchInterlock, "catchUp" | "onTime" | "edgeAfter" | "isClosed">;
  /** Called after every edge of a relay. */
  readonly onEdge: () => void;
}

/** One plant with what is wired to it. */
export class Pot {
  readonly pump: BenchPulse;
  readonly light: BenchPulse;
  private readonly trouble: BenchFaults = {};
  private readonly tank = new Tank();
  /** True time at monotonic 0, whole milliseconds: the minutes of the grid are then exact. */
  private readonly booted: EpochMillis;
  private livedUntil: Millis;
  private lastMeasured: Volts | undefined;

  constructor(
    private readonly parts: PotParts,
    private readonly clock: WorldClock,
  ) {
    const { id, since = clock.world() } = parts;
    const onEdge = () => {
      this.catchUp();
      parts.onEdge();
    };
    const relayOf = (load: Load, losesTrack?: () => boolean) => {
      const inhibitor = () => parts.inhibitor?.(id, load);
      const relay = { name: `the ${load} of ${id}`, ceiling: LONGEST_PULSE[load], inhibitor, onEdge };
      return new BenchPulse({ ...relay, ...(losesTrack && { losesTrack }) }, clock);
    };
    this.pump = relayOf("pump", () => this.trouble.pump === "unknown outcome");
    this.light = relayOf("light");
    this.booted = Math.round(clock.world() - clock.monotonic()) as EpochMillis;
    this.livedUntil = millis(Math.min(since - this.booted, clock.monotonic()));
  }

  /** What an active input forbids goes off at once. */
  obeyInputs(): void {
    this.pump.obeyInputs();
    this.light.obeyInputs();
  }

  /** To be set through this, each time: what was before is settled first, to the minute. */
  get faults(): BenchFaults {
    this.catchUp();
    return this.trouble;
  }

  /** Voltage at the ADC's input. `at` tells measurements taken at once apart by their noise. */
  voltage(at: EpochMillis): Volts {
    return this.output(at) ?? volts(FLOATING.level + FLOATING.hum * gaussian(this.parts.seed, at));
  }

  /** What the probe puts out; undefined where none is plugged in. */
  output(at: EpochMillis): Volts | undefined {
    const { probe, probeOffset = volts(0) } = this.faults;
    const output = probe === "unplugged" ? undefined : this.surrounded(at);
    if (output === undefined) return undefined;
    const measured = plus(probe === "reversed" ? this.mirrored(output) : output, probeOffset);
    this.lastMeasured = probe === "stuck" ? (this.lastMeasured ?? measured) : measured;
    return this.lastMeasured;
  }

  /** The truth. */
  moisture(): Percent {
    this.catchUp();
    return this.parts.plant.moisture(this.clock.world());
  }

  truth(): PlantTruth {
    this.catchUp();
    return this.parts.plant.truth(this.clock.world());
  }

  /** Water left for the pump, settled; endless until it is set. */
  get water(): Tank {
    this.catchUp();
    return this.tank;
  }

  /** The plant and the instant of which it is a picture. */
  snapshot(): { readonly at: EpochMillis; readonly plant: PlantSnapshot } | undefined {
    this.catchUp();
    const plant = this.parts.plant.snapshot();
    return plant && { at: Math.round(this.livedUntil + this.booted) as EpochMillis, plant };
  }

  /** What the camera sees; undefined where it is dead. */
  scene(): Scene | undefined {
    const { camera, lamp } = this.faults;
    if (camera === "dead") return undefined;
    const { plant, room, seed } = this.parts;
    const now = this.clock.world();
    const lit = this.isLive("light") && lamp !== "dead";
    return { ...plant.look(now), daylight: room.at(now).daylight, lit, covered: camera === "black", seed };
  }

  /** Works out every edge of its relays up to now; one that has passed calls back in here. */
  settle(): void {
    for (const relay of [this.pump, this.light]) relay.isOn();
  }

  /** Whether the relay was closed; as far as was settled. */
  conducted(load: Load, at: Millis): boolean {
    return this.isWelded(load) || this[load].known.levelAt(at) === 1;
  }

  /** The first edge of a relay after an instant; as far as was settled. */
  relayEdgeAfter(instant: Millis): Millis | undefined {
    return earliest([this.pump.known.edgeAfter(instant), this.light.known.edgeAfter(instant)]);
  }

  private catchUp(): void {
    const now = this.clock.monotonic();
    this.settle(); // now, not on the way
    this.parts.interlock?.catchUp();
    for (let to = this.nextBoundary(); to <= now; to = this.nextBoundary()) {
      this.live(to);
      this.livedUntil = to;
    }
  }

  /** Asked for at each look, so it makes no lists. */
  private nextBoundary(): Millis {
    const from = this.livedUntil;
    let next = (Math.floor((from + this.booted) / STEP) + 1) * STEP - this.booted;
    for (const load of LOADS) {
      const own = this[load].known.edgeAfter(from) ?? next;
      next = Math.min(next, own, this.parts.interlock?.edgeAfter(load, from) ?? next);
    }
    return millis(next);
  }

  private live(to: Millis): void {
    const from = this.livedUntil;
    const lamp = this.trouble.lamp !== "dead" && this.liveTime("light", from, to) > 0;
    const water = this.pumped(this.liveTime("pump", from, to));
    const air = this.parts.room.at((to + this.booted) as EpochMillis);
    this.parts.plant.step(millis(to - from), { water, lamp, air });
  }

  /** Within a stretch without edges a contact is open or closed: both are, for the shorter of their times. */
  private liveTime(load: Load, from: Millis, to: Millis): Millis {
    const relay = this.isWelded(load) ? millis(to - from) : this[load].known.onTime(from, to);
    return millis(Math.min(relay, this.parts.interlock?.onTime(load, from, to) ?? relay));
  }

  private isLive(load: Load): boolean {
    this.catchUp();
    const now = this.clock.monotonic();
    return this.conducted(load, now) && (this.parts.interlock?.isClosed(load) ?? true);
  }

  private isWelded(load: Load): boolean {
    return load === "pump" && this.trouble.pump === "relay welded";
  }

  /** What reaches the soil of what the pump moves. */
  private pumped(onTime: Millis): Millilitres {
    if (onTime === 0 || this.trouble.pump === "clogged") return millilitres(0);
    const drawn = this.tank.draw(millilitres((onTime / 1000) * this.parts.flow));
    return this.trouble.pump === "tube off" ? millilitres(0) : drawn;
  }

  /** In air and in water a probe gives the ends of its calibration. */
  private surrounded(at: EpochMillis): Volts | undefined {
    const { dry, wet } = this.parts.calibration;
    const { probeIn } = this.trouble;
    if (probeIn === undefined) return this.parts.plant.probe(at);
    return plus(probeIn === "air" ? dry : wet, probeNoise(this.parts.seed, at));
  }

  private mirrored(output: Volts): Volts {
    const { dry, wet } = this.parts.calibration;
    return volts(dry + wet - output);
  }
}

/** What can go wrong with one plant's simulated hardware. Nothing set, nothing wrong. */
export interface BenchFaults {
  /**
   * `unplugged`: the ADC's input floats, or the seesaw is gone from the bus; `stuck`: the voltage stays as it was last
   * measured; `reversed`: wetter reads as drier; `frozen`: the chip answers and measures no more, for all that it has.
   */
  probe?: "unplugged" | "stuck" | "reversed" | "frozen";
  /** Where somebody has put the probe; without it, it is in its pot. */
  probeIn?: "air" | "water";
  /** Added to the probe's output: the drift of an aging probe, as far as it has come. */
  probeOffset?: Volts;
  /**
   * `tube off`: what is pumped flows elsewhere; `clogged`: the pump runs and moves nothing; `unknown outcome`: pulses end
   * in time, but the hardware lost track of them; `relay welded`: the Pi's relay does not open any more, nor needs to close.
   */
  pump?: "tube off" | "clogged" | "unknown outcome" | "relay welded";
  /** `dead`: its relay switches, but no light comes. */
  lamp?: "dead";
  /** `dead`: no picture comes; `black`: its lens is covered. */
  camera?: "dead" | "black";
}

/** What a pump draws from. */
export class Tank {
  /** Undefined: it never runs dry. */
  left: Millilitres | undefined;
  private moved = 0;

  /** All that ever left it. */
  get drawn(): Millilitres {
    return millilitres(this.moved);
  }

  /** Gives what is asked for, or what is left. */
  draw(asked: Millilitres): Millilitres {
    const given = Math.min(asked, this.left ?? asked);
    if (this.left !== undefined) this.left = millilitres(this.left - given);
    this.moved += given;
    return millilitres(given);
  }
}
