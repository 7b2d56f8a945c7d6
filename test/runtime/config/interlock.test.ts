import { readFileSync } from "node:fs";
import t from "tap";
import { boardConfig } from "../../../runtime/config/schema.js";
import { parseConfig } from "../../../runtime/configuration.js";

const parse = (text: string) => parseConfig(text, "tendril.yaml");
const wiring = (text: string) => boardConfig(parse(text)).interlock;

t.test("without a word there is none; serial alone is the Pi's own UART", async (t) => {
  t.equal(wiring(""), undefined);
  t.equal(wiring("interlock: none"), undefined);
  t.same(wiring("interlock: serial"), { port: "/dev/serial0" });
  t.same(wiring("interlock: { via: serial, port: /dev/ttyUSB0 }"), { port: "/dev/ttyUSB0" });
  t.ok(wiring("interlock: bench"));
});

const PLANTS = `
plants:
  - { id: basil, light: { output: { gpio: 6 } } }
  - { id: fern, probe: { channel: 1 }, light: { output: { gpio: 22 } } }
`;

const REFUSED: [string, RegExp][] = [
  ["interlock: usb", /tendril.yaml:1: interlock: must be "none", "serial" or "bench"/],
  ["interlock: { via: serial, port: COM3 }", /interlock\.port: must be \/dev\/serial0.*\(got "COM3"\)/],
  ["interlock: { via: serial, baud: 9600 }", /interlock\.baud: unknown key/],
  ["interlock: { via: none, port: /dev/serial0 }", /interlock\.port: unknown key/],
  ["board: pi\ninterlock: bench", /interlock: is simulated, and board: pi is not: say serial, or none/],
  [
    `interlock: serial${PLANTS}`,
    /plants\[1\]\.light: the interlock has one light contact, and plants\[0\] has it/,
  ],
  [
    "interlock: serial\nplants: [{ id: basil, pump: { output: { gpio: 15 } } }]",
    /plants\[0\]\.pump\.output\.gpio: GPIO 15 is taken by interlock already/,
  ],
];

for (const [text, message] of REFUSED)
  t.test(`refused where it stands: ${text.split("\n").slice(0, 2).join(" ")}`, async (t) => {
    t.throws(() => parse(text), { code: "CONFIG_INVALID", message });
  });

t.test("a USB adapter leaves the header's UART pins free, and two lights need no interlock", async (t) => {
  const usb = "interlock: { via: serial, port: /dev/ttyUSB0 }";
  t.doesNotThrow(() => parse(`${usb}\nplants: [{ id: basil, pump: { output: { gpio: 15 } } }]`));
  t.doesNotThrow(() => parse(PLANTS));
});

t.test("the example in docs/interlock.md is a configuration for a Pi with an interlock", async (t) => {
  const [, text = ""] = readFileSync("docs/interlock.md", "utf8").split("```yaml\n");
  const board = boardConfig(parse(text.split("```")[0] ?? ""));
  t.match(board, { kind: "pi", interlock: { port: "/dev/serial0" } });
});
