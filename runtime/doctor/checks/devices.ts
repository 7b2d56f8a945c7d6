import type { OutputWiring } from "../../../drivers/board.js";
import { openLinuxI2c } from "../../../drivers/buses/linux-i2c.js";
import { openCameras } from "../../../drivers/cameras/command-camera.js";
import {
  assertFits,
  type InterlockDevice,
  interlockNeeds,
} from "../../../drivers/devices/interlock/device.js";
import { openProbes } from "../../../drivers/devices/open-probes.js";
import { openRoomSensors } from "../../../drivers/devices/room-sensor.js";
import { closedAfter } from "../../../drivers/durable-file.js";
import type { Load } from "../../../drivers/inputs.js";
import { askInterlock } from "../../../drivers/pi/inspect/chips.js";
import {
  missingLines,
  overlayLine,
  readConfigTxt,
  wantedLines,
} from "../../../drivers/pi/inspect/config-txt.js";
import type { Machine } from "../../../drivers/pi/inspect/machine.js";
import { chooseOutput } from "../../../drivers/pi/outputs.js";
import { globalNumber, SysfsOutput } from "../../../drivers/pins/sysfs-lines.js";
import type { I2cBus, OutputPin } from "../../../drivers/ports.js";
import { figuresOf, roomInWords } from "../../../drivers/room-quantities.js";
import { boardConfig } from "../../config/schema.js";
import { boardWiring, type Config } from "../../configuration.js";
import type { Overview } from "../../wire/overview.js";
import { counted } from "../../wire/phrases.js";
import { type Check, type Finding, failure, failureOf, ok, skipped, warning } from "../check.js";
import type { Installation } from "../installation.js";

export function deviceChecks(installation: Installation): Check[] {
  const { config } = installation;
  const interlockCheck = { name: "interlock", run: () => interlock(installation) };
  if (!config) {
    const unread = () => skipped("the configuration cannot be read");
    return [{ name: "probes", run: unread }, interlockCheck, { name: "cameras", run: unread }];
  }
  const isReal = config.board === "pi";
  return [
    ...(isReal ? [{ name: "bus", run: () => bus(installation, config) }] : []),
    ...config.plants.map(({ id }) => ({ name: `probe ${id}`, run: () => probe(installation, config, id) })),
    ...(boardWiring(config).climate ?? []).map(({ place }) => ({
      name: `climate ${place}`,
      run: () => roomSensor(installation, config, place),
    })),
    interlockCheck,
    ...(isReal ? cameraChecks(installation, config) : [{ name: "cameras", run: () => SIMULATED }]),
  ];
}

const ELSEWHERE = skipped("another computer's");
const SIMULATED = skipped("simulated on the bench");

/** Asks only the kernel about the bus, which does not disturb chips or a runtime. */
async function bus({ isHere, clock }: Installation, { i2c_bus }: Config): Promise<Finding> {
  if (!isHere) return ELSEWHERE;
  const opened = await openLinuxI2c(i2c_bus, { clock });
  await opened.close();
  return ok(`/dev/i2c-${i2c_bus} can be used`);
}

interface ToldByRuntime {
  readonly fault: { readonly message: string; readonly since: string } | null;
  /** The last reading that was good; undefined if there is none yet. */
  readonly reading: string | undefined;
}

/** A sensor's state from a running runtime, also of a bench; else one reading by the driver. */
function sensor(
  { isHere, clock, alone }: Installation,
  config: Config,
  told: ToldByRuntime | undefined,
  readOnce: (bus: I2cBus) => Promise<string | undefined>,
): Finding | Promise<Finding> {
  if (!isHere) return ELSEWHERE;
  if (told?.fault) {
    const { message, since } = told.fault;
    const last =
      told.reading === undefined ? "it has never been read" : `the last good reading is ${told.reading}`;
    return failure(
      `${message}, since ${since}; ${last}`,
      "fix what it names; the runtime reads it again by itself",
    );
  }
  if (told) return told.reading ? ok(told.reading) : skipped("the runtime has not read it yet");
  if (config.board !== "pi") return SIMULATED;
  return alone(async () =>
    closedAfter(await openLinuxI2c(config.i2c_bus, { clock }), async (opened) => {
      const reading = await readOnce(opened);
      return reading === undefined ? skipped("not configured") : ok(reading);
    }),
  );
}

