import { openLinuxI2c } from "../../../drivers/buses/linux-i2c.js";
import { openProbes } from "../../../drivers/devices/open-probes.js";
import { globalNumber } from "../../../drivers/pins/gpio-chip.js";
import { SysfsOutput } from "../../../drivers/pins/sysfs-lines.js";
import type { OutputPin } from "../../../drivers/ports.js";
import { boardConfig } from "../../config/board.js";
import type { Config } from "../../configuration.js";
import { type Check, type Finding, failure, ok, skipped } from "../check.js";
import type { Patient } from "../patient.js";

export function probeChecks(patient: Patient): Check[] {
  const { config } = patient;
  if (config?.board !== "pi") return [{ name: "probes", run: () => skipped("simulated on the bench") }];
  return [
    { name: "bus", run: () => bus(patient, config) },
    ...config.plants.map(({ id }) => ({ name: `probe ${id}`, run: () => probe(patient, config, id) })),
  ];
}

/** Asks the kernel what the bus can do: that touches no chip, and disturbs no runtime. */
async function bus({ isHere, clock }: Patient, { i2c_bus }: Config): Promise<Finding> {
  if (!isHere) return skipped("another computer's");
  const opened = await openLinuxI2c(i2c_bus, { clock });
  await opened.close();
  return ok(`/dev/i2c-${i2c_bus} can be used`);
}

/** As the runtime says, where one runs; else one reading by the genuine driver. */
function probe(patient: Patient, config: Config, id: string): Finding | Promise<Finding> {
  const { runtime, isHere } = patient;
  if (!isHere) return skipped("another computer's");
  const told =
    runtime.is === "running" ? runtime.overview?.plants.find(({ plant }) => plant === id) : undefined;
  if (!told) return patient.alone(() => readOnce(patient, config, id));
  if (told.probe_fault)
    return failure(told.probe_fault.message, "see to what is named; the runtime reads it every minute");
  if (!told.moisture) return skipped("the runtime has not read it yet");
  return ok(`${told.moisture.percent} %, read by the runtime at ${told.moisture.timestamp}`);
}

async function readOnce({ clock }: Patient, config: Config, id: string): Promise<Finding> {
  const { plants, i2cBus = 1 } = boardConfig(config);
  const opened = await openLinuxI2c(i2cBus, { clock });
  const pins: OutputPin[] = [];
  try {
    const openPowerPin = async (gpio: number) => {
      const pin = await SysfsOutput.open(globalNumber(gpio), `GPIO ${gpio}`, clock);
      pins.push(pin);
      return pin;
    };
    const own = plants.filter((plant) => plant.id === id);
    const reading = await (await openProbes(own, opened, clock, openPowerPin)).get(id)?.read();
    if (!reading) return skipped("not configured");
    return ok(
      `${reading.percent.toFixed(0)} % between dry and wet (${reading.level.toFixed(3)}, ${reading.raw} counts)`,
    );
  } finally {
    for (const pin of pins) await pin.close();
    await opened.close();
  }
}
