import type { Board, BoardConfig, BoardOptions, PlantHardware } from "../board.js";
import { HEADER_BUS, openLinuxI2c } from "../buses/linux-i2c.js";
import { openCameras } from "../cameras/command-camera.js";
import { SystemClock } from "../clock/system-clock.js";
import type { InterlockPanel } from "../devices/interlock/panel.js";
import { openProbes } from "../devices/open-probes.js";
import { Pump } from "../devices/pump.js";
import { openRoomSensors, type RoomSensor } from "../devices/room-sensor.js";
import type { DriverError } from "../errors.js";
import { cancelBoth, type InputState } from "../inputs.js";
import { globalNumber, SysfsOutput } from "../pins/sysfs-lines.js";
import type { Cancel, I2cBus, OutputPin } from "../ports.js";
import { afterClosing, closeAll, openRelays, type Relays } from "./switches.js";

/** Opens what is wired to a Raspberry Pi. The relays come first and are off, whatever fails later. */
export async function openPi(config: BoardConfig, { stateFolder }: BoardOptions): Promise<Board> {
  const clock = new SystemClock();
  const relays = await openRelays(config, clock, { stateFolder });
  try {
    const bus = await openLinuxI2c(config.i2cBus ?? HEADER_BUS, { clock });
    relays.closers.push(() => bus.close());
    const plants = await openPlants(config, bus, clock, relays);
    const climate = await openRoomSensors(config.climate ?? [], bus, clock);
    return new PiBoard(clock, plants, climate, relays);
  } catch (error) {
    throw await afterClosing(error, relays.closers);
  }
}

class PiBoard implements Board {
  readonly kind = "pi";
  readonly explanation: readonly string[];
  readonly interlock: InterlockPanel | undefined;

  constructor(
    readonly clock: SystemClock,
    readonly plants: ReadonlyMap<string, PlantHardware>,
    readonly climate: ReadonlyMap<string, RoomSensor>,
    private readonly relays: Relays,
  ) {
    const { switches, interlock } = relays;
    this.interlock = interlock;
    this.explanation = [...switches.explanation, ...(interlock ? [interlock.explanation] : [])];
  }

  inputs(): readonly InputState[] {
    return [...this.relays.switches.inputs.states(), ...(this.interlock ? [this.interlock.input()] : [])];
  }

  watchInputs(listener: (input: InputState) => void): Cancel {
    return cancelBoth(this.relays.switches.inputs.watch(listener), this.interlock?.watchInput(listener));
  }

  watchTroubles(listener: (trouble: DriverError) => void): Cancel {
    return cancelBoth(this.relays.switches.watchTroubles(listener), this.interlock?.watchTroubles(listener));
  }

  isGuarded(): boolean {
    return this.relays.switches.isGuarded();
  }

  /** The guard is waited for, the interlock is not. */
  async allOff(): Promise<void> {
    const off = this.relays.switches.allOff();
    this.interlock?.allOff();
    await off;
  }

  /** The relays last, with the guard: it switches them off before it goes. */
  close(): Promise<void> {
    return closeAll(this.relays.closers);
  }
}

async function openPlants(
  { plants }: BoardConfig,
  bus: I2cBus,
  clock: SystemClock,
  relays: Relays,
): Promise<Map<string, PlantHardware>> {
  const openPowerPin = async (gpio: number): Promise<OutputPin> => {
    const pin = await SysfsOutput.open(globalNumber(gpio), `GPIO ${gpio}`, clock);
    relays.closers.push(() => pin.close());
    return pin;
  };
  const probes = await openProbes(plants, bus, clock, openPowerPin);
  const cameras = openCameras(plants, clock);
  const hardware = new Map<string, PlantHardware>();
  for (const { id, pump } of plants) {
    const probe = probes.get(id);
    if (probe)
      hardware.set(id, { probe, ...devices(id, pump.flow, relays), ...only("camera", cameras.get(id)) });
  }
  return hardware;
}

function devices(plant: string, flow: Pump["flow"], { output }: Relays) {
  const [pump, light] = [output(plant, "pump"), output(plant, "light")];
  return {
    ...only("pump", pump && new Pump(pump, flow)),
    ...only("light", light),
  };
}

/** A member that is present or absent, never undefined. */
const only = <K extends string, T>(key: K, value: T | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [_ in K]?: T };
