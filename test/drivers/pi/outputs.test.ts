import t, { type Test } from "tap";
import type { OutputWiring } from "../../../drivers/board.js";
import { chooseOutput, latestEndBy } from "../../../drivers/pi/outputs.js";
import { millis, minutes, seconds } from "../../../drivers/units.js";

const PUMP: OutputWiring = {
  gpio: 17,
  activeLow: false,
  via: "auto",
  led: "basil-pump",
  acceptSoftwareCutoff: false,
};
const OVERLAY = "dtoverlay=gpio-led,gpio=17,label=basil-pump,trigger=transient";

/** A Pi 4's kernel, with LEDs that an overlay has made. */
function kernel(t: Test, leds: ReturnType<typeof led> = {}) {
  const chip = { label: "pinctrl-bcm2711\n", base: "512\n" };
  const root = t.testdir({ leds, gpio: { gpiochip512: chip } });
  return { leds: `${root}/leds`, gpio: `${root}/gpio` };
}

/** A LED of a `gpio-leds` node: files of the class, and of the device tree. */
function led(label: string, gpio: number, activeLow: boolean, trigger = "[none] timer transient\n") {
  const gpios = Buffer.from([0, 0, 0, 15, 0, 0, 0, gpio, 0, 0, 0, activeLow ? 1 : 0]);
  return { [label]: { trigger, device: { of_node: { led: { label: `${label}\0`, gpios } } } } };
}

t.test("auto takes the LED where there is one, and says what ends a pulse", async (t) => {
  const where = kernel(t, led("basil-pump", 17, false));
  const { plan, explanation } = chooseOutput("basil", "pump", PUMP, where);
  t.same(plan, {
    name: "basil-pump",
    ceiling: seconds(26),
    line: { via: "led", path: `${where.leds}/basil-pump` },
  });
  t.match(explanation, /^basil-pump: GPIO 17 as LED basil-pump; .*the kernel's timer after 30 s at most$/);
});

t.test("auto prefers the LED even to an owner who would take a plain pin", async (t) => {
  const wiring = { ...PUMP, acceptSoftwareCutoff: true };
  t.equal(
    chooseOutput("basil", "pump", wiring, kernel(t, led("basil-pump", 17, false))).plan.line.via,
    "led",
  );
});

t.test("without a LED, auto wants the owner's word, and gives the line that would make one", async (t) => {
  const where = kernel(t);
  const refused = {
    code: "OUTPUT_UNSAFE",
    message: new RegExp(`^basil-pump: .*${OVERLAY} the kernel ends it.*i_accept`),
  };
  t.throws(() => chooseOutput("basil", "pump", PUMP, where), refused);
  t.throws(() => chooseOutput("basil", "pump", { ...PUMP, activeLow: true }, where), {
    message: /dtoverlay=gpio-led,gpio=17,label=basil-pump,active_low=1,trigger=transient /,
  });
  const { plan, explanation } = chooseOutput("basil", "pump", { ...PUMP, acceptSoftwareCutoff: true }, where);
  t.same(plan.line, { via: "sysfs", number: 529, activeLow: false });
  t.match(explanation, /line 529 of sysfs; only the guard/);
});

t.test("sysfs is taken although there is a LED, with the owner's word alone", async (t) => {
  const where = kernel(t, led("basil-pump", 17, false));
  const wiring = { ...PUMP, via: "sysfs", activeLow: true } as const;
  t.throws(() => chooseOutput("basil", "pump", wiring, where), { code: "OUTPUT_UNSAFE" });
  const { line } = chooseOutput("basil", "pump", { ...wiring, acceptSoftwareCutoff: true }, where).plan;
  t.same(line, { via: "sysfs", number: 529, activeLow: true });
});

t.test("a pin that the header has not is refused, not turned into a number", async (t) => {
  const wiring = { ...PUMP, gpio: 40, acceptSoftwareCutoff: true };
  t.throws(() => chooseOutput("basil", "pump", wiring, kernel(t)), { code: "PIN_UNKNOWN" });
});

t.test(
  "a LED that is asked for and is not there is refused with its overlay line, whoever accepts what",
  async (t) => {
    const wiring = { ...PUMP, via: "led", acceptSoftwareCutoff: true } as const;
    t.throws(() => chooseOutput("basil", "pump", wiring, kernel(t)), {
      code: "OUTPUT_UNSAFE",
      message: new RegExp(`no LED basil-pump.*${OVERLAY}`),
    });
  },
);

t.test("a LED whose kernel has no transient trigger is refused, and the module is named", async (t) => {
  const where = kernel(t, led("basil-pump", 17, false, "[none] timer oneshot\n"));
  t.throws(() => chooseOutput("basil", "pump", PUMP, where), {
    code: "OUTPUT_UNSAFE",
    message: /modprobe ledtrig-transient/,
  });
});

t.test("an overlay of another pin or polarity is refused, and both are told", async (t) => {
  for (const [gpio, activeLow] of [
    [18, false],
    [17, true],
  ] as const) {
    const where = kernel(t, led("basil-pump", gpio, activeLow));
    const low = activeLow ? "low" : "high";
    t.throws(() => chooseOutput("basil", "pump", PUMP, where), {
      code: "OUTPUT_MISMATCH",
      message: new RegExp(`is GPIO ${gpio}, active ${low}, the configuration says GPIO 17, active high`),
    });
  }
});

t.test("pigpio has a pump's pulse, not a light's", async (t) => {
  const wiring = { ...PUMP, via: "pigpio", activeLow: true } as const;
  const { plan, explanation } = chooseOutput("basil", "pump", wiring, kernel(t));
  t.same(plan.line, { via: "pigpio", gpio: 17, activeLow: true });
  t.match(explanation, /DMA ends each pulse/);
  t.throws(() => chooseOutput("basil", "light", wiring, kernel(t)), {
    code: "OUTPUT_UNSAFE",
    message: /via: led/,
  });
});

t.test("a light may be on for two hours, no longer", async (t) => {
  const wiring = { ...PUMP, led: "basil-light" };
  const { plan } = chooseOutput("basil", "light", wiring, kernel(t, led("basil-light", 17, false)));
  t.equal(plan.ceiling, minutes(120));
});

t.test("with every process dead a pulse is over when its line ends it, on a plain pin never", async (t) => {
  const ten = seconds(10);
  t.equal(latestEndBy({ via: "led", path: "/nowhere" })(ten), 11_552, "10.25 s and an eighth");
  t.equal(latestEndBy({ via: "pigpio", gpio: 17, activeLow: false })(ten), 10_100);
  const plain = { via: "sysfs", number: 529, activeLow: false } as const;
  t.equal(latestEndBy(plain)(millis(1)), Number.POSITIVE_INFINITY);
});
