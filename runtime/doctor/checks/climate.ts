import { openLinuxI2c } from "../../../drivers/buses/linux-i2c.js";
import { openAirSensors } from "../../../drivers/devices/air-sensor.js";
import { boardWiring, type Config } from "../../configuration.js";
import { type Check, type Finding, failure, ok, skipped } from "../check.js";
import type { Patient } from "../patient.js";

/** A check for each sensor of the air; none where none is configured, or on the bench. */
export function climateChecks(patient: Patient): Check[] {
  const { config } = patient;
  if (config?.board !== "pi") return [];
  return (boardWiring(config).climate ?? []).map(({ place }) => ({
    name: `climate ${place}`,
    run: () => sensor(patient, config, place),
  }));
}

/** As the runtime says, where one runs; else one reading by the genuine driver. */
function sensor(patient: Patient, config: Config, place: string): Finding | Promise<Finding> {
  const { runtime, isHere } = patient;
  if (!isHere) return skipped("another computer's");
  const told =
    runtime.is === "running" ? runtime.overview?.climate.find((each) => each.place === place) : undefined;
  if (!told) return patient.alone(() => readOnce(patient, config, place));
  if (told.fault)
    return failure(told.fault.message, "see to what is named; the runtime reads it every minute");
  if (!told.reading) return skipped("the runtime has not read it yet");
  const { temperature_c, humidity_percent, timestamp } = told.reading;
  return ok(`${temperature_c} °C, ${humidity_percent} %, read by the runtime at ${timestamp}`);
}

async function readOnce({ clock }: Patient, config: Config, place: string): Promise<Finding> {
  const { climate = [], i2cBus = 1 } = boardWiring(config);
  const bus = await openLinuxI2c(i2cBus, { clock });
  try {
    const own = climate.filter((each) => each.place === place);
    const reading = await (await openAirSensors(own, bus, clock)).get(place)?.read();
    if (!reading) return skipped("not configured");
    const { temperature, humidity, pressure } = reading;
    return ok(`${temperature.toFixed(1)} °C, ${humidity.toFixed(0)} %, ${pressure.toFixed(0)} hPa`);
  } finally {
    await bus.close();
  }
}
