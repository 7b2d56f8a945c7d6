import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import type { FoundChip } from "../../../drivers/pi/inspect/chips.js";
import { inspect } from "../../../drivers/pi/inspect/inspect.js";
import { LineAsker } from "../../../runtime/setup/asker.js";
import { guide, shortName } from "../../../runtime/setup/guide.js";
import { settle } from "../../../runtime/setup/settle.js";
import { describeFindings } from "../../../runtime/setup/setup.js";
import { computer } from "../../drivers/pi/inspect/computers.js";

const CHIPS: FoundChip[] = [
  { address: 0x37, kind: "seesaw", said: "hardware id of a seesaw" },
  { address: 0x49, kind: "ads1115", said: "config register 0x8583" },
  { address: 0x4a, kind: "unknown", said: "config register 0x6060" },
];

async function findings(t: Test, chips = CHIPS) {
  const run = async () => ({ said: "", status: undefined });
  const found = await inspect({
    machine: computer(t, "pi4"),
    clock: new SystemClock(),
    run,
    leaveBus: "a test",
  });
  return { ...found, headerBus: { number: 1, chips } };
}

/** The guide with a person who answers line by line; `asked`: ports that the interlock was asked at. */
async function answered(t: Test, lines: readonly string[], chips = CHIPS) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const asker = new LineAsker(input, output);
  input.end(lines.map((line) => `${line}\n`).join(""));
  const found = await findings(t, chips);
  const asked: string[] = [];
  const answers = await guide(asker, found, async (port) => {
    asked.push(port);
    return "an interlock answers: firmware 1, protocol 1";
  });
  output.end();
  return { answers, found, asked, out: await text(output) };
}

const FERN = ["Grandma's Fern", "", "", "1", "yes", "2", "1", "yes", "1", "1", "2"];

t.test("chips that answer are offered by their inputs, and what is no probe is not", async (t) => {
  const { answers, out } = await answered(t, [...FERN, "no", "no", "no", "no", "1", "1"]);
  t.match(out, / 1 {2}seesaw soil sensor at 0x37\n {2}2 {2}A0 of the ADS1115 at 0x49 \(answers\)/);
  t.notMatch(out, /at 0x4a/);
  t.match(answers.plants, [
    {
      id: "grandma-s-fern",
      name: "Grandma's Fern",
      probe: "0x37",
      pump: { gpio: 22, on_when: "high" },
      light: { gpio: 5, on_when: "low" },
      camera: "none",
    },
  ]);
});

t.test("what one plant has is not offered to the next: name, probe and pins", async (t) => {
  const second = ["grandma's fern", "Basil", "grandma-s-fern", "basil", "", "1", "yes", "2", "1", "no", "1"];
  const lines = [...FERN, "yes", ...second, "no", "no", "no", "no", "1", "1"];
  const { answers, found, out } = await answered(t, lines);
  t.match(out, /there is a grandma's fern already/);
  t.match(out, /there is a grandma-s-fern already/);
  t.match(answers.plants?.[1], { id: "basil", probe: "0x49/0", pump: { gpio: 24 } });
  t.ok("draft" in settle(answers, found), "everything that the guide lets through can be settled");
});

t.test("button, sensor and float get pins of their own, and the level that their wiring makes", async (t) => {
  const contacts = ["yes", "1", "1", "yes", "1", "2", "yes", "1", "1"];
  const { answers, found } = await answered(t, [...FERN, "no", ...contacts, "1", "2"]);
  t.match(answers, {
    stop_button: { gpio: 6, active_when: "high" },
    leak_sensor: { gpio: 26, active_when: "low" },
    tank_float: { gpio: 16, active_when: "high" },
    network: "house",
  });
  t.ok("draft" in settle(answers, found));
});

t.test("a serial port is asked only where the person says so", async (t) => {
  const none = [...FERN, "no", "no", "no", "no"];
  const shy = await answered(t, [...none, "3", "no", "1"]);
  t.same([shy.answers.interlock, shy.asked], ["/dev/serial0", []]);
  const bold = await answered(t, [...none, "3", "yes", "1"]);
  t.same(bold.asked, ["/dev/serial0"]);
  t.match(bold.out, /an interlock answers: firmware 1/);
});

t.test("what was found is told in words, a chip of another kind with what it said", async (t) => {
  const words = describeFindings(await findings(t));
  t.match(
    words,
    /sensors +seesaw soil sensor at 0x37, ADS1115 \(or ADS1015\) at 0x49, an unknown chip at 0x4a \(config register 0x6060\)/,
  );
});

const AIR = [0x76, 0x77].map((address): FoundChip => ({ address, kind: "bme280", said: "id 0x60" }));

t.test("each sensor of the air that answers is asked for its room, and may be left out", async (t) => {
  const rest = ["no", "no", "no", "1", "1"];
  const both = await answered(t, [...FERN, "no", "", "room", "Attic", ...rest], [...CHIPS, ...AIR]);
  t.match(both.out, /A BME280 answers at 0x76\. Which room[\s\S]*there is a room already/);
  t.notMatch(both.out, /A0 of the ADS1115 at 0x76/);
  t.same(both.answers.climate, [
    { place: "room", chip: "bme280", address: "0x76" },
    { place: "Attic", chip: "bme280", address: "0x77" },
  ]);
  t.ok("draft" in settle(both.answers, both.found));
  const none = await answered(t, [...FERN, "no", "none", "none", ...rest], [...CHIPS, ...AIR]);
  t.equal(none.answers.climate, "none");
});

t.test("a short name keeps the letters of a name, without their accents", async (t) => {
  t.equal(shortName("Küchenkräuter"), "kuchenkrauter");
  t.equal(shortName("Ångström Ü"), "angstrom-u");
  t.equal(shortName("Weiße Smørblomst & Œillet Łąka"), "weisse-smorblomst-oeillet-laka");
  t.equal(shortName("Grandma's Fern"), "grandma-s-fern");
});