/** Undefined if no runtime answers. */
const overviewOf = ({ runtime }: Installation) => (runtime.is === "running" ? runtime.overview : undefined);

function probe(installation: Installation, config: Config, id: string): Finding | Promise<Finding> {
  const plant = overviewOf(installation)?.plants.find((each) => each.plant === id);
  const told = plant && {
    fault: plant.probe_fault,
    reading: plant.moisture
      ? `${plant.moisture.percent} %, read by the runtime at ${plant.moisture.timestamp}`
      : undefined,
  };
  return sensor(installation, config, told, async (opened) => {
    const pins: OutputPin[] = [];
    const openPowerPin = async (gpio: number) => {
      const pin = await SysfsOutput.open(globalNumber(gpio), `GPIO ${gpio}`, installation.clock);
      pins.push(pin);
      return pin;
    };
    try {
      const own = boardConfig(config).plants.filter((each) => each.id === id);
      const reading = await (await openProbes(own, opened, installation.clock, openPowerPin)).get(id)?.read();
      return (
        reading &&
        `${reading.percent.toFixed(0)} % between dry and wet (${reading.level.toFixed(3)}, ${reading.raw} counts)`
      );
    } finally {
      for (const pin of pins) await pin.close();
    }
  });
}

function roomSensor(installation: Installation, config: Config, place: string): Finding | Promise<Finding> {
  const room = overviewOf(installation)?.climate.find((each) => each.place === place);
  const last = room?.reading;
  const words = last && roomInWords(last);
  const told = room && {
    fault: room.fault,
    reading: last ? `${words}, read by the runtime at ${last.timestamp}` : undefined,
  };
  return sensor(installation, config, told, async (opened) => {
    const own = boardWiring(config).climate?.filter((each) => each.place === place) ?? [];
    const reading = await (await openRoomSensors(own, opened, installation.clock)).get(place)?.read();
    return reading && roomInWords(figuresOf(reading));
  });
}

function interlock(installation: Installation): Finding | Promise<Finding> {
  const { config, isHere, clock, alone } = installation;
  if (!config || config.interlock.via === "none") return skipped("none is configured");
  if (config.interlock.via === "bench") return SIMULATED;
  if (!isHere) return ELSEWHERE;
  const overview = overviewOf(installation);
  if (overview) return asTheRuntimeSays(overview.interlock);
  const { port } = config.interlock;
  return alone(async () => {
    const latest = await askInterlock(port, clock);
    if (!latest)
      return failure(`nothing answers at ${port}`, "check its power, its cable, and interlock.port");
    return judged(latest, config);
  });
}

function asTheRuntimeSays(view: Overview["interlock"]): Finding {
  if (!view) return failure("the runtime runs without one", "sudo systemctl restart tendril");
  if (view.state !== "ok")
    return failure(view.problem ?? view.state, "docs/interlock.md says what to do about each fault");
  return ok(`ok, firmware ${view.firmware}`);
}

/** Compares an interlock's limits and status with this configuration. Throws INTERLOCK_LIMITS. */
export function judged({ limits, status }: NonNullable<InterlockDevice["latest"]>, config: Config): Finding {
  assertFits(limits, interlockNeeds(boardConfig(config).plants));
  if (status.stopPressed) return failure("its emergency stop is pressed", "release it, then tendril clear");
  if (status.faults.length > 0)
    return failure(`a fault is latched: ${status.faults.join("; ")}`, "fix the cause, then tendril clear");
  return ok(`firmware ${limits.firmware}, protocol ${limits.protocol}, no fault`);
}

