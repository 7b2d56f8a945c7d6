import type {
  Bench,
  BoardConfig,
  BoardOptions,
  PlantHardware,
  PlantHardwareConfig,
  SimulatedBoard,
} from "../board.js";
import { Camera } from "../devices/camera.js";
import { openInterlockPanel } from "../devices/interlock/awaited-interlock.js";
import type { InterlockPanel } from "../devices/interlock/panel.js";
import { openProbes } from "../devices/open-probes.js";
import { Pump } from "../devices/pump.js";
import { openRoomSensors, type RoomSensor } from "../devices/room-sensor.js";
import type { SoilProbe } from "../devices/soil-probe.js";
import type { DriverError } from "../errors.js";
import { BoardInputs, cancelBoth, type InputState, type Load } from "../inputs.js";
import type { Cancel, Clock, PulsedOutput } from "../ports.js";
import { type EpochMillis, type Millis, millis } from "../units.js";
import { BenchCamera } from "./bench-camera.js";
import { BenchClock, LeadingClock, type WorldClock } from "./bench-clock.js";
import { BenchInterlock, fileMemory, passingMemory } from "./bench-interlock.js";
import { earliest } from "./bench-relay.js";
import { BenchSaver, type Boot, boot } from "./boot.js";
import { Pot, type PotParts } from "./pot.js";
import { endOf, gapAt, RecordedPlant, type Recording } from "./replay.js";
import { Room } from "./room.js";
import { type Species, speciesOf } from "./species.js";
import { freshPlant, VirtualPlant } from "./virtual-plant.js";
import { voltageSpan, type WiredProbes, type WiredRoomSensors, wireProbes } from "./wiring.js";

/** A plant of the configuration and its simulated pot. */
interface Place {
  readonly config: PlantHardwareConfig;
  readonly pot: Pot;
}

/** Opens simulated hardware for all plants, as the last bench in the state folder left it. */
export async function openBench(config: BoardConfig, options: BoardOptions): Promise<SimulatedBoard> {
  const start = await boot(options);
  const room = new Room(options.seed);
  const inputs = new BoardInputs(config.inputs ?? []);
  const onEdge = () => (options.relaxed ? undefined : saver?.save());
  const pots = new Map<string, Pot>();
  const interlock = config.interlock && interlockOf(start, pots, options.stateFolder);
  const places = config.plants.map((plant, index) => {
    const inhibitor = inputs.inhibitor.bind(inputs);
    const around = { seed: options.seed + index, room, onEdge, inhibitor, ...(interlock && { interlock }) };
    const pot = potOf(plant, around, start);
    pots.set(plant.id, pot);
    return { config: plant, pot };
  });
  const panel =
    interlock && (await openInterlockPanel(config.plants, start.clock, async () => interlock.line));
  const saver = start.file && new BenchSaver(start.file, start, pots, options.clock ? 0 : options.speed);
  const chipTime = options.clock ? new LeadingClock(options.clock) : start.clock;
  const air = await airOf(config, room, chipTime);
  const wires = places.map(({ config: { probe }, pot }) => ({ probe, pot }));
  const wired = wireProbes(wires, chipTime, air.chips);
  const plants = await hardwareOf(places, wired, chipTime, panel, options.coarsePictures);
  const climate = await openRoomSensors(config.climate ?? [], wired.bus, chipTime);
  await saver?.begin();
  inputs.watch(() => {
    for (const pot of pots.values()) pot.obeyInputs();
  });
  const bench = benchOf({ pots, room, air, inputs, interlock, start, saver, cutPower: options.cutPower });
  return new BenchBoard(start, plants, climate, bench, inputs, saver, panel);
}

/** A bench without air sensors loads nothing of them. */
async function airOf(
  { climate = [] }: BoardConfig,
  room: Room,
  time: Pick<WorldClock, "world" | "monotonic">,
): Promise<WiredRoomSensors> {
  if (climate.length === 0) return { chips: new Map(), faults: new Map() };
  return (await import("./wiring.js")).wireRoomSensors(climate, room, time);
}

/** The pots are made later: the interlock does not look at them before it gets a line. */
function interlockOf(
  { clock }: Boot,
  pots: ReadonlyMap<string, Pot>,
  folder: string | undefined,
): BenchInterlock {
  const all = () => [...pots.values()];
  const relays = {
    settle: () => {
      for (const pot of all()) pot.settle();
    },
    conducted: (load: Load, at: Millis) => all().some((pot) => pot.conducted(load, at)),
    edgeAfter: (instant: Millis) => earliest(all().map((pot) => pot.relayEdgeAfter(instant))),
  };
  return new BenchInterlock(clock, relays, folder === undefined ? passingMemory() : fileMemory(folder));
}

class BenchBoard implements SimulatedBoard {
  readonly kind = "bench";
  readonly clock: Clock;
  readonly explanation: readonly string[];
  readonly replayEnded?: Promise<void>;
  private cancel: Cancel = () => undefined;

  constructor(
    { clock, recording, unprovedUntil }: Boot,
    readonly plants: SimulatedBoard["plants"],
    readonly climate: ReadonlyMap<string, RoomSensor>,
    readonly bench: Bench,
    private readonly switches: BoardInputs,
    private readonly saver: BenchSaver | undefined,
    readonly interlock: InterlockPanel | undefined,
  ) {
    this.clock = clock;
    const simulated = "simulated hardware: pins in the configuration are not used";
    this.explanation = [
      simulated,
      ...(interlock ? [interlock.explanation] : []),
      ...(unprovedUntil === undefined ? [] : [unprovedClock(unprovedUntil)]),
    ];
    if (recording) this.replayEnded = this.untilEndOf(recording);
  }

