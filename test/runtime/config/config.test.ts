import t from "tap";
import { parse, stringify } from "yaml";
import { boardConfig } from "../../../runtime/config/schema.js";
import { defaultConfig, loadConfig, parseConfig } from "../../../runtime/configuration.js";
import { ConfigError } from "../../../runtime/errors.js";

const problemsOf = (text: string): readonly string[] => {
  try {
    parseConfig(text, "t.yaml");
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

t.test("an empty file is the bench with one basil", async (t) => {
  t.same(parseConfig("", "t.yaml"), defaultConfig());
  t.match(defaultConfig(), { board: "bench", plants: [{ id: "basil", pump: { flow_ml_per_s: 1.5 } }] });
  t.equal(defaultConfig().server.host, "127.0.0.1", "on loopback unless told otherwise");
});

t.test("an unknown key is refused by name, file and line, and several mistakes come at once", async (t) => {
  const problems = problemsOf(
    "plants:\n  - id: basil\n    pmup: { flow_ml_per_s: 2 }\nserver:\n  prot: 8731\n",
  );
  t.same(problems, [
    "t.yaml:3: plants[0].pmup: unknown key; did you mean pump?",
    "t.yaml:5: server.prot: unknown key; did you mean port?",
  ]);
  t.same(problemsOf("confirm_within_minuts: 5\n"), [
    "t.yaml:1: confirm_within_minuts: unknown key; did you mean confirm_within_minutes?",
  ]);
  t.match(problemsOf("colour: red\n"), [/colour: unknown key$/]);
});

t.test("the hint at an unknown key is never that key, and knows what else went wrong", async (t) => {
  for (const [yaml, ...problems] of [
    [
      "plants: [{ id: a, probe: { chip: seesaw, channel: 2, dry_volts: 2 } }]",
      "probe.channel: unknown key with chip: seesaw (chip: ads1115 has it)",
      "probe.dry_volts: unknown key with chip: seesaw (chip: ads1115 has it); did you mean dry_counts?",
    ],
    [
      "plants: [{ id: a, probe: { dry_counts: 200 } }]",
      "probe.dry_counts: unknown key with chip: ads1115, the default (chip: seesaw has it); did you mean dry_volts?",
    ],
    [
      "plants: [{ id: a, pump: { flow_ml_per_s 1.5 } }]",
      "pump.flow_ml_per_s 1.5: unknown key: a colon is missing after flow_ml_per_s",
    ],
    [
      "plants: [{ id: a, pump: { flow_ml_per_s: 1,5 } }]",
      "pump.5: unknown key: a decimal number has a point, as 1.5",
    ],
    [
      'plants: [{ id: a, pump: { flow_ml_per_s: "1,5" } }]',
      'pump.flow_ml_per_s: must be a number (got "1,5"): a decimal number has a point, as 1.5',
    ],
    ["plants: [{ id: a, pump: { flow: 1.5 } }]", "pump.flow: unknown key; did you mean flow_ml_per_s?"],
  ])
    t.same(
      problemsOf(yaml ?? ""),
      problems.map((problem) => `t.yaml:1: plants[0].${problem}`),
    );
});

t.test("a day may have its capital, and a tool's near name or object is suggested", async (t) => {
  t.equal(parseConfig("weekly_letter: { day: Sunday }", "t.yaml").weekly_letter?.day, "sunday");
  const confirm = (tool: string) => problemsOf(`confirm: { ${tool}: always }`);
  t.match(confirm("water"), [/there is no such tool; did you mean dispense_water\? docs\/tools\.md/]);
  t.match(confirm("dispense_watr"), [/did you mean dispense_water\?/]);
  t.match(confirm("colour"), [/there is no such tool: docs\/tools\.md/]);
});

t.test("on the bench and on a Pi a light may have no pin, as a pump may", async (t) => {
  for (const board of ["bench", "pi"])
    t.same(problemsOf(`board: ${board}\nplants: [{ id: a, pump: {}, light: {} }]`), [], board);
});

t.test("what is no YAML is told in plain words, with its line, and once", async (t) => {
  for (const [text, problem] of [
    ["plants:\n  - id:fern\n    name: x\n", "t.yaml:2: a space is missing after the colon"],
    [
      'plants:\n  - id: "fern\n    name: x\nzone: UTC\n',
      "t.yaml:2: the quote that begins here is not closed",
    ],
    ["zone: 'UTC", "t.yaml:1: the quote that begins here is not closed"],
    ["plants:\n\t- id: fern\n", "t.yaml:2: a tab stands at the beginning of the line: write spaces"],
    ["plants:\n  - { id: a\n  - { id: b\nzone: UTC\n", "t.yaml:3: a } is missing here or before"],
    ["plants: [{ id: a }\nzone: UTC\n", "t.yaml:2: a ] is missing here or before"],
  ] as const)
    t.same(problemsOf(text), [problem]);
});

t.test(
  "aliases that would fill the memory, lead nowhere or go in circles are mistakes as any other",
  async (t) => {
    const nine = (alias: string) => `[${Array(9).fill(alias).join(",")}]`;
    const bomb = `a: &a ${nine("x")}\nb: &b ${nine("*a")}\nc: &c ${nine("*b")}\nd: ${nine("*c")}\n`;
    t.match(problemsOf(bomb), [/^t\.yaml: Excessive alias count/]);
    t.match(problemsOf("plants: *basil\n"), [/^t\.yaml: Unresolved alias .*: basil/]);
    t.match(problemsOf("care: &care { care: *care }\n"), [/care\.care: unknown key/]);
    t.same(problemsOf("plants: [{ id: a, name: &n Ann }]\nboard: bench\n"), []);
  },
);

t.test("a value out of range names key, range and what was given", async (t) => {
  t.match(problemsOf("server: { port: 70000 }"), [/^t\.yaml:1: server\.port: .*65535.*\(got 70000\)$/]);
  t.match(problemsOf("water: { daily_limit_ml: 501 }"), [/water\.daily_limit_ml: .*500.*\(got 501\)/]);
  t.match(
    problemsOf("cycle: { max_age_minutes: 31 }"),
    [/cycle\.max_age_minutes/],
    "no laxer than the contract",
  );
});

t.test("a pump too slow for the largest dose is refused, the slowest that fits is not", async (t) => {
  const pump = (flow: number) => `plants: [{ id: a, pump: { flow_ml_per_s: ${flow} } }]`;
  t.match(problemsOf(pump(0.96)), [
    /^t\.yaml:1: plants\[0\]\.pump\.flow_ml_per_s: must be at least 25\/26 = 0\.962 ml\/s/,
  ]);
  t.same(problemsOf(pump(25 / 26)), []);
});

t.test("two plants share neither id nor name nor probe", async (t) => {
  t.match(problemsOf("plants: [{ id: a }, { id: a, probe: { channel: 1 } }]"), [
    /^t\.yaml:1: plants\[1\]: its id a is the id of plants\[0\] too: give one/,
  ]);
  t.match(problemsOf("plants: [{ id: a, name: B }, { id: b, probe: { channel: 1 } }]"), [
    /plants\[1\]: its id b is the name of plants\[0\] too/,
  ]);
  t.match(
    problemsOf("plants: [{ id: a }, { id: b }]"),
    [/its probe input 0x48\/0 is the probe input of plants\[0\] too/],
    "the same input of the same ADC",
  );
});

t.test("a probe needs two different ends, and either may be the higher one", async (t) => {
  const probe = (dry: number, wet: number) =>
    `plants: [{ id: a, probe: { dry_volts: ${dry}, wet_volts: ${wet} } }]`;
  t.match(problemsOf(probe(2, 2.05)), [/must differ by at least 0\.1 V/]);
  t.same(problemsOf(probe(1, 2)), []);
  t.same(problemsOf(probe(2, 1)), []);
});

const probes = (...probes: string[]) =>
  `plants: [${probes.map((probe, at) => `{ id: p${at}, probe: { ${probe} } }`).join(", ")}]`;
const probeOf = (text: string) => parseConfig(probes(text), "t.yaml").plants[0]?.probe;

t.test(
  "a probe without a chip is an ADS1115's, and each chip has its own addresses and calibration",
  async (t) => {
    const power = { power_settle_ms: 500 };
    const adc = { address: 0x48, channel: 0, dry_volts: 2.75, wet_volts: 1.2, ...power };
    t.same(probeOf(""), { chip: "ads1115", ...adc });
    t.same(probeOf("chip: ads1015, address: 0x4b"), { ...adc, chip: "ads1015", address: 0x4b });
    const seesaw = { chip: "seesaw", address: 0x36, dry_counts: 200, wet_counts: 2000, ...power };
    t.same(probeOf("chip: seesaw"), seesaw);
    t.same(boardConfig(parseConfig(probes("chip: seesaw, power_gpio: 22"), "t.yaml")).plants[0]?.probe, {
      chip: "seesaw",
      address: 0x36,
      calibration: { dry: 200, wet: 2000 },
      power: { gpio: 22, settle: 500 },
    });
  },
);

t.test("what does not fit the chip is refused by name, with what would", async (t) => {
  t.match(problemsOf(probes("chip: ads1112")), [
    /^t\.yaml:1: plants\[0\]\.probe\.chip: must be "ads1115", "ads1015" or "seesaw"$/,
  ]);
  t.match(problemsOf(probes("address: 0x36")), [/probe\.address: must be 0x48 to 0x4b \(got 0x36\)$/]);
  t.match(problemsOf(probes("chip: seesaw, address: 0x48")), [
    /probe\.address: must be 0x36 to 0x39 \(got 0x48\)$/,
  ]);
  t.match(problemsOf(probes("chip: seesaw, channel: 1, dry_volts: 2")), [
    /probe\.channel: unknown key/,
    /probe\.dry_volts: unknown key/,
  ]);
  t.match(problemsOf(probes("dry_counts: 200")), [/probe\.dry_counts: unknown key/]);
  t.match(problemsOf(probes("chip: seesaw, dry_counts: 500, wet_counts: 599")), [
    /plants\[0\]\.probe: dry_counts and wet_counts must differ by at least 100/,
  ]);
  t.match(problemsOf("plants: [{ id: a, probe: 3 }]"), [
    /plants\[0\]\.probe: must be keys with values, as in \{ key: value \} \(got 3\)/,
  ]);
});

t.test("two seesaws need two addresses, and one address is one chip", async (t) => {
  t.match(problemsOf(probes("chip: seesaw", "chip: seesaw")), [
    /its probe input 0x36 is the probe input of plants\[0\] too: .* probe: \{ chip: seesaw, address: 0x37 \}$/,
  ]);
  t.match(problemsOf("plants: [{ id: a }, { id: b, probe: { channel: 1 } }, { id: c }]"), [
    /its probe input 0x48\/0 is the probe input of plants\[0\] too: .* probe: \{ channel: 2 \}$/,
  ]);
  t.same(problemsOf(probes("chip: seesaw", "chip: seesaw, address: 0x37")), []);
  t.match(problemsOf(probes("channel: 0", "chip: ads1015, channel: 1")), [
    /plants\[1\]\.probe\.chip: says ads1015 at the address of the ads1115 of plants\[0\]/,
  ]);
});

t.test("probes may share the pin that feeds them, and nothing else may have it", async (t) => {
  t.same(problemsOf(probes("power_gpio: 22", "channel: 1, power_gpio: 22")), []);
  t.match(problemsOf(probes("power_gpio: 3")), [/probe\.power_gpio: must be 4 to 27/]);
  t.match(problemsOf(probes("power_gpio: 28")), [/probe\.power_gpio: must be 4 to 27/]);
  const pump = "plants: [{ id: a, probe: { power_gpio: 22 }, pump: { output: { gpio: 22 } } }]";
  t.match(problemsOf(pump), [
    /pump\.output\.gpio: GPIO 22 is taken by plants\[0\]\.probe\.power_gpio already/,
  ]);
  const [first, second] = [
    "{ id: a, pump: { output: { gpio: 22 } } }",
    "{ id: b, probe: { channel: 1, power_gpio: 22 } }",
  ];
  t.match(problemsOf(`plants: [${first}, ${second}]`), [
    /plants\[1\]\.probe\.power_gpio: GPIO 22 is taken by plants\[0\]\.pump\.output\.gpio already/,
  ]);
  t.match(problemsOf(`${probes("power_gpio: 22")}\ninputs: [{ kind: stop, gpio: 22 }]`), [
    /inputs\[0\]\.gpio: GPIO 22 is taken/,
  ]);
});

t.test("broken YAML, doubled keys and a file that is not there are clear errors", async (t) => {
  t.match(problemsOf("plants: [ {id: a"), [/^t\.yaml:1: a } is missing here or before$/]);
  t.match(problemsOf("board: bench\nboard: bench\n"), [/unique/i]);
  t.match(problemsOf("- just\n- a list\n"), [/t\.yaml/]);
  t.throws(() => loadConfig("/nowhere/tendril.yaml"), {
    message: /\/nowhere\/tendril\.yaml: cannot be read \(ENOENT\)/,
  });
});

t.test("a cron pattern that is none is refused where it stands", async (t) => {
  t.match(problemsOf('sampling: { cron: "61 * * * *" }'), [/sampling\.cron: /]);
  t.match(problemsOf("sampling: { cron: every minute }"), [/sampling\.cron: /]);
  t.same(problemsOf('sampling: { cron: "*/5 * * * *" }'), []);
});

t.test("what `tendril config` prints is itself a configuration", async (t) => {
  t.same(parseConfig(stringify(defaultConfig()), "t.yaml"), defaultConfig());
  t.type(parse(stringify(defaultConfig())), "object");
});

function problemsIn(yaml: string): readonly string[] {
  try {
    parseConfig(yaml, "t.yaml");
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

t.test("an empty list, an empty key, a wrong kind and a wrong word are named in plain words", (t) => {
  const table: [yaml: string, problem: RegExp][] = [
    ["plants: []", /:1: plants: is an empty list: it must have an entry, or leave the key out$/],
    ["people:", /:1: people: is empty: it must be a list, or leave the key out$/],
    ["people: anna", /:1: people: must be a list \(got "anna"\)$/],
    ["plants: [{ name: Fern }]", /plants\[0\]\.id: is missing: it must be a text$/],
    ["confirm_by: nobody", /:1: confirm_by: must be "person" or "client" \(got "nobody"\)$/],
    ["cycle: { max_age_minutes: 31 }", /max_age_minutes: must be at most 30 \(got 31\)$/],
    ["server: { announce: maybe }", /announce: must be true or false \(got "maybe"\)$/],
  ];
  for (const [yaml, problem] of table) t.match(problemsIn(yaml), [problem], yaml);
  t.end();
});
