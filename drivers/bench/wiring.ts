import type { AdcProbeConfig, ProbeConfig, SeesawProbeConfig } from "../board.js";
import type { RoomChipName, RoomSensorWiring } from "../devices/room-sensor.js";
import type { Calibration } from "../devices/soil-probe.js";
import type { OutputPin } from "../ports.js";
import type { RoomQuantityName } from "../room-quantities.js";
import { counts, type Volts, volts } from "../units.js";
import { Ads1115Model } from "./ads1115-model.js";
import { BenchBus, type BenchChip, type RoomSensorFaults } from "./bench-bus.js";
import type { WorldClock } from "./bench-clock.js";
import { Bh1750Model } from "./bh1750-model.js";
import { Bme280Model } from "./bme280-model.js";
import type { Pot } from "./pot.js";
import type { Room } from "./room.js";
import { SeesawModel } from "./seesaw-model.js";

/** A probe of the configuration, and the pot it stands in. */
interface Wire<P extends ProbeConfig = ProbeConfig> {
  readonly probe: P;
  readonly pot: Pick<Pot, "voltage" | "output" | "faults">;
}

type ChipTime = Pick<WorldClock, "world" | "monotonic">;

/** What the bus and the pins lead to. */
export interface WiredProbes {
  readonly bus: BenchBus;
  /** A pin that feeds the probes of the configuration that name it. */
  readonly openPowerPin: (gpio: number) => Promise<OutputPin>;
}

/** A pin that nothing is wired to is tied to ground; the output of an unpowered probe has long gone there. */
const GROUND = volts(0);
/** What plants on the bench put out is volts. A seesaw's plant gives those of a usual analogue probe (README's), to be turned into counts. */
const ANALOGUE: Calibration<Volts> = { dry: volts(2.75), wet: volts(1.2) };

/** The span of the voltage that the bench's plant puts out. */
export const voltageSpan = (probe: ProbeConfig): Calibration<Volts> =>
  probe.chip === "seesaw" ? ANALOGUE : probe.calibration;

/** A bus with a chip at every address that a probe of the configuration is at, with `others` by address, and the pins that feed the probes. */
export function wireProbes(
  probes: readonly Wire[],
  time: ChipTime,
  others: ReadonlyMap<number, BenchChip> = new Map(),
): WiredProbes {
  const on = new Set<number>();
  const wires = probes.map((wire) => fedBy(on, wire));
  const chips = new Map(others);
  for (const wire of wires) {
    const { address } = wire.probe;
    chips.set(address, isSeesaw(wire) ? seesaw(wire, time) : adcAt(address, wires.filter(isAdc), time));
  }
  return { bus: new BenchBus(chips), openPowerPin: async (gpio) => pinAmong(on, gpio) };
}

function pinAmong(on: Set<number>, gpio: number): OutputPin {
  const set = async (state: boolean) => void (state ? on.add(gpio) : on.delete(gpio));
  return { set, close: () => set(false) };
}

/** The wire with nothing on it while the probe's pin is off. */
function fedBy<P extends ProbeConfig>(on: ReadonlySet<number>, { probe, pot }: Wire<P>): Wire<P> {
  const { power } = probe;
  if (!power) return { probe, pot };
  const fed = () => on.has(power.gpio);
  return {
    probe,
    pot: {
      voltage: (at) => (fed() ? pot.voltage(at) : GROUND),
      output: (at) => (fed() ? pot.output(at) : undefined),
      get faults() {
        return pot.faults;
      },
    },
  };
}

const isSeesaw = (wire: Wire): wire is Wire<SeesawProbeConfig> => wire.probe.chip === "seesaw";
const isAdc = (wire: Wire): wire is Wire<AdcProbeConfig> => !isSeesaw(wire);

function adcAt(address: number, all: readonly Wire<AdcProbeConfig>[], time: ChipTime): Ads1115Model {
  const wires = all.filter(({ probe }) => probe.address === address);
  const pins = new Map(wires.map(({ probe, pot }) => [probe.channel, pot]));
  const model = wires[0]?.probe.chip ?? "ads1115";
  const frozen = () => wires.some(({ pot }) => pot.faults.probe === "frozen");
  return new Ads1115Model((pin) => pins.get(pin)?.voltage(time.world()) ?? GROUND, time, { model, frozen });
}

function seesaw({ probe, pot }: Wire<SeesawProbeConfig>, time: ChipTime): SeesawModel {
  const touch = () => {
    const output = pot.output(time.world());
    return output === undefined ? undefined : countOf(output, probe.calibration);
  };
  return new SeesawModel({ touch, frozen: () => pot.faults.probe === "frozen" }, time);
}

/** The count of a sensor in the same soil; no pad has less than nothing. */
function countOf(output: Volts, { dry, wet }: SeesawProbeConfig["calibration"]) {
  const wetness = (output - ANALOGUE.dry) / (ANALOGUE.wet - ANALOGUE.dry);
  return counts(Math.max(0, Math.round(dry + (wet - dry) * wetness)));
}

/** The sensors of rooms on a bench: all are in the one room that it has. */
export interface WiredRoomSensors {
  /** By address. */
  readonly chips: ReadonlyMap<number, BenchChip>;
  /** By place. */
  readonly faults: ReadonlyMap<string, RoomSensorFaults>;
}

export function wireRoomSensors(
  wirings: readonly RoomSensorWiring[],
  room: Room,
  time: ChipTime,
): WiredRoomSensors {
  const faults = new Map(wirings.map(({ place }) => [place, {} as RoomSensorFaults]));
  const values = () => valuesOf(room, time);
  const chips = wirings.map(
    ({ place, chip, address }) =>
      [address, new MODELS[chip]({ values, faults: faults.get(place) ?? {} }, time)] as const,
  );
  return { chips: new Map(chips), faults };
}

type Values = Readonly<Record<RoomQuantityName, number>>;

interface ModelParts {
  readonly values: () => Values;
  readonly faults: RoomSensorFaults;
}

/** A further chip's model is a line here. */
const MODELS: Readonly<Record<RoomChipName, new (parts: ModelParts, time: ChipTime) => BenchChip>> = {
  bme280: Bme280Model,
  bh1750: Bh1750Model,
};

/** Of daylight, lx in a µmol/(m² s) (Thimijan and Heins 1983, HortScience 18:818–822). */
const LUX_PER_PPFD = 54;

/** What the room's sensors should measure now: a value for each quantity. */
function valuesOf(room: Room, time: ChipTime): Values {
  const { temperature, humidity, daylight } = room.at(time.world());
  const pressure = room.pressureAt(time.world());
  return { temperature, humidity, pressure, brightness: daylight * LUX_PER_PPFD };
}