  inputs(): readonly InputState[] {
    return [...this.switches.states(), ...(this.interlock ? [this.interlock.input()] : [])];
  }

  watchInputs(listener: (input: InputState) => void): Cancel {
    return cancelBoth(this.switches.watch(listener), this.interlock?.watchInput(listener));
  }

  /** The interlock alone has troubles beside the calls. Other simulated hardware fails within them, as its faults say. */
  watchTroubles(listener: (trouble: DriverError) => void): Cancel {
    return this.interlock?.watchTroubles(listener) ?? (() => undefined);
  }

  /** The end of a pulse is the relay's own: no process has to be there for it. */
  isGuarded(): boolean {
    return true;
  }

  async allOff(): Promise<void> {
    const switches = [...this.plants.values()].flatMap(({ pump, light }) => [pump.stop(), light.end()]);
    this.interlock?.allOff();
    for (const outcome of await Promise.allSettled(switches)) {
      if (outcome.status === "rejected") throw outcome.reason;
    }
  }

  async close(): Promise<void> {
    this.cancel();
    await this.allOff();
    await this.interlock?.close();
    await this.saver?.end();
  }

  private untilEndOf(recording: Recording): Promise<void> {
    const left = millis(Math.max(0, endOf(recording) - this.clock.now()));
    return new Promise((resolve) => {
      this.cancel = this.clock.after(left, resolve);
    });
  }
}

const unprovedClock = (until: EpochMillis): string =>
  `the bench's clock was lost with bench.json: until ${new Date(until).toISOString()} of its time it counts as not synchronised, and no time counts as passed over a restart`;

type Surroundings = Pick<PotParts, "seed" | "room" | "onEdge" | "inhibitor" | "interlock">;

function potOf(config: PlantHardwareConfig, around: Surroundings, boot: Boot): Pot {
  const { id, pump, probe } = config;
  const calibration = voltageSpan(probe);
  const species = speciesOf(config.species);
  const left = leftBy(boot, id, species);
  const plant = boot.recording
    ? new RecordedPlant(boot.recording, calibration)
    : new VirtualPlant(
        species,
        calibration,
        around.seed,
        left?.plant ?? freshPlant(species, boot.startHydration),
      );
  const since = left && { since: left.at };
  return new Pot({ id, plant, flow: pump.flow, calibration, ...around, ...since }, boot.clock);
}

/** The plant as it was left; one of another species has been replaced by a new one since. */
function leftBy({ plants }: Boot, id: string, { name }: Species) {
  const left = plants[id];
  return left?.plant.species === name ? left : undefined;
}

async function hardwareOf(
  places: readonly Place[],
  { bus, openPowerPin }: WiredProbes,
  chipTime: Pick<WorldClock, "monotonic" | "sleep">,
  panel: InterlockPanel | undefined,
  coarsePictures = false,
) {
  const behind = (plant: string, load: Load, pulse: PulsedOutput) =>
    panel?.interlocked(`the ${load} of ${plant}`, load, pulse) ?? pulse;
  const configs = places.map(({ config }) => config);
  const probes = await openProbes(configs, bus, chipTime, openPowerPin);
  const hardware = (probe: SoilProbe, { config: { id, pump }, pot }: Place): Required<PlantHardware> => ({
    probe,
    pump: new Pump(behind(id, "pump", pot.pump), pump.flow),
    light: behind(id, "light", pot.light),
    camera: new Camera(new BenchCamera(`the camera of ${id}`, () => pot.scene(), coarsePictures)),
  });
  return new Map(
    places.flatMap((place) => {
      const probe = probes.get(place.config.id);
      return probe ? [[place.config.id, hardware(probe, place)] as const] : [];
    }),
  );
}

interface BenchParts {
  readonly pots: ReadonlyMap<string, Pot>;
  readonly room: Room;
  readonly air: WiredRoomSensors;
  readonly inputs: BoardInputs;
  readonly interlock: BenchInterlock | undefined;
  readonly start: Boot;
  readonly saver: BenchSaver | undefined;
  readonly cutPower: (() => void) | undefined;
}

function benchOf({ pots, room, air, inputs, interlock, start, saver, cutPower }: BenchParts): Bench {
  const { recording, clock } = start;
  const potOf = (plant: string): Pot => {
    const pot = pots.get(plant);
    if (pot) return pot;
    throw new RangeError(`the bench has no plant "${plant}", only ${[...pots.keys()].join(", ")}`);
  };
  return {
    faults: (plant) => potOf(plant).faults,
    pumpEdges: (plant) => potOf(plant).pump.edges,
    lightEdges: (plant) => potOf(plant).light.edges,
    moisture: (plant) => potOf(plant).moisture(),
    truth: (plant) => potOf(plant).truth(),
    keepRealTime: (isReal) => {
      if (clock instanceof BenchClock) clock.keepRealTime(isReal);
    },
    speed: () => (clock instanceof BenchClock ? clock.ownSpeed : undefined),
    setSpeed: async (speed) => {
      if (!(clock instanceof BenchClock)) return;
      await saver?.keepUpWith(speed);
      clock.setSpeed(speed);
    },
    ...(cutPower && { cutPower }),
    recordingGap: () => recording && gapAt(recording, clock.world()),
    tank: (plant) => potOf(plant).water,
    room,
    roomSensorFaults: (place) => {
      const faults = air.faults.get(place);
      if (faults) return faults;
      throw new RangeError(
        `the bench has no air sensor in "${place}", only ${[...air.faults.keys()].join(", ")}`,
      );
    },
    ...(interlock && { interlock }),
    setInput: (name, active) => {
      if (!inputs.states().some((input) => input.name === name))
        throw new RangeError(`the bench has no input "${name}"`);
      inputs.set(name, active);
    },
  };
}
