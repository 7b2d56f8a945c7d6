import type { RoomSensorFaults } from "./bench/bench-bus.js";
import type { WorldClock } from "./bench/bench-clock.js";
import type { BenchInterlock } from "./bench/bench-interlock.js";
import type { PlantTruth } from "./bench/bench-plant.js";
import type { Edge } from "./bench/bench-relay.js";
import type { BenchFaults, Tank } from "./bench/pot.js";
import type { Room } from "./bench/room.js";
import type { CameraWiring } from "./cameras/camera-command.js";
import type { ProbeWiring } from "./devices/adc-probe.js";
import type { Camera } from "./devices/camera.js";
import type { InterlockPanel } from "./devices/interlock/panel.js";
import type { Pump } from "./devices/pump.js";
import type { RoomSensor, RoomSensorWiring } from "./devices/room-sensor.js";
import type { Calibration, SoilProbe } from "./devices/soil-probe.js";
import type { DriverError } from "./errors.js";
import type { InputState, InputWiring } from "./inputs.js";
import type { Cancel, Clock, PulsedOutput } from "./ports.js";
import type { Counts, EpochMillis, Millis, MlPerSecond, Percent } from "./units.js";

/** How a relay is driven: by the kernel's LED class, by sysfs (`onoff`), by DMA (`pigpio`), or by what is found to be safest. */
type Via = "auto" | "led" | "sysfs" | "pigpio";

export interface OutputWiring {
  /** BCM number, as on every pinout. */
  readonly gpio: number;
  /** Whether the relay is on while the pin is low. */
  readonly activeLow: boolean;
  readonly via: Via;
  /** Name of the LED-class device that an overlay makes of the pin. */
  readonly led: string;
  /** The owner knows that nothing but a process ends this output, and wants it all the same. */
  readonly acceptSoftwareCutoff: boolean;
}

/** The pin that feeds a probe while it is read; several probes may share one. */
export interface ProbePowerWiring {
  /** BCM number. */
  readonly gpio: number;
  /** From switching on until the probe gives its level. */
  readonly settle: Millis;
}

interface Powered {
  /** Without it, the probe is fed all the time. */
  readonly power?: ProbePowerWiring;
}

export interface AdcProbeConfig extends ProbeWiring, Powered {
  /** `ads1115` without it. */
  readonly chip?: "ads1115" | "ads1015";
  /** 0x48 to 0x4b. */
  readonly address: number;
}

/** Adafruit's STEMMA soil sensor. */
export interface SeesawProbeConfig extends Powered {
  readonly chip: "seesaw";
  /** 0x36 to 0x39. */
  readonly address: number;
  readonly calibration: Calibration<Counts>;
}

export type ProbeConfig = AdcProbeConfig | SeesawProbeConfig;

export interface PlantHardwareConfig {
  readonly id: string;
  readonly species?: string;
  readonly probe: ProbeConfig;
  /** `output`: only simulated pumps have none. */
  readonly pump: { readonly flow: MlPerSecond; readonly output?: OutputWiring };
  /** Without it, a real plant has no light. */
  readonly light?: { readonly output: OutputWiring };
  /** Without it, a real plant has no camera. Plants may share one. */
  readonly camera?: CameraWiring;
}

/** The controller whose contacts are in series with the relays of all pumps and of the one light. */
export interface InterlockWiring {
  /** Serial port it is wired to; a bench simulates one all the same. */
  readonly port?: string | undefined;
}

export interface BoardConfig {
  /** `bench`: simulated hardware. `pi`: what is wired to a Raspberry Pi. */
  readonly kind: "bench" | "pi";
  readonly plants: readonly PlantHardwareConfig[];
  readonly inputs?: readonly InputWiring[];
  /** Sensors of the air, by room. */
  readonly climate?: readonly RoomSensorWiring[];
  /** Without it, nothing but the board itself ends what it switches on. */
  readonly interlock?: InterlockWiring;
  /** Number of the I²C bus on a Pi; 1, the one on the header, without it. */
  readonly i2cBus?: number;
}