function cameraChecks(installation: Installation, config: Config): Check[] {
  const seen = config.plants.filter(({ camera }) => camera !== undefined);
  if (seen.length === 0) return [{ name: "cameras", run: () => skipped("none is configured") }];
  return seen.map(({ id }) => ({ name: `camera ${id}`, run: () => picture(installation, config, id) }));
}

/** Takes one picture with the driver, checks it, and drops it. */
function picture(
  { clock, isHere, alone }: Installation,
  config: Config,
  id: string,
): Promise<Finding> | Finding {
  if (!isHere) return ELSEWHERE;
  return alone(async () => {
    const photo = await openCameras(boardConfig(config).plants, clock).get(id)?.capture();
    if (!photo) return skipped("not configured");
    const found = `${photo.width}×${photo.height}, ${Math.round(photo.jpeg.length / 1000)} kB, luminance ${photo.luminance}`;
    return photo.dark
      ? warning(`${found}: too dark to judge a plant`, "make light, and check that nothing covers the lens")
      : ok(found);
  });
}

export function relayChecks(installation: Installation): Check[] {
  const { config } = installation;
  if (config?.board !== "pi") return [{ name: "relays", run: () => SIMULATED }];
  return [
    { name: "config.txt", run: () => configTxt(installation, config) },
    ...eachRelay(installation, config),
  ];
}

function configTxt({ machine }: Installation, config: Config): Finding {
  const file = readConfigTxt(machine);
  if (!file) return skipped("missing: this is not a Raspberry Pi, or its boot partition is not mounted");
  const missing = missingLines(file.text, wantedLines(boardConfig(config)));
  if (missing.length === 0) return ok(`${file.file} has every line that the configuration needs`);
  const lines = missing.map(({ line }) => line).join("\n");
  return warning(
    `${file.file} lacks ${counted(missing.length, "line")}`,
    `add these (sudo tendril setup can), then reboot:\n${lines}`,
  );
}

/** Checks LED, trigger, pin and polarity by the same rules as a start; opens nothing. */
function eachRelay({ machine }: Installation, config: Config): Check[] {
  const lit = new Set(config.plants.flatMap(({ id, light }) => (light ? [id] : [])));
  return boardConfig(config).plants.flatMap(({ id, pump, light }): Check[] => {
    const check = (load: Load, wiring: OutputWiring | undefined): Check => ({
      name: `relay ${id}-${load}`,
      run: () => (wiring ? relay(id, load, wiring, machine) : withoutPin(id, load)),
    });
    return [check("pump", pump.output), ...(lit.has(id) ? [check("light", light?.output)] : [])];
  });
}

function withoutPin(plant: string, load: Load): Finding {
  const lacks = load === "pump" ? `no pin, so ${plant} gets no water` : "no pin, so it stays dark";
  const fine = load === "pump" ? "; if somebody waters it by hand, all is well" : "";
  return warning(lacks, `write ${load}: { output: { gpio: N } } for ${plant}: docs/hardware.md${fine}`);
}

/** Removes the relay's name from the texts, since the line already begins with it. */
function relay(plant: string, load: Load, wiring: OutputWiring, machine: Machine): Finding {
  const kernel = { leds: machine.path("/sys/class/leds"), gpio: machine.path("/sys/class/gpio") };
  const withoutName = (finding: Finding) => ({
    ...finding,
    found: finding.found.replace(`${plant}-${load}: `, ""),
  });
  try {
    return withoutName(ok(chooseOutput(plant, load, wiring, kernel).explanation));
  } catch (error) {
    if (isAnnounced(wiring, machine)) return failure(`there is no LED ${wiring.led} yet`, REBOOT);
    return withoutName(failureOf(error));
  }
}

const REBOOT = "sudo reboot: config.txt already names it, and takes effect at the next start";

/** Whether config.txt has the LED, but it does not exist yet. */
function isAnnounced(wiring: OutputWiring, machine: Machine): boolean {
  const wanted = [{ line: overlayLine(wiring), why: "the LED" }];
  const text = readConfigTxt(machine)?.text ?? "";
  return !machine.has(`/sys/class/leds/${wiring.led}`) && missingLines(text, wanted).length === 0;
}
