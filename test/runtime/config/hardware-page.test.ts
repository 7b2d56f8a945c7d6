import { readFileSync } from "node:fs";
import t from "tap";
import { boardConfig } from "../../../runtime/config/schema.js";
import { configSchema } from "../../../runtime/configuration.js";
import { parseYaml } from "../../../runtime/wire/yaml-file.js";

const page = readFileSync("docs/hardware.md", "utf8");
const block = (language: string) => page.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? "";
const complain = (problems: readonly string[]) => new Error(problems.join("\n"));
const board = boardConfig(parseYaml(block("yaml"), "docs/hardware.md", configSchema, complain));

t.test(
  "the example in docs/hardware.md is a configuration for a Pi, with every key of the wiring",
  async (t) => {
    t.equal(board.kind, "pi");
    t.same(board.inputs?.map(({ kind }) => kind).toSorted(), ["leak", "stop", "tank"]);
    t.ok(board.plants[0]?.pump.output && board.plants[0]?.light);
  },
);

t.test("its config.txt makes the LEDs, levels and pull-ups that the example is wired to", async (t) => {
  const lines = block("ini").split("\n");
  const [plant] = board.plants;
  for (const output of [plant?.pump.output, plant?.light?.output]) {
    if (!output) throw new RangeError("the example has a pump and a light");
    const { gpio, led, activeLow } = output;
    t.ok(lines.includes(`gpio=${gpio}=op,${activeLow ? "dh" : "dl"}`), `level of ${led}`);
    const overlay = lines.find((line) => line.startsWith(`dtoverlay=gpio-led,gpio=${gpio},`));
    t.match(overlay, `label=${led}`);
    t.equal(overlay?.includes("active_low=1"), activeLow, led);
  }
  const [, pulled = ""] = /^gpio=([\d,]+)=ip,pu$/m.exec(block("ini")) ?? [];
  t.same(
    pulled.split(",").map(Number),
    board.inputs?.filter(({ kind }) => kind !== "leak").map(({ gpio }) => gpio),
    "the leak sensor drives its pin itself",
  );
});
