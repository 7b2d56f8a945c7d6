import type { PlantHardwareConfig, ProbeConfig } from "../board.js";
import { Ads1115 } from "../chips/ads1115.js";
import { Seesaw } from "../chips/seesaw.js";
import type { Clock, I2cBus, OutputPin } from "../ports.js";
import { AdcProbe } from "./adc-probe.js";
import { type ProbePower, ProbeSupply } from "./probe-supply.js";
import { SeesawProbe } from "./seesaw-probe.js";
import type { SoilProbe } from "./soil-probe.js";

/** Opens the pin with this BCM number as an output, off. Closing it is the caller's. */
type OpenPowerPin = (gpio: number) => Promise<OutputPin>;

/** What the probes of one bus share: the ADC of several channels, the pin that feeds several probes. */
interface Shared {
  readonly bus: I2cBus;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly adcs: Map<number, Ads1115>;
  readonly supplies: Map<number, ProbeSupply>;
}

/**
 * The probes of all plants, by id. Nothing is read yet: a probe that is unplugged shows with its first reading. Rejects with
 * what `openPowerPin` says.
 */
export async function openProbes(
  plants: readonly Pick<PlantHardwareConfig, "id" | "probe">[],
  bus: I2cBus,
  clock: Pick<Clock, "monotonic" | "sleep">,
  openPowerPin: OpenPowerPin,
): Promise<Map<string, SoilProbe>> {
  const shared: Shared = { bus, clock, adcs: new Map(), supplies: new Map() };
  const probes = new Map<string, SoilProbe>();
  for (const { id, probe } of plants) {
    const power = probe.power && (await powerOf(probe.power, shared, openPowerPin));
    probes.set(id, probeOf(probe, shared, power));
  }
  return probes;
}

function probeOf(config: ProbeConfig, shared: Shared, power: ProbePower | undefined): SoilProbe {
  if (config.chip !== "seesaw") return new AdcProbe(adcOf(config, shared), config, power);
  const chip = new Seesaw(shared.bus, config.address, shared.clock);
  return new SeesawProbe(chip, config.calibration, power);
}

function adcOf(
  { address, chip = "ads1115" }: Exclude<ProbeConfig, { readonly chip: "seesaw" }>,
  { bus, clock, adcs }: Shared,
): Ads1115 {
  const variant = chip === "ads1015" ? "ADS1015" : "ADS1115";
  const adc = adcs.get(address) ?? new Ads1115(bus, address, clock, variant);
  adcs.set(address, adc);
  return adc;
}

async function powerOf(
  { gpio, settle }: NonNullable<ProbeConfig["power"]>,
  { clock, supplies }: Shared,
  openPowerPin: OpenPowerPin,
): Promise<ProbePower> {
  const supply = supplies.get(gpio) ?? new ProbeSupply(await openPowerPin(gpio), clock);
  supplies.set(gpio, supply);
  return { supply, settle };
}
