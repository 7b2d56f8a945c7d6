import t, { type Test } from "tap";
import type { GuardLink } from "../../../drivers/guard/guard-link.js";
import type { Report } from "../../../drivers/guard/protocol.js";
import type { InputState, InputWiring } from "../../../drivers/inputs.js";
import { guardedInputs, inputPlan } from "../../../drivers/pi/switches.js";
import { seconds } from "../../../drivers/units.js";

const BUTTON: InputWiring = {
  kind: "stop",
  name: "red button",
  gpio: 5,
  activeLow: true,
  plants: ["basil", "fern"],
};
const LEAK: InputWiring = { kind: "leak", name: "tray", gpio: 24, activeLow: false, plants: ["basil"] };
const TANK: InputWiring = { kind: "tank", name: "can", gpio: 26, activeLow: false, plants: ["fern"] };

const outputs = ["basil-pump", "basil-light", "fern-pump"].map((name) => ({
  name,
  ceiling: seconds(26),
  line: { via: "led", path: `/sys/class/leds/${name}` } as const,
}));

const gpioRoot = (t: Test) => t.testdir({ gpiochip569: { label: "pinctrl-rp1\n", base: "569\n" } });

t.test("a button keeps all outputs of its plants off, a leak and an empty tank the pumps", async (t) => {
  const root = gpioRoot(t);
  const kept = (wiring: InputWiring) => inputPlan(wiring, outputs, root).inhibits;
  t.same(kept(BUTTON), ["basil-pump", "basil-light", "fern-pump"]);
  t.same(kept(LEAK), ["basil-pump"]);
  t.same(kept({ ...LEAK, plants: ["basil", "fern"] }), ["basil-pump", "fern-pump"]);
  t.same(kept(TANK), ["fern-pump"]);
});

t.test("a plant whose name begins like another's is not mistaken for it", async (t) => {
  const [output] = outputs;
  const two = ["basil-pump", "basil-2-pump"].map((name) => ({ ...output, name }) as (typeof outputs)[number]);
  t.same(inputPlan({ ...LEAK, plants: ["basil"] }, two, gpioRoot(t)).inhibits, ["basil-pump"]);
});

t.test("the guard is told the kernel's own number, and the polarity", async (t) => {
  t.match(inputPlan(LEAK, outputs, gpioRoot(t)), {
    name: "tray",
    kind: "leak",
    number: 593,
    activeLow: false,
  });
  t.throws(() => inputPlan({ ...LEAK, gpio: 28 }, outputs, gpioRoot(t)), { code: "PIN_UNKNOWN" });
});

/** Inputs at the end of a pipe that the test holds; what was heard of them. */
function linked() {
  let tell: (report: Report) => void = () => undefined;
  const link: Pick<GuardLink, "onReport"> = {
    onReport: (listener) => {
      tell = listener;
    },
  };
  const inputs = guardedInputs([BUTTON, LEAK, TANK], link);
  const heard: InputState[] = [];
  const cancel = inputs.watch((input) => heard.push(input));
  const ready = (...active: readonly string[]) => tell({ is: "ready", active, rss: 0 });
  const active = () => inputs.states().flatMap(({ name, active }) => (active ? [name] : []));
  return { tell: (report: Report) => tell(report), inputs, heard, cancel, ready, active };
}

t.test("states come from the guard, from its first word on", async (t) => {
  const { inputs, tell, heard, ready, active } = linked();
  t.same(
    inputs.states().map(({ name }) => name),
    ["red button", "tray", "can"],
  );
  t.same(active(), []);
  ready("can");
  t.same(active(), ["can"]);
  tell({ is: "input", name: "tray", active: true });
  tell({ is: "input", name: "can", active: false });
  t.same(active(), ["tray"]);
  t.match(heard, [
    { name: "can", kind: "tank", plants: ["fern"], active: true },
    { name: "tray", kind: "leak", active: true },
    { name: "can", active: false },
  ]);
});

t.test("what a guard's restart finds is told where it has changed meanwhile, and only there", async (t) => {
  const { heard, ready, active } = linked();
  ready("can", "red button");
  heard.length = 0;
  ready("can", "tray");
  t.same(active(), ["tray", "can"]);
  t.match(heard, [
    { name: "red button", active: false },
    { name: "tray", active: true },
  ]);
  t.equal(heard.length, 2);
});

t.test("a listener finds the board as it is told", async (t) => {
  const { inputs, ready, active } = linked();
  const seen: string[][] = [];
  inputs.watch(() => seen.push(active()));
  ready("red button", "tray");
  t.same(seen, [
    ["red button", "tray"],
    ["red button", "tray"],
  ]);
});

t.test("a button that was pressed before anybody listened is told to the first who does, once", async (t) => {
  const tell: ((report: Report) => void)[] = [];
  const inputs = guardedInputs([BUTTON, LEAK, TANK], { onReport: (listener) => void tell.push(listener) });
  for (const report of [
    { is: "ready", active: ["tray"], rss: 0 },
    { is: "input", name: "red button", active: true },
    { is: "input", name: "red button", active: false },
  ] as const)
    tell[0]?.(report);
  const heard: InputState[] = [];
  const hear = (input: InputState) => void heard.push(input);
  inputs.watch(hear);
  t.match(heard, [{ name: "red button", kind: "stop", active: true }]);
  t.equal(heard.length, 1, "the wet tray is among the states");
  inputs.watch(hear);
  t.equal(heard.length, 1);
});

t.test("who has cancelled hears nothing more", async (t) => {
  const { heard, cancel, ready } = linked();
  cancel();
  ready("can");
  t.same(heard, []);
});
