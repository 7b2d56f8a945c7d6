import { join } from "node:path";
import { HEADER_BUS, openLinuxI2c } from "../../buses/linux-i2c.js";
import { closedAfter } from "../../durable-file.js";
import { DriverError } from "../../errors.js";
import type { Clock, I2cBus } from "../../ports.js";
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
    const chips = await closedAfter(await openBus(HEADER_BUS), (bus) => findChips(bus, clock));
    return { number: HEADER_BUS, chips };
  } catch (error) {
    if (error instanceof DriverError) return unasked(error.message);
    throw error;
  }
}

export interface RibbonCamera {
  readonly program: "rpicam-still" | "libcamera-still";
  /** As the program counts. */
  readonly index: number;
  /** The sensor: "imx708_wide". */
  readonly sensor: string;
}

export interface Webcam {
  /** A name that stays the same, where udev made one; else /dev/videoN. */
  readonly device: string;
  readonly name: string;
}

/** Bookworm and later have `rpicam-still`, bullseye `libcamera-still` (docs/hardware.md, "Systems"). */
const PROGRAMS = ["rpicam-still", "libcamera-still"] as const;

/** Asks the program that takes pictures which cameras there are; it takes none. None where there is no such program. */
export async function ribbonCameras(run: RunProgram): Promise<readonly RibbonCamera[]> {
  for (const program of PROGRAMS) {
    const { said, status } = await run(program, ["--list-cameras"]);
    if (status !== undefined) return camerasIn(said).map((camera) => ({ program, ...camera }));
  }
  return [];
}

/** `0 : imx708_wide [4608x2592 10-bit RGGB] (/base/soc/i2c0mux/i2c@1/imx708@1a)` [rpicam-apps, core/rpicam_app.cpp]. */
export const camerasIn = (list: string): readonly Omit<RibbonCamera, "program">[] =>
  [...list.matchAll(/^(\d+) : (\S+) \[/gm)].map(([, index, sensor = ""]) => ({
    index: Number(index),
    sensor,
  }));

const VIDEO = "/sys/class/video4linux";

/**
 * Cameras on USB. A Pi shows a dozen video devices of its own (codecs, the image processor), which are no cameras; a webcam's
 * second device carries what it says about its pictures [Linux, uvc_metadata.c].
 */
export function webcams(machine: Machine): readonly Webcam[] {
  return machine
    .names(VIDEO)
    .filter((name) => isCamera(machine, name))
    .map((name) => webcamOf(machine, name));
}

const isCamera = (machine: Machine, video: string): boolean =>
  (machine.text(join(VIDEO, video, "device/modalias")) ?? "").startsWith("usb:") &&
  machine.text(join(VIDEO, video, "index")) === "0";

function webcamOf(machine: Machine, video: string): Webcam {
  const named = machine
    .names("/dev/v4l/by-id")
    .find((name) => machine.link(`/dev/v4l/by-id/${name}`)?.endsWith(`/${video}`));
  const device = named === undefined ? `/dev/${video}` : `/dev/v4l/by-id/${named}`;
  return { device, name: machine.text(join(VIDEO, video, "name")) ?? video };
}
