import t, { type Test } from "tap";
import { parse } from "yaml";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import type { FoundChip } from "../../../drivers/pi/inspect/chips.js";
import { type Findings, inspect } from "../../../drivers/pi/inspect/inspect.js";
import { MAX_PLANTS } from "../../../runtime/config/schema.js";
import { parseConfig } from "../../../runtime/configuration.js";
import type { Answers } from "../../../runtime/setup/answers.js";
import { settle } from "../../../runtime/setup/settle.js";
import { planOf } from "../../../runtime/setup/setup.js";
import { yamlOf } from "../../../runtime/setup/write-yaml.js";
import { type Computer, computer, ledFiles } from "../../drivers/pi/inspect/computers.js";

const SEESAW: FoundChip = { address: 0x36, kind: "seesaw", said: "hardware id of a seesaw" };
const ADC: FoundChip = { address: 0x48, kind: "ads1115", said: "config register 0x8583" };

async function findings(t: Test, name: Computer, chips: FoundChip[] = [], extra = {}): Promise<Findings> {
  const run = async () => ({ said: "", status: undefined });
  const found = await inspect({
    machine: computer(t, name, extra),
    clock: new SystemClock(),
    run,
    leaveBus: "a test",
  });
  return { ...found, headerBus: { number: 1, chips } };
}

function draft(answers: Answers, found: Findings) {
  const settled = settle(answers, found);
  if ("problems" in settled) throw new Error(JSON.stringify(settled.problems));
  return settled.draft;
}

const problems = (answers: Answers, found: Findings): string[] => {
  const settled = settle(answers, found);
  return "problems" in settled ? settled.problems.map(({ key, what }) => `${key}: ${what}`) : [];
};

const PLANT = { id: "basil", probe: "0x48/0", pump: { gpio: 17, on_when: "high" } } as const;

t.test(
  "what the hardware makes plain need not be said: board, one seesaw, a relay's LED, one camera",
  async (t) => {
    const found = await findings(t, "pi4", [SEESAW]);
    t.same(draft({ plants: [{ id: "basil" }] }, found), {
      board: "pi",
      i2c_bus: 1,
      plants: [
        {
          id: "basil",
          probe: { chip: "seesaw", address: 0x36 },
          pump: { output: { gpio: 17, active_low: false, via: "led", led: "basil-pump" } },
          camera: { program: "fswebcam", device: "/dev/v4l/by-id/usb-046d_0825_ABCDEF-video-index0" },
        },
      ],
    });
  },
);

t.test(
  "what is not plain is an error that names its key: no pin, polarity or ADC input is guessed",
  async (t) => {
    const found = await findings(t, "pi5", [ADC]);
    t.match(problems({ plants: [{ id: "basil" }] }, found), [
      /^plants\[0\]\.probe: which input.*0x48\/0/,
      /^plants\[0\]\.pump\.gpio: which pin.*none/,
    ]);
    t.match(problems({ plants: [{ ...PLANT, pump: { gpio: 17 } }] }, found), [
      /^plants\[0\]\.pump\.on_when: .*click on/,
    ]);
    t.match(problems({}, found), [/^plants: which plants/]);
  },
);

t.test("a PC is asked for the bench by name, and is never taken for a Pi", async (t) => {
  const found = await findings(t, "pc");
  t.match(problems({ plants: [PLANT] }, found), [/^board: .*not a Raspberry Pi.*bench/]);
  t.match(problems({ board: "pi", plants: [PLANT] }, found), [/^board: .*not a Raspberry Pi/]);
  const plants = [{ id: "basil", species: "basil" }];
  t.same(draft({ board: "bench", plants }, found), { board: "bench", plants });
});

t.test('a room\'s sensor keeps the chip that was found, and the first is in "room"', async (t) => {
  const chips: FoundChip[] = [
    { address: 0x76, kind: "bh1750", said: "" },
    { address: 0x77, kind: "bme280", said: "" },
  ];
  t.same(draft({ plants: [PLANT] }, await findings(t, "pi4", chips)).climate, [
    { place: "room", chip: "bh1750", address: 0x76 },
    { place: "room 2", chip: "bme280", address: 0x77 },
  ]);
});

