import { openLinuxI2c } from "../../../drivers/buses/linux-i2c.js";
import { Ads1115, LONGEST_CONVERSION } from "../../../drivers/chips/ads1115.js";
import type { LinePlan } from "../../../drivers/guard/protocol.js";
import { BACKSTOP_MARGIN, LedLine } from "../../../drivers/pins/led-line.js";
import { globalNumber } from "../../../drivers/pins/sysfs-lines.js";
import { type Millis, millis, plus } from "../../../drivers/units.js";
import { clock, SimLine } from "../../kernel/inside/gpio-sim.js";
import { RELAYS } from "../../kernel/inside/led.js";
import { stubBus } from "../../kernel/inside/stub-chip.js";
import { timed } from "../probe.js";
import { CONDITIONS, pulsed } from "./conditions.js";
import type { Inside } from "./kernel.js";
import type { Lateness } from "./lateness.js";

/** Figures from inside the kernel, as one line of JSON between the markers of test/kernel/boot.ts. */

const PULSES = 20;
const LED = `/sys/class/leds/${RELAYS.basilPump.label}`;
const LINES = (): Readonly<Record<string, LinePlan>> => ({
  LED: { via: "led", path: LED },
  sysfs: { via: "sysfs", number: globalNumber(5), activeLow: true },
});
/** Each on a relay of its own, at once. */
const ALONE = [
  { relay: RELAYS.basilPump, duration: millis(200) },
  { relay: RELAYS.fernPump, duration: millis(2000) },
  { relay: RELAYS.basilLight, duration: millis(10_000) },
];

async function lateness(): Promise<Lateness[]> {
  const rows: Lateness[] = [];
  for (const [name, line] of Object.entries(LINES())) {
    for (const condition of CONDITIONS) {
      const { late, nice } = await pulsed(condition, { line, pulses: PULSES });
      rows.push({ what: `${name} in a kernel, nice ${nice}: ${condition.name}`, late });
    }
  }
  return rows;
}

/** Nobody but the kernel ends these. */
function timerAlone(): Promise<Inside["timer"]> {
  return Promise.all(
    ALONE.map(async ({ relay, duration }) => {
      const line = await LedLine.open(`/sys/class/leds/${relay.label}`, clock);
      const [on, off] = relay.activeLow ? ([0, 1] as const) : ([1, 0] as const);
      const pin = new SimLine(relay.pin);
      line.switchOn(duration);
      const began = await pin.until(on, duration);
      const lasted = (await pin.until(off, millis(2 * duration + 1000))) - began;
      return { duration, armed: plus(duration, BACKSTOP_MARGIN), lasted: lasted as Millis };
    }),
  );
}

async function conversions(): Promise<Inside["conversion"]> {
  const bus = await openLinuxI2c(stubBus(), { clock });
  const adc = new Ads1115(bus, 0x48, clock);
  const ours = await timed(async () => void (await adc.readCounts(0)));
  const bare = await timed(() => clock.sleep(LONGEST_CONVERSION));
  await bus.close();
  return { ours, bare };
}

const found: Inside = {
  lateness: await lateness(),
  timer: await timerAlone(),
  conversion: await conversions(),
};
process.stdout.write(`${JSON.stringify(found)}\n`);
