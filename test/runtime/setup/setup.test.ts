import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { type Computer, computer } from "../../drivers/pi/inspect/computers.js";
import { failsClearly, TENDRIL, tendrilTold } from "../../run-tendril.js";
import { tendrilHere } from "../../tendril-here.js";
import { hasTerminals, Terminal } from "../../terminal.js";

const ANSWERS = "plants:\n  - { id: basil, probe: 0x48/0, pump: { gpio: 17, on_when: high } }\n";
const isRoot = process.getuid?.() === 0;

/** A computer, an empty state folder, and answers in a file. */
function rig(t: Test, name: Computer, answers = ANSWERS) {
  const { root } = computer(t, name);
  const state = mkdtempSync(join(tmpdir(), "tendril-setup-"));
  t.teardown(() => rmSync(state, { recursive: true, force: true }));
  const from = join(state, "answers.yaml");
  writeFileSync(from, answers);
  const file = join(state, "tendril.yaml");
  const args = ["setup", "--root", root, "--state", state];
  const configTxt = join(root, "boot/firmware/config.txt");
  return { args, from, file, state, configTxt };
}

const kept = (folder: string, name: string) =>
  readdirSync(folder).filter((each) => each.startsWith(`${name}.before-`));

t.test(
  "unattended: what the file answers is written, checked, for its owner and its group alone",
  async (t) => {
    const { args, from, file, state, configTxt } = rig(t, "pi4");
    const ran = await tendrilHere([...args, "--yes", "--from", from], { TENDRIL_CONFIG: "" });
    t.match(ran, { code: 0, err: "" });
    t.match(readFileSync(file, "utf8"), /board: pi[\s\S]*gpio: 17/);
    t.equal(statSync(file).mode & 0o777, 0o640);
    if (isRoot) t.equal(statSync(file).gid, 995, "the group tendril of that computer's /etc/group");
    t.match(ran.out, /next:\n {2}sudo reboot[\s\S]*tendril doctor[\s\S]*calibrate moisture[\s\S]*tokens/);
    t.match((await tendrilHere(["config", "--state", state])).out, /id: basil/);
    t.equal(/# tendril begin/.test(readFileSync(configTxt, "utf8")), isRoot, "config.txt is root's");
  },
);

t.test("a mistake in the answers is named with its line, its key and what may be there", async (t) => {
  for (const [answers, said] of [
    [
      ANSWERS.replace("high", "hgh"),
      `2: plants[0].pump.on_when: must be "high" or "low": the pin's level (got "hgh")`,
    ],
    [ANSWERS.replace("on_when", "on_wen"), "2: plants[0].pump.on_wen: unknown key; did you mean on_when?"],
    [
      ANSWERS.replace(/\{ gpio.*?\}/, "yes"),
      '2: plants[0].pump: must be "none" or keys with values, as in { key: value } (got "yes")',
    ],
    [`${ANSWERS}climate: { place: attic }`, '3: climate: must be "none" or a list'],
    [
      `${ANSWERS}climate: [{ place: attic, address: "0x23" }]`,
      '3: climate[0].address: must be "0x76" or "0x77", where a BME280 is (got "0x23")',
    ],
  ] as const) {
    const { args, from } = rig(t, "pi4", answers);
    const ran = await tendrilHere([...args, "--yes", "--from", from]);
    t.match(ran.err, `tendril: ${from}:${said}\n`);
    t.not(ran.code, 0);
  }
});

t.test(
  "again: nothing is lost, a copy is kept of what was there, and config.txt stays as it is",
  async (t) => {
    const { args, from, file, state, configTxt } = rig(t, "pi4");
    writeFileSync(file, "board: bench # mine\n");
    await tendrilHere([...args, "--yes", "--from", from]);
    const [copy = ""] = kept(state, "tendril.yaml");
    t.match(copy, /^tendril\.yaml\.before-\d{8}-\d{6}$/);
    t.equal(readFileSync(join(state, copy), "utf8"), "board: bench # mine\n");
    const before = readFileSync(configTxt, "utf8");
    const ran = await tendrilHere([...args, "--yes", "--from", from]);
    t.equal(readFileSync(configTxt, "utf8"), before);
    if (isRoot) t.notMatch(ran.out, /reboot/);
  },
);

t.test("--dry-run shows the configuration and every line of config.txt, and writes nothing", async (t) => {
  const { args, from, file, configTxt } = rig(t, "pi5");
  const before = readFileSync(configTxt, "utf8");
  const { code, out } = await tendrilHere([...args, "--dry-run", "--from", from]);
  t.equal(code, 0);
  t.match(
    out,
    /board: pi[\s\S]*dtparam=i2c_arm=on[\s\S]*label=basil-pump,trigger=transient[\s\S]*nothing was written/,
  );
  t.notOk(existsSync(file));
  t.equal(readFileSync(configTxt, "utf8"), before);
});

const REFUSALS: readonly [what: string, name: Computer, answers: string, message: RegExp][] = [
  [
    "a pin that is on at power-on",
    "pi4",
    ANSWERS.replace("17", "6"),
    /plants\[0\]\.pump\.gpio: GPIO 6 is pulled high/,
  ],
  ["a pin of the I²C bus", "pi4", ANSWERS.replace("17", "3"), /answers\.yaml:2: plants\[0\]\.pump.*/],
  [
    "an answer that is missing",
    "pi5",
    "plants: [{ id: basil, probe: 0x48/0 }]",
    /plants\[0\]\.pump\.gpio: which pin/,
  ],
  ["a key that does not exist", "pi4", `${ANSWERS}pomp: 1\n`, /answers\.yaml:3: pomp: unknown key/],
  ["a Pi that is none", "pc", ANSWERS, /board: this computer is not a Raspberry Pi/],
];
for (const [what, name, answers, message] of REFUSALS)
  t.test(`unattended, ${what} is refused by name, and nothing is written`, async (t) => {
    const { args, from, file } = rig(t, name, answers);
    failsClearly(t, await tendrilHere([...args, "--yes", "--from", from]), message);
    t.notOk(existsSync(file));
  });

t.test("answers without a yes are no order to write", async (t) => {
  const { args, from, file } = rig(t, "pi4");
  const ran = await tendrilHere([...args, "--from", from]);
  t.equal(ran.code, 2);
  failsClearly(t, ran, /add --yes to write it, or --dry-run/);
  t.notOk(existsSync(file));
});

t.test(
  "a folder that cannot be written to is told of, and leaves no half of a file",
  { skip: isRoot && "root writes anywhere" },
  async (t) => {
    const { args, from, state } = rig(t, "pi4");
    chmodSync(state, 0o500);
    failsClearly(t, await tendrilHere([...args, "--yes", "--from", from]), /cannot be written \(EACCES/);
    t.same(readdirSync(state), ["answers.yaml"]);
    chmodSync(state, 0o700);
  },
);

/** One plant with a pump on the first fit pin, nothing else; then yes, and yes to config.txt where root asks. */
const ONE_PLANT = [
  ...["Sweet Basil", "", "basil"], // name, id as proposed, species
  ...["2"], // the second input
  ...["yes", "2", "1"], // a pump; on while high; the first pin
  ...["no"], // no light
  ...["1"], // the webcam
  ...["no"], // no other plant
  ...["no", "no", "no"], // no button, no leak sensor, no float
  ...["1", "1"], // no interlock; this computer alone
];

t.test("the guide in plain lines: every question has an answer's worth of effect", async (t) => {
  const { args, file } = rig(t, "pi4");
  const { code, out, err } = await tendrilTold(args, [...ONE_PLANT, "yes", "yes"]);
  t.match({ code, err }, { code: 0, err: "" });
  t.match(out, /board +Raspberry Pi 4 Model B Rev 1\.4, 4\.0 GB/);
  t.match(out, /Does the relay of Sweet Basil's pump click on when the pin is LOW\?/);
  t.match(
    readFileSync(file, "utf8"),
    /id: sweet-basil\n +name: Sweet Basil\n +species: basil\n.*address: 0x48, channel: 1 /,
  );
  t.match(
    readFileSync(file, "utf8"),
    /output: \{ gpio: 22, active_low: false, via: led, led: sweet-basil-pump \}/,
  );
});

t.test("who says no at the end, or goes in the middle, has changed nothing", async (t) => {
  const { args, file, configTxt } = rig(t, "pi4");
  const before = readFileSync(configTxt, "utf8");
  for (const lines of [[...ONE_PLANT, "no"], ONE_PLANT.slice(0, 5), []]) {
    const { code, err } = await tendrilTold(args, lines);
    t.match({ code, err }, { code: 130, err: /cancelled: nothing was changed/ });
  }
  t.notOk(existsSync(file));
  t.equal(readFileSync(configTxt, "utf8"), before);
});

t.test(
  "a wrong answer is asked again with the reason; who does not know the polarity is told what to do",
  async (t) => {
    const { args, file } = rig(t, "pi4");
    const lines = [...ONE_PLANT];
    lines.splice(5, 2, "3", "3", "22", "5"); // I do not know; another one: 22 is low from power-on
    const { out } = await tendrilTold(args, [...lines, "yes", "yes"]);
    t.match(out, /Leave pump and lamp unplugged until "\.\/tendril doctor --relays"/);
    t.match(out, /GPIO 22 is pulled low from power-on/);
    t.match(readFileSync(file, "utf8"), /gpio: 5, active_low: true/);
  },
);

t.test("on a PC the guide offers the bench", async (t) => {
  const { args, file } = rig(t, "pc");
  const { code, out } = await tendrilTold(args, ["", "", "", "", "no", "yes"]);
  t.equal(code, 0);
  t.match(out, /not a Raspberry Pi\. Write a configuration for simulated plants/);
  t.match(readFileSync(file, "utf8"), /board: bench\nplants:\n +- id: basil/);
});

const DOWN = "\u001b[B";
const ENTER = "\r";
const CTRL_C = "\u0003";

t.test(
  "in a terminal: menus, a whole plant, and Ctrl-C at the last question changes nothing",
  { skip: !hasTerminals() && "no script(1)" },
  async (t) => {
    const { args, file } = rig(t, "pi4");
    const terminal = new Terminal([TENDRIL, ...args]);
    t.teardown(() => terminal.kill());
    const steps: readonly [RegExp, string][] = [
      [/What do you call the plant/, `Fern${ENTER}`],
      [/short name for Fern/, ENTER],
      [/Which species/, ENTER],
      [/soil probe at/, `${DOWN}${ENTER}`],
      [/Has Fern a pump/, ENTER],
      [/click on when the pin is LOW/, `${DOWN}${ENTER}`],
      [/Which GPIO/, ENTER],
      [/grow light/, ENTER],
      [/Which camera/, ENTER],
      [/another plant/, ENTER],
      [/stop button/, ENTER],
      [/leak sensor/, ENTER],
      [/float in the tank/, ENTER],
      [/interlock/, ENTER],
      [/Who may reach/, ENTER],
      [/Write .*tendril\.yaml\?/, CTRL_C],
    ];
    for (const [question, keys] of steps) {
      await terminal.until(question);
      terminal.type(keys);
    }
    await terminal.until(/cancelled: nothing was changed/);
    t.equal(await terminal.end(), 130);
    t.notOk(existsSync(file));
  },
);
