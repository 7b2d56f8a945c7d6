import t from "tap";
import { boardConfig } from "../../../runtime/config/schema.js";
import { parseConfig } from "../../../runtime/configuration.js";
import { ConfigError } from "../../../runtime/errors.js";

/** The mistakes in two plants' wiring, `a` and `b`. */
const problemsOf = (a: string, b = "", inputs = ""): readonly string[] => {
  const second = `{ id: b, probe: { channel: 1 }, ${b} }`;
  try {
    parseConfig(`plants:\n  - { id: a, ${a} }\n  - ${second}\ninputs: [${inputs}]\n`, "t.yaml");
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};
const pump = (output: string) => `pump: { output: { gpio: 17, ${output} } }`;
const light = (output: string) => `light: { output: { gpio: 22, ${output} } }`;

t.test("a LED's name by default is taken, too: no other relay may name it", async (t) => {
  t.same(problemsOf(pump(""), light("led: a-pump")), [
    "t.yaml:3: plants[1].light.output.led: LED a-pump is taken by plants[0].pump.output already",
  ]);
  t.same(problemsOf(light("led: b-pump"), pump("")), [
    "t.yaml:3: plants[1].pump.output: LED b-pump is taken by plants[0].light.output.led already",
  ]);
});

t.test("a name that no LED goes by is free", async (t) => {
  t.same(problemsOf(pump("via: sysfs, i_accept_software_cutoff: true"), light("led: a-pump")), []);
  t.same(problemsOf(pump("via: pigpio"), light("led: a-pump")), []);
});

t.test("an input's name by default is taken, too", async (t) => {
  const [unnamed, namesake] = [
    "{ kind: stop, gpio: 5 }",
    "{ kind: leak, gpio: 6, name: stop input at GPIO 5 }",
  ];
  t.same(problemsOf("", "", `${unnamed}, ${namesake}`), [
    "t.yaml:4: inputs[1].name: input stop input at GPIO 5 is taken by inputs[0] already",
  ]);
  t.match(problemsOf("", "", `${namesake}, ${unnamed}`), [
    /inputs\[1\]: input .* is taken by inputs\[0\]\.name/,
  ]);
  t.match(problemsOf("", "", `${unnamed}, ${unnamed}`), [/^t\.yaml:4: inputs\[1\]\.gpio: GPIO 5 is taken/]);
});

t.test("an option that does nothing is refused where it stands", async (t) => {
  t.same(problemsOf(pump("via: sysfs, i_accept_software_cutoff: true, led: x")), [
    "t.yaml:2: plants[0].pump.output.led: does nothing with via: sysfs, which has no LED",
  ]);
  t.match(problemsOf(pump("via: pigpio, led: x")), [/output\.led: does nothing with via: pigpio/]);
  for (const via of ["led", "pigpio"])
    t.match(problemsOf(pump(`via: ${via}, i_accept_software_cutoff: true`)), [
      new RegExp(`output\\.i_accept_software_cutoff: does nothing with via: ${via}`),
    ]);
  t.same(problemsOf(pump("via: led, i_accept_software_cutoff: false")), [], "which is the default");
  t.same(problemsOf(pump("led: x, i_accept_software_cutoff: true")), [], "auto may take either");
});

t.test("pigpio takes one pump, and no light", async (t) => {
  t.match(problemsOf(light("via: pigpio")), [
    /plants\[0\]\.light\.output\.via: pigpio ends no pulse of two hours/,
  ]);
  t.same(problemsOf(pump("via: pigpio")), []);
  t.match(problemsOf(pump("via: pigpio"), "pump: { output: { gpio: 23, via: pigpio } }"), [
    /^t\.yaml:3: plants\[1\]\.pump\.output\.via: pigpio times one pulse at once, and plants\[0\] has it/,
  ]);
});

t.test("an output that is but a number is told how to say it", async (t) => {
  t.same(problemsOf("pump: { output: 17 }"), [
    "t.yaml:2: plants[0].pump.output: must be a mapping: output: { gpio: 17 } (got 17)",
  ]);
  t.match(problemsOf(pump("gipo: 4")), [/pump\.output\.gipo: unknown key; did you mean gpio\?$/]);
});

t.test("what the drivers get is what was checked: the same names", async (t) => {
  const yaml = "plants: [{ id: a, pump: { output: { gpio: 17 } } }]\ninputs: [{ kind: leak, gpio: 5 }]";
  const { plants, inputs } = boardConfig(parseConfig(yaml, "t.yaml"));
  t.match(plants, [{ pump: { output: { led: "a-pump" } } }]);
  t.match(inputs, [{ name: "leak input at GPIO 5" }]);
});
