import type { Board, BoardConfig, BoardOptions, PlantHardware } from "../board.js";
import { openLinuxI2c } from "../buses/linux-i2c.js";
import { openCameras } from "../cameras/command-camera.js";
import { SystemClock } from "../clock/system-clock.js";
import type { InterlockPanel } from "../devices/interlock/panel.js";
import { openProbes } from "../devices/open-probes.js";
import { Pump } from "../devices/pump.js";
import { openRoomSensors, type RoomSensor } from "../devices/room-sensor.js";
import type { DriverError } from "../errors.js";
import { replaceOffList } from "../guard/off-list.js";
import { cancelBoth, type InputState } from "../inputs.js";
import { globalNumber, SysfsOutput } from "../pins/sysfs-lines.js";
import type { Cancel, I2cBus, OutputPin } from "../ports.js";
import { type Closer, closeAll, closedAfter, type OutputOf, openInterlock, outputsOf } from "./relays.js";
import { Switches } from "./switches.js";

/** The I²C bus on the header of every Pi. */
const HEADER_BUS = 1;

/** Opens what is wired to a Raspberry Pi. The relays come first and are off, whatever fails later. */
export async function openPi(config: BoardConfig, { stateFolder }: BoardOptions): Promise<Board> {
  const clock = new SystemClock();
  const switches = await Switches.open(config, clock, {
    beforeStart: async (plan) => {
      if (stateFolder !== undefined) await replaceOffList(stateFolder, plan);
    },
  });
  const closers: Closer[] = [() => switches.close()];
  try {
    const interlock = await openInterlock(config, clock);
    if (interlock) closers.unshift(() => interlock.close());
    const bus = await openLinuxI2c(config.i2cBus ?? HEADER_BUS, { clock });
    closers.push(() => bus.close());
    const plants = await openPlants(config, bus, clock, outputsOf(switches, interlock), closers);
    const climate = await openRoomSensors(config.climate ?? [], bus, clock);
    return new PiBoard(clock, plants, climate, switches, closers, interlock);
  } catch (error) {
    throw await closedAfter(error, closers);
  }
}

class PiBoard implements Board {
  readonly kind = "pi";
  readonly explanation: readonly string[];

  constructor(
    readonly clock: SystemClock,
    readonly plants: ReadonlyMap<string, PlantHardware>,
    readonly climate: ReadonlyMap<string, RoomSensor>,
    private readonly switches: Switches,
    private readonly closers: Closer[],
    readonly interlock: InterlockPanel | undefined,
  ) {
    this.explanation = [...switches.explanation, ...(interlock ? [interlock.explanation] : [])];
  }

  inputs(): readonly InputState[] {
    return [...this.switches.inputs.states(), ...(this.interlock ? [this.interlock.input()] : [])];
  }

  watchInputs(listener: (input: InputState) => void): Cancel {
    return cancelBoth(this.switches.inputs.watch(listener), this.interlock?.watchInput(listener));
  }

  watchTroubles(listener: (trouble: DriverError) => void): Cancel {
    return cancelBoth(this.switches.watchTroubles(listener), this.interlock?.watchTroubles(listener));
  }

  isGuarded(): boolean {
    return this.switches.isGuarded();
  }

  /** The guard is waited for, the interlock is not. */
  async allOff(): Promise<void> {
    const off = this.switches.allOff();
    this.interlock?.allOff();
    await off;
  }

  /** The relays last, with the guard: it switches them off before it goes. */
  close(): Promise<void> {
    return closeAll(this.closers);
  }
}

async function openPlants(
  { plants }: BoardConfig,
  bus: I2cBus,
  clock: SystemClock,
  outputOf: OutputOf,
  closers: Closer[],
): Promise<Map<string, PlantHardware>> {
  const openPowerPin = async (gpio: number): Promise<OutputPin> => {
    const pin = await SysfsOutput.open(globalNumber(gpio), `GPIO ${gpio}`, clock);
    closers.push(() => pin.close());
    return pin;
  };
  const probes = await openProbes(plants, bus, clock, openPowerPin);
  const cameras = openCameras(plants, clock);
  const hardware = new Map<string, PlantHardware>();
  for (const { id, pump } of plants) {
    const probe = probes.get(id);
    if (probe)
      hardware.set(id, { probe, ...devices(id, pump.flow, outputOf), ...only("camera", cameras.get(id)) });
  }
  return hardware;
}

function devices(plant: string, flow: Pump["flow"], outputOf: OutputOf) {
  const [pump, light] = [outputOf(plant, "pump"), outputOf(plant, "light")];
  return {
    ...only("pump", pump && new Pump(pump, flow)),
    ...only("light", light),
  };
}

/** A member that is present or absent, never undefined. */
const only = <K extends string, T>(key: K, value: T | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [_ in K]?: T };
