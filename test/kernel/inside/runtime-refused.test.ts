import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import onoff from "onoff";
import t from "tap";
import { failsClearly, tendril } from "../../run-tendril.js";
import { baseOf, PI_CHIP, SimLine } from "./gpio-sim.js";
import { ALL_OFF, levels, stateWith, wired } from "./pot-on-a-pi.js";

/** Wiring that the runtime must not start with: one message that says what to do, and every pin as it was, off. */

const whole = wired();
const [basil, fern] = whole.plants;
const withBasil = (changes: object) => ({ ...whole, plants: [{ ...basil, ...changes }, fern] });
const withPump = (output: object) => withBasil({ pump: { flow_ml_per_s: 5, output } });
const overlay = "dtoverlay=gpio-led,gpio=23,label=";

const MISTAKES = [
  {
    title: "an overlay that is missing",
    config: withPump({ gpio: 23, led: "mint-pump" }),
    message: new RegExp(
      `basil-pump: on a plain pin .*${overlay}mint-pump,trigger=transient .*\\(OUTPUT_UNSAFE\\)`,
    ),
  },
  {
    title: "an overlay that is missing, and asked for",
    config: withPump({ gpio: 23, via: "led", led: "mint-pump" }),
    message: new RegExp(
      `basil-pump: there is no LED mint-pump; its overlay is ${overlay}mint-pump.*\\(OUTPUT_UNSAFE\\)`,
    ),
  },
  {
    title: "a relay that is on while the overlay has it off",
    config: withPump({ gpio: 17, active_low: true }),
    message:
      /LED basil-pump is GPIO 17, active high, the configuration says GPIO 17, active low: .*\(OUTPUT_MISMATCH\)/,
  },
  {
    title: "an overlay of another pin",
    config: withPump({ gpio: 18 }),
    message:
      /LED basil-pump is GPIO 17, active high, the configuration says GPIO 18, active high: .*\(OUTPUT_MISMATCH\)/,
  },
  {
    title: "a bus that is not there",
    config: { ...whole, i2c_bus: 77 },
    message:
      /there is no \/dev\/i2c-77: enable I²C: dtparam=i2c_arm=on in config.txt, then reboot \(BUS_MISSING\)/,
  },
  {
    title: "a button on a pin that an overlay has",
    config: { ...withBasil({ light: undefined }), inputs: [{ kind: "stop", name: "red button", gpio: 22 }] },
    message:
      /red button could not be opened \(EBUSY: its pin is taken, by an overlay or another program\): .*\(PIN_FAILED\)/,
  },
  {
    title: "a probe supply on a pin that an overlay has",
    config: { ...withBasil({ light: undefined, probe: { power_gpio: 22 } }) },
    message: /GPIO 22.*\(PIN_FAILED\)/,
  },
];

for (const { title, config, message } of MISTAKES)
  t.test(`${title} keeps the runtime from starting, and it says what to do`, async (t) => {
    const ran = await tendril(["serve", "--state", await stateWith(config), "--port", "0"]);
    t.comment(ran.err);
    failsClearly(t, ran, message);
    t.match(ran.err, /^tendril: [^\n]+\n$/, "one line");
    t.equal(ran.code, 1);
    t.same(levels(), ALL_OFF);
  });

t.test("what a run that died has left on goes off, although the next start is refused", async (t) => {
  const pin = 23;
  const number = baseOf(PI_CHIP) + pin;
  new onoff.Gpio(number, "high");
  const state = await stateWith(withPump({ gpio: 17, active_low: true }));
  await writeFile(join(state, "relays.off"), `low /sys/class/gpio/gpio${number}/direction\n`);
  failsClearly(t, await tendril(["serve", "--state", state, "--port", "0"]), /OUTPUT_MISMATCH/);
  t.equal(new SimLine(pin).level(), 0);
});
