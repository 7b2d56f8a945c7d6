import type { PlantTruth } from "./bench/bench-plant.js";
import type { Edge } from "./bench/bench-relay.js";
import type { BenchFaults } from "./bench/faults.js";
import type { Room } from "./bench/room.js";
import type { Tank } from "./bench/tank.js";
import type { WorldClock } from "./bench/world-clock.js";
import type { Camera } from "./devices/camera.js";
import type { GrowLight } from "./devices/grow-light.js";
import type { MoistureProbe, ProbeWiring } from "./devices/moisture-probe.js";
import type { Pump } from "./devices/pump.js";
import type { Clock } from "./ports.js";
import type { EpochMillis, MlPerSecond, Percent } from "./units.js";

export interface PlantHardwareConfig {
  readonly id: string;
  readonly species?: string;
  /** `address`: 0x48 to 0x4b. */
  readonly probe: ProbeWiring & { readonly address: number };
  readonly pump: { readonly flow: MlPerSecond };
}

export interface BoardConfig {
  /** `bench`: simulated hardware. `pi`: comes with its drivers. */
  readonly kind: "bench" | "pi";
  readonly plants: readonly PlantHardwareConfig[];
}

export interface BoardOptions {
  /** Where the bench keeps its clock and plants; without it, they end with the process. */
  readonly stateFolder?: string;
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
  /** Small pictures that show nothing but how light it is, and cost nothing: for simulations in which nobody looks at them. */
  readonly coarsePictures?: boolean;
  /** A recording (CSV) that takes the place of all plants, and the zone of its local times: `UTC`, `+02:00`, `Europe/Berlin`. */
  readonly replay?: { readonly file: string; readonly zone: string };
}

export interface PlantHardware {
  readonly probe: MoistureProbe;
  readonly pump: Pump;
  readonly light: GrowLight;
  readonly camera: Camera;
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
  /** What the plant's pump draws from. */
  tank(plant: string): Tank;
  /** Where all plants stand. */
  readonly room: Room;
}

export interface Board {
  readonly kind: BoardConfig["kind"];
  readonly clock: Clock;
  /** By id, in the order of the configuration. */
  readonly plants: ReadonlyMap<string, PlantHardware>;
  /** All pumps and lights off, at once; one that fails keeps no other from going off. */
  allOff(): Promise<void>;
  /** Everything off, then the state is kept. */
  close(): Promise<void>;
  /** Resolves when the bench's clock has passed the end of a replay. */
  readonly replayEnded?: Promise<void>;
  readonly bench: Bench;
}
