import { Ads1115 } from "../chips/ads1115/ads1115.js";
import type { Channel } from "../chips/ads1115/registers.js";
import { type EpochMillis, type Volts, volts } from "../units.js";
import { Ads1115Model } from "./ads1115-model.js";
import { BenchBus } from "./bench-bus.js";
import type { WorldClock } from "./world-clock.js";

/** Where a probe is soldered to, and what it gives. */
export interface Wire {
  readonly address: number;
  readonly channel: Channel;
  readonly voltage: (at: EpochMillis) => Volts;
}

type ChipTime = Pick<WorldClock, "world" | "monotonic" | "sleep">;

/** A pin that nothing is wired to is tied to ground. */
const GROUND = volts(0);

/** A bus with a chip at every address that a wire leads to, and the driver of each address, one for all its channels. */
export function wireAdcs(wires: readonly Wire[], time: ChipTime): (address: number) => Ads1115 {
  const chips = new Map(wires.map(({ address }) => [address, chipAt(address, wires, time)]));
  const bus = new BenchBus(chips);
  const drivers = new Map<number, Ads1115>();
  return (address) => {
    const driver = drivers.get(address) ?? new Ads1115(bus, address, time);
    drivers.set(address, driver);
    return driver;
  };
}

function chipAt(address: number, wires: readonly Wire[], time: ChipTime): Ads1115Model {
  const pins = new Map(
    wires.filter((wire) => wire.address === address).map((wire) => [wire.channel, wire.voltage]),
  );
  return new Ads1115Model((pin) => pins.get(pin)?.(time.world()) ?? GROUND, time);
}
