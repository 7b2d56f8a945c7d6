import { HEADER_BUS, openLinuxI2c } from "../../buses/linux-i2c.js";
import { DriverError } from "../../errors.js";
import type { Clock, I2cBus } from "../../ports.js";
import { type RibbonCamera, ribbonCameras, type Webcam, webcams } from "./cameras.js";
import { type FoundChip, findChips, serialPorts } from "./chips.js";
import { type ConfigTxt, readConfigTxt } from "./config-txt.js";
import {
  boardModel,
  type Machine,
  memoryMegabytes,
  type OperatingSystem,
  operatingSystem,
  type RunProgram,
  runProgram,
} from "./machine.js";
import { type PinTakers, pinTakers, type RelayLed, relayLeds } from "./pins.js";

/** The chips of a bus. `problem`: why it could not be asked. */
interface BusFindings {
  readonly number: number;
  readonly chips: readonly FoundChip[];
  readonly problem?: string;
}

/** All that was found out about a computer. Finding out changes nothing. */
export interface Findings {
  /** Its model; undefined on what is no Raspberry Pi. */
  readonly board: string | undefined;
  readonly megabytes: number | undefined;
  readonly system: OperatingSystem;
  readonly hostname: string;
  /** Other buses lead to displays and cameras: they are not asked. */
  readonly headerBus: BusFindings;
  readonly leds: readonly RelayLed[];
  readonly taken: PinTakers;
  readonly ribbonCameras: readonly RibbonCamera[];
  readonly webcams: readonly Webcam[];
  readonly serialPorts: readonly string[];
  readonly configTxt: ConfigTxt | undefined;
}

interface InspectOptions {
  readonly machine: Machine;
  readonly clock: Pick<Clock, "after" | "sleep">;
  readonly run?: RunProgram;
  readonly openBus?: (bus: number) => Promise<I2cBus & { close(): Promise<void> }>;
  /** Why the header's bus must not be asked, as a running runtime; undefined where it may. */
  readonly leaveBus?: string;
}

/** Looks at everything that setup and doctor use. */
export async function inspect(options: InspectOptions): Promise<Findings> {
  const { machine, run = runProgram } = options;
  const board = boardModel(machine);
  return {
    board,
    megabytes: memoryMegabytes(machine),
    system: operatingSystem(machine),
    hostname: machine.text("/etc/hostname") ?? "localhost",
    headerBus: await headerBus(options, board !== undefined),
    leds: relayLeds(machine),
    taken: pinTakers(machine),
    ribbonCameras: board ? await ribbonCameras(run) : [],
    webcams: webcams(machine),
    serialPorts: serialPorts(machine),
    configTxt: readConfigTxt(machine),
  };
}

/** On what is no Pi, bus 1 leads anywhere: to a graphics card or the memory's own chips. */
async function headerBus(options: InspectOptions, isPi: boolean): Promise<BusFindings> {
  const { machine, clock, leaveBus, openBus = (bus: number) => openLinuxI2c(bus, { clock }) } = options;
  const unasked = (problem: string): BusFindings => ({ number: HEADER_BUS, chips: [], problem });
  if (!isPi) return unasked("this computer has no header");
  if (!machine.has(`/dev/i2c-${HEADER_BUS}`))
    return unasked(`there is no /dev/i2c-${HEADER_BUS} yet: config.txt must say dtparam=i2c_arm=on`);
  if (leaveBus !== undefined) return unasked(leaveBus);
  try {
    return { number: HEADER_BUS, chips: await askBus(await openBus(HEADER_BUS), clock) };
  } catch (error) {
    if (error instanceof DriverError) return unasked(error.message);
    throw error;
  }
}

async function askBus(
  bus: I2cBus & { close(): Promise<void> },
  clock: Pick<Clock, "sleep">,
): Promise<readonly FoundChip[]> {
  try {
    return await findChips(bus, clock);
  } finally {
    await bus.close();
  }
}
