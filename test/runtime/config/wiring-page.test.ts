import { readFileSync } from "node:fs";
import t from "tap";
import { configSchema } from "../../../runtime/configuration.js";
import { parseYaml } from "../../../runtime/wire/yaml-file.js";
import { type Element, parseStrictly } from "../../agent-client/harness/report/strict-xml.js";

const hardware = readFileSync("docs/hardware.md", "utf8");
const page = readFileSync("docs/wiring.md", "utf8");
const example = hardware.split("```yaml\n")[1]?.split("```")[0] ?? "";
const complain = (problems: readonly string[]) => new Error(problems.join("\n"));
const { plants, inputs } = parseYaml(example, "docs/hardware.md", configSchema, complain);

/** The header's pins by BCM number (Raspberry Pi documentation, "GPIO and the 40-pin header"). */
const HEADER: ReadonlyMap<number, number> = new Map(
  Object.entries({
    2: 3,
    3: 5,
    4: 7,
    14: 8,
    15: 10,
    17: 11,
    18: 12,
    27: 13,
    22: 15,
    23: 16,
    24: 18,
    10: 19,
    9: 21,
    25: 22,
    11: 23,
    8: 24,
    7: 26,
    0: 27,
    1: 28,
    5: 29,
    6: 31,
    12: 32,
    13: 33,
    19: 35,
    16: 36,
    26: 37,
    20: 38,
    21: 40,
  }).map(([gpio, pin]) => [Number(gpio), pin]),
);
/** Pins 3.3 V and ground (the same). */
const SUPPLY = { "3.3 V": [1, 17], ground: [6, 9, 14, 20, 25, 30, 34, 39] };

/** What the example names, the bus that it uses, and the UART of an interlock. */
const WIRED = [
  2,
  3,
  14,
  15,
  ...plants.flatMap(({ pump, light }) => [pump.output?.gpio, light?.output?.gpio]),
  ...inputs.map(({ gpio }) => gpio),
]
  .flatMap((gpio) => (gpio === undefined ? [] : [gpio]))
  .toSorted((a, b) => a - b);

const textsOf = ({ name, children, attributes }: Element): { text: string; kind: string }[] =>
  name === "text"
    ? [{ text: children.join(""), kind: attributes.class ?? "" }]
    : children.flatMap((child) => (typeof child === "string" ? [] : textsOf(child)));

/** Each pin of the picture that something is wired to, and what is written beside it. */
function pinsOf(svg: Element): { pin: number; label: string }[] {
  const texts = textsOf(svg);
  return texts.flatMap(({ text, kind }, at) =>
    kind === "pn" ? [{ pin: Number(text), label: texts[at + 1]?.text ?? "" }] : [],
  );
}

const gpioOf = (text: string): number[] => [...text.matchAll(/GPIO (\d+)/g)].map(([, gpio]) => Number(gpio));

t.test("the picture is well-formed, and tells in words what it shows", async (t) => {
  const svg = parseStrictly(readFileSync("docs/wiring.svg", "utf8"));
  t.equal(svg.name, "svg");
  const [title, desc] = svg.children.filter((child) => typeof child !== "string");
  t.match([title?.name, desc?.name], ["title", "desc"]);
  t.notMatch(
    textsOf(svg)
      .map(({ text }) => text)
      .join("\n"),
    /undefined|NaN/,
  );
});

t.test("the picture has exactly the example's pins, each at its place on the header", async (t) => {
  const pins = pinsOf(parseStrictly(readFileSync("docs/wiring.svg", "utf8")));
  const signals = pins.filter(({ label }) => gpioOf(label).length > 0);
  t.same(
    signals.flatMap(({ label }) => gpioOf(label)).toSorted((a, b) => a - b),
    WIRED,
  );
  for (const { pin, label } of signals) t.equal(HEADER.get(gpioOf(label)[0] ?? -1), pin, label);
  for (const { pin, label } of pins.filter((each) => !signals.includes(each)))
    t.ok(SUPPLY[label as keyof typeof SUPPLY]?.includes(pin), `pin ${pin} is ${label}`);
});

t.test("the picture says of each pin what the example says", async (t) => {
  const labels = pinsOf(parseStrictly(readFileSync("docs/wiring.svg", "utf8"))).map(({ label }) => label);
  const [plant] = plants;
  t.ok(labels.includes(`GPIO ${plant?.pump.output?.gpio} · pump`));
  t.ok(labels.includes(`GPIO ${plant?.light?.output?.gpio} · light`));
  for (const { kind, gpio } of inputs) t.ok(labels.includes(`GPIO ${gpio} · ${kind}`), kind);
});

t.test("the page's table has the picture's pins, and its table of the boot has all of them", async (t) => {
  const rows = [...page.matchAll(/^\| (\d+) \| (\d*) ?\|/gm)].map(([, pin, gpio]) => ({
    pin: Number(pin),
    gpio,
  }));
  const pins = pinsOf(parseStrictly(readFileSync("docs/wiring.svg", "utf8")));
  t.same(
    rows.map(({ pin }) => pin),
    pins.map(({ pin }) => pin).toSorted((a, b) => a - b),
  );
  for (const { pin, gpio } of rows) if (gpio) t.equal(HEADER.get(Number(gpio)), pin, `GPIO ${gpio}`);
  const boot = page.split("## What each pin does while the Pi boots")[1]?.split("\n- ")[0] ?? "";
  const told = [...boot.matchAll(/^\| ([\d, ]+), /gm)].flatMap(([, gpios = ""]) =>
    gpios.split(",").map(Number),
  );
  t.same(
    told.toSorted((a, b) => a - b),
    WIRED,
  );
});