export interface BoardOptions {
  /** Where the bench keeps its clock and plants; without it, they end with the process. */
  readonly stateFolder?: string;
  /** Whether anything was recorded in that folder before: then a bench without its state there has lost it. */
  readonly stateUsed?: boolean;
  /** Keeps them only when it is closed: for simulations that can be run again. */
  readonly relaxed?: boolean;
  /** Replaces the bench's own clock: simulated time, which `speed` and `start` do not touch. */
  readonly clock?: WorldClock;
  /** Bench seconds in a real second, above 0 and up to 60. */
  readonly speed: number;
  /** Of all noise. */
  readonly seed: number;
  /** What a new bench's wall clock shows at first; else the time it is. */
  readonly start?: EpochMillis;
  /** Hydration of a new bench's plants, 0 (wilting point) to 100 (field capacity, as freshly watered: without it). */
  readonly startHydration?: number;
  /** Ends this process as a power cut does. Only where something starts it again. */
  readonly cutPower?: () => void;
  /** Small, cheap pictures that show only how light it is: for simulations in which no model looks at them. */
  readonly coarsePictures?: boolean;
  /** A recording (CSV) that takes the place of all plants, and the zone of its local times: `UTC`, `+02:00`, `Europe/Berlin`. */
  readonly replay?: Replay;
}

export interface Replay {
  readonly file: string;
  readonly zone: string;
  /** Leaves out the times in which nothing was recorded: what comes after them is then dated earlier. */
  readonly skipGaps?: boolean;
}

/** What a plant has. Simulated plants have everything. */
export interface PlantHardware {
  readonly probe: SoilProbe;
  readonly pump?: Pump;
  readonly light?: PulsedOutput;
  readonly camera?: Camera;
}

/** A time in which a recording has nothing. */
export interface Gap {
  readonly from: EpochMillis;
  readonly until: EpochMillis;
}

/** What only simulated hardware can show, for tests and scenarios. Throws a RangeError for a plant that is not there. */
export interface Bench {
  /** Fetch it anew for every change: what was before is settled first. */
  faults(plant: string): BenchFaults;
  pumpEdges(plant: string): readonly Edge[];
  lightEdges(plant: string): readonly Edge[];
  /** The truth, which no tool shows to an agent. */
  moisture(plant: string): Percent;
  /** The truth in full. Of a recording, the water alone. */
  truth(plant: string): PlantTruth;
  /** Lets the bench's time pass as fast as ours, while a person is waited for; then at its own speed again. */
  keepRealTime(isReal: boolean): void;
  /** Bench seconds in a real second; undefined where the time is not the bench's own. */
  speed(): number | undefined;
  /** Rejects with BENCH_OPTION_INVALID for a speed out of range. Time that is not the bench's own stays as it is. */
  setSpeed(speed: number): Promise<void>;
  /** Where something starts the runtime again. */
  readonly cutPower?: () => void;
  /** The gap of the recording that the clock is in; undefined in none, and where nothing is replayed. */
  recordingGap(): Gap | undefined;
  /** What the plant's pump draws from. */
  tank(plant: string): Tank;
  /** Where all plants stand. */
  readonly room: Room;
  roomSensorFaults(place: string): RoomSensorFaults;
  /** Where the configuration has one. */
  readonly interlock?: BenchInterlock;
  /** Presses the button, wets the leak sensor, empties the tank, or undoes it. Throws a RangeError for an input that is not wired. */
  setInput(name: string, active: boolean): void;
}

export interface Board {
  readonly kind: BoardConfig["kind"];
  readonly clock: Clock;
  /** By id, in the order of the configuration. */
  readonly plants: ReadonlyMap<string, PlantHardware>;
  /** By room, in the order of the configuration. */
  readonly climate: ReadonlyMap<string, RoomSensor>;
  /** How each output is driven and what ends it, a sentence each, for the log. */
  readonly explanation: readonly string[];
  /** All inputs as last seen, debounced. An active one keeps its outputs off, without anybody's help. */
  inputs(): readonly InputState[];
  /** Calls `listener` after each change of an input. */
  watchInputs(listener: (input: InputState) => void): Cancel;
  /** Calls `listener` with what went wrong beside any call: a guard that died, a line that cannot be switched. */
  watchTroubles(listener: (trouble: DriverError) => void): Cancel;
  /** What is behind it goes on only while it is well. */
  readonly interlock?: InterlockPanel | undefined;
  /** Whether the process that ends the pulses runs and takes orders. */
  isGuarded(): boolean;
  /** All pumps and lights off, at once; one that fails keeps no other from going off. */
  allOff(): Promise<void>;
  /** Everything off, then the state is kept. */
  close(): Promise<void>;
  /** Resolves when the bench's clock has passed the end of a replay. */
  readonly replayEnded?: Promise<void>;
  /** Only simulated hardware has it. */
  readonly bench?: Bench;
}

/** Simulated hardware: every plant has everything, and its truth can be seen. */
export interface SimulatedBoard extends Board {
  readonly plants: ReadonlyMap<string, Required<PlantHardware>>;
  readonly bench: Bench;
}
