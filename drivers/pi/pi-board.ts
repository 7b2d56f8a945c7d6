import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Board, BoardConfig, BoardOptions, InputState, PlantHardware } from "../board.js";
import { openLinuxI2c } from "../buses/linux-i2c.js";
import { SystemClock } from "../clock/system-clock.js";
import { GrowLight } from "../devices/grow-light.js";
import { Pump } from "../devices/pump.js";
import type { DriverError } from "../errors.js";
import { offList, readOffList, switchOffDirectly } from "../guard/off-list.js";
import type { GuardPlan } from "../guard/plan.js";
import { globalNumber } from "../pins/gpio-chip.js";
import { SysfsOutput } from "../pins/sysfs-output.js";
import type { Cancel, OutputPin } from "../ports.js";
import { openCameras } from "./cameras.js";
import { openProbes } from "./probes.js";
import { Switches } from "./switches.js";

/** In the state folder: how the service manager's stop step switches every relay off without us. */
const OFF_LIST = "relays.off";
/** The I²C bus on the header of every Pi. */
const HEADER_BUS = 1;

type Closer = () => Promise<void>;

/** Opens what is wired to a Raspberry Pi. The relays come first, and off: whatever fails later, they are. */
export async function openPi(config: BoardConfig, { stateFolder }: BoardOptions): Promise<Board> {
  const clock = new SystemClock();
  if (stateFolder !== undefined) await switchOffAsLastTime(join(stateFolder, OFF_LIST));
  const switches = await Switches.open(config, clock, { beforeStart: keepOffList(stateFolder) });
  const closers: Closer[] = [() => switches.close()];
  try {
    const plants = await openPlants(config, clock, switches, closers);
    return new PiBoard(clock, plants, switches, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

class PiBoard implements Board {
  readonly kind = "pi";
  readonly explanation: readonly string[];

  constructor(
    readonly clock: SystemClock,
    readonly plants: ReadonlyMap<string, PlantHardware>,
    private readonly switches: Switches,
    private readonly closers: Closer[],
  ) {
    this.explanation = switches.explanation;
  }

  inputs(): readonly InputState[] {
    return this.switches.inputs.states();
  }

  watchInputs(listener: (input: InputState) => void): Cancel {
    return this.switches.inputs.watch(listener);
  }

  watchTroubles(listener: (trouble: DriverError) => void): Cancel {
    return this.switches.watchTroubles(listener);
  }

  allOff(): Promise<void> {
    return this.switches.allOff();
  }

  /** The relays last, with the guard: it switches them off before it goes. */
  close(): Promise<void> {
    return closeAll(this.closers);
  }
}

async function openPlants(
  config: BoardConfig,
  clock: SystemClock,
  switches: Switches,
  closers: Closer[],
): Promise<Map<string, PlantHardware>> {
  const { plants, i2cBus = HEADER_BUS } = config;
  const bus = await openLinuxI2c(i2cBus, { clock });
  closers.push(() => bus.close());
  const openPowerPin = async (gpio: number): Promise<OutputPin> => {
    const pin = await SysfsOutput.open(globalNumber(gpio), `GPIO ${gpio}`);
    closers.push(() => pin.close());
    return pin;
  };
  const probes = await openProbes(plants, bus, clock, openPowerPin);
  const cameras = openCameras(plants, clock);
  const hardware = new Map<string, PlantHardware>();
  for (const { id, pump } of plants) {
    const probe = probes.get(id);
    if (probe)
      hardware.set(id, { probe, ...devices(id, pump.flow, switches), ...only("camera", cameras.get(id)) });
  }
  return hardware;
}

function devices(plant: string, flow: Pump["flow"], switches: Switches) {
  const [pump, light] = [switches.output(plant, "pump"), switches.output(plant, "light")];
  return {
    ...only("pump", pump && new Pump(pump, flow)),
    ...only("light", light && new GrowLight(light)),
  };
}

/** A member that is there or not, never undefined. */
const only = <K extends string, T>(key: K, value: T | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [_ in K]?: T };

/** What an earlier run may have left on goes off before anything can be refused. What fails here, the guard meets again. */
async function switchOffAsLastTime(file: string): Promise<void> {
  if (existsSync(file)) switchOffDirectly(readOffList(await readFile(file, "utf8")));
}

const keepOffList = (folder: string | undefined) => async (plan: GuardPlan) => {
  if (folder !== undefined) await writeFile(join(folder, OFF_LIST), offList(plan));
};

/** In reverse order; what fails keeps nothing else open. */
async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) await close().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
