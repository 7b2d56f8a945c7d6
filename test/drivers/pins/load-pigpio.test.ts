import { spawnSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { loadPigpio } from "../../../drivers/pins/pigpio-line.js";
import { Pigpiolib, PiPins } from "./pi-model.js";
import { noPigpio, pigpioOver } from "./pigpio-over-model.js";

const PI_4 = "raspberrypi,4-model-b\0brcm,bcm2711\0";
const PI_5 = "raspberrypi,5-model-b\0brcm,bcm2712\0";

const hasLibrary = (): boolean => {
  try {
    return loadPigpio(PI_4) !== undefined;
  } catch {
    return false;
  }
};

t.test("on a Pi 5 it is refused before anything is loaded, and the way out is named", async (t) => {
  t.throws(() => loadPigpio(PI_5), { code: "OUTPUT_UNSAFE", message: /Raspberry Pi 5; use via: led/ });
});

t.test(
  "without its C library the package is never required: one sentence, and nothing on the console",
  { skip: hasLibrary() ? "this machine has the library" : false },
  async (t) => {
    const module = join(import.meta.dirname, "../../../drivers/pins/pigpio-line.js");
    const program = `import(${JSON.stringify(module)}).then((m) => m.loadPigpio()).catch((e) => console.log(e.message))`;
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8" });
    t.equal(stderr, "");
    t.match(
      stdout,
      /^the package pigpio (has no C library behind it|is not installed): .*\(PACKAGE_UNAVAILABLE\)\n$/,
    );
  },
);

t.test("with it the package itself is handed out", { skip: noPigpio }, async (t) => {
  const pigpio = pigpioOver(new Pigpiolib(new PiPins(new SimulatedClock())));
  t.equal(typeof pigpio.Gpio, "function");
  t.equal(pigpio.WAVE_MODE_ONE_SHOT, 0);
});