t.test("each simulated plant has a probe input of its own, also the sixteenth", async (t) => {
  const found = await findings(t, "pc");
  const plants = Array.from({ length: MAX_PLANTS }, (_, at) => ({ id: `plant-${at}` }));
  const settled = draft({ board: "bench", plants }, found);
  t.match(settled.plants.slice(0, 6), [
    { probe: undefined },
    { probe: { chip: "ads1115", address: 0x48, channel: 1 } },
    { probe: { channel: 2 } },
    { probe: { channel: 3 } },
    { probe: { address: 0x49, channel: 0 } },
    { probe: { address: 0x49, channel: 1 } },
  ]);
  const yaml = yamlOf(settled, "2026-11-27");
  t.equal(parseConfig(yaml, "tendril.yaml").plants.length, MAX_PLANTS);
  t.match(yaml, /What each key means:\n# docs\/configuration-keys\.md/);
  t.notMatch(yaml, /calibrate/, "what is simulated needs no calibration");
});

const REFUSED: readonly [what: string, answers: Partial<Answers>, problem: RegExp][] = [
  [
    "on at power-on",
    { plants: [{ ...PLANT, pump: { gpio: 5, on_when: "high" } }] },
    /pump\.gpio: GPIO 5 is pulled high/,
  ],
  [
    "the serial port's",
    { plants: [{ ...PLANT, pump: { gpio: 14, on_when: "high" } }] },
    /pump\.gpio: GPIO 14 cannot be used/,
  ],
  [
    "taken by another program",
    { plants: [{ ...PLANT, pump: { gpio: 23, on_when: "high" } }] },
    /GPIO 23 is taken by a program/,
  ],
  [
    "taken by 1-Wire",
    { stop_button: { gpio: 4, active_when: "high" } },
    /stop_button\.gpio: GPIO 4 is taken by 1-Wire/,
  ],
  [
    "the pump's own",
    { plants: [{ ...PLANT, light: { gpio: 17, on_when: "high" } }] },
    /light\.gpio: GPIO 17 is taken by the relay basil-pump/,
  ],
  [
    "the pump's, for a float",
    { tank_float: { gpio: 17, active_when: "high" } },
    /tank_float\.gpio: GPIO 17 is taken by the relay/,
  ],
];
for (const [what, answers, problem] of REFUSED)
  t.test(`a pin that is ${what} is refused with the reason`, async (t) => {
    t.match(problems({ plants: [PLANT], ...answers }, await findings(t, "pi4")), [problem]);
  });

t.test(
  "a LED that our own block of config.txt makes stands in no plant's way: the block is written anew",
  async (t) => {
    const leds = ledFiles("fern-pump", 27, false);
    const wanted = { plants: [{ ...PLANT, pump: { gpio: 27, on_when: "high" } }] } satisfies Answers;
    t.match(problems(wanted, await findings(t, "pi5", [], leds)), [/taken by the LED fern-pump/]);
    const block =
      "# tendril begin\n[all]\ndtoverlay=gpio-led,gpio=27,label=fern-pump,trigger=transient\n# tendril end\n";
    const found = await findings(t, "pi5", [], { ...leds, "boot/firmware/config.txt": block });
    t.match(draft(wanted, found).plants, [{ pump: { output: { gpio: 27 } } }]);
  },
);

const WHOLE: Answers = {
  plants: [
    {
      ...PLANT,
      name: 'Grandma\'s "basil": № 1 #2',
      species: "basil",
      light: { gpio: 6, on_when: "low" },
      camera: "rpicam-still 1",
    },
    { id: "fern", probe: "0x36", pump: { gpio: 27, on_when: "high", flow_ml_per_s: 2.5 }, camera: "none" },
  ],
  stop_button: { gpio: 5, active_when: "high" },
  leak_sensor: { gpio: 24, active_when: "low" },
  interlock: "/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0",
  network: "house",
};

t.test("the file that is written is read by the genuine configuration as what was answered", async (t) => {
  const found = await findings(t, "pi4");
  const { yaml } = planOf(draft(WHOLE, found), found, "tendril.yaml", "2026-11-21");
  t.match(parseConfig(yaml, "tendril.yaml"), {
    board: "pi",
    plants: [
      {
        name: 'Grandma\'s "basil": № 1 #2',
        probe: { chip: "ads1115", address: 0x48, channel: 0 },
        pump: { output: { gpio: 17, active_low: false, via: "led", led: "basil-pump" } },
        light: { output: { gpio: 6, active_low: true } },
        camera: { program: "rpicam-still", index: 1 },
      },
      { id: "fern", probe: { chip: "seesaw", address: 0x36 }, pump: { flow_ml_per_s: 2.5 } },
    ],
    inputs: [
      { kind: "stop", active_low: false },
      { kind: "leak", active_low: true },
    ],
    interlock: { via: "serial", port: WHOLE.interlock },
    server: {
      host: "127.0.0.1",
      tls: { host: "0.0.0.0", port: 8732 },
      public_url: "https://plants.local:8732",
      allowed_hosts: ["plants", "plants.local"],
    },
  });
  t.match(yaml, /^# Written by "tendril setup" on 2026-11-21/);
  t.match(yaml, /address: 0x48.*# not calibrated: "tendril calibrate moisture"/);
  t.match(yaml, /flow_ml_per_s: 1\.5 # a guess/);
  t.notMatch(yaml, /2\.5 # a guess/);
});

t.test("without a word about the network nobody but this computer gets in", async (t) => {
  const found = await findings(t, "pi4");
  const { yaml } = planOf(draft({ plants: [PLANT] }, found), found, "tendril.yaml", "2026-11-21");
  t.equal(parse(yaml).server, undefined);
  t.equal(parseConfig(yaml, "tendril.yaml").server.host, "127.0.0.1");
});

t.test("what the schema refuses is refused before anything is written, with its line", async (t) => {
  const found = await findings(t, "pi4");
  const twice = draft({ plants: [PLANT, { ...PLANT, id: "fern", pump: "none" }] }, found);
  t.throws(() => planOf(twice, found, "tendril.yaml", "2026-11-21"), {
    message: /tendril\.yaml:\d+: plants\[1\]: its probe input/,
  });
});
