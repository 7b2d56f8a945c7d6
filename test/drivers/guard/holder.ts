import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { Switches } from "../../../drivers/pi/switches.js";
import { type MlPerSecond, millis, volts } from "../../../drivers/units.js";

/**
 * A runtime reduced to its relays, to be killed, stopped and stalled: opens basil's pump over the LED folder of its
 * first argument, pulses for its second [ms], hangs its event loop for its third once the pump is on. Tells each thing
 * that happens as a line of JSON.
 */
const [leds = "", pulse = "0", stall = "0"] = process.argv.slice(2);
const clock = new SystemClock();
const say = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`);

const output = {
  gpio: 17,
  activeLow: false,
  via: "led",
  led: "basil-pump",
  acceptSoftwareCutoff: false,
} as const;
const calibration = { dry: volts(2.75), wet: volts(1.2) };
const basil = {
  id: "basil",
  probe: { address: 0x48, channel: 0, calibration },
  pump: { flow: 1.5 as MlPerSecond, output },
} as const;

const switches = await Switches.open({ kind: "pi", plants: [basil] }, clock, {
  kernel: { leds, gpio: "/nowhere" },
});
switches.watchTroubles(({ code, message }) => say({ trouble: code, message, at: clock.monotonic() }));
say({ guard: switches.pid });
const keep = setInterval(() => undefined, 1000);
const report = await switches.output("basil", "pump")?.pulse(millis(Number(pulse)), (at) => {
  say({ on: at });
  setImmediate(() => hang(Number(stall)));
});
say({ report });
clearInterval(keep);
await switches.close();
say({ closed: true });

function hang(time: number): void {
  const end = clock.monotonic() + time;
  while (clock.monotonic() < end);
}
