import t from "tap";
import { z } from "zod";
import { ADAPTERS } from "../../../runtime/bridge/adapters.js";
import { configSchema } from "../../../runtime/configuration.js";
import { setInYaml, UneditableYaml } from "../../../runtime/wire/yaml-file.js";

const PROBE = ["plants", 0, "probe"] as const;
const ENDS = { dry_volts: 2.71, wet_volts: 1.24 };
const WRITTEN = "dry_volts: 2.71, wet_volts: 1.24";

/** What stands in a file, and what it is changed into. */
const CASES: ReadonlyArray<readonly [what: string, before: string, after: string]> = [
  [
    "values are replaced where they stand, with spaces, comments and quotes as they were",
    "plants:\n- id: 'basil'\n  probe:\n    dry_volts:   2.750   # dry\n\n\n    # wet\n    wet_volts: 1.2\n",
    "plants:\n- id: 'basil'\n  probe:\n    dry_volts:   2.71   # dry\n\n\n    # wet\n    wet_volts: 1.24\n",
  ],
  [
    "keys are added within braces",
    "plants:\n  - id: basil\n    probe: { address: 0x48,   channel: 0 }  # black\n",
    `plants:\n  - id: basil\n    probe: { address: 0x48,   channel: 0, ${WRITTEN} }  # black\n`,
  ],
  [
    "keys are added beneath the last line",
    "plants:\n  - id: basil\n    probe:\n      channel: 1 # one\n\n# end\ninputs: []\n",
    "plants:\n  - id: basil\n    probe:\n      channel: 1 # one\n      dry_volts: 2.71\n      wet_volts: 1.24\n\n# end\ninputs: []\n",
  ],
  [
    "a section that is not there is made",
    "plants:\n  - id: basil\n    pump:\n      flow_ml_per_s: 1.40\n  - id: fern\n",
    `plants:\n  - id: basil\n    pump:\n      flow_ml_per_s: 1.40\n    probe: { ${WRITTEN} }\n  - id: fern\n`,
  ],
  [
    "a section without keys is filled",
    "plants: [{ id: basil, probe: {} }]",
    `plants: [{ id: basil, probe: { ${WRITTEN} } }]`,
  ],
  [
    "a file without a newline at its end",
    "plants:\n  - id: basil",
    `plants:\n  - id: basil\n    probe: { ${WRITTEN} }`,
  ],
  [
    "a text of several lines before it",
    "plants:\n  - id: basil\n    name: |\n      abc\n  - id: b\n",
    `plants:\n  - id: basil\n    name: |\n      abc\n    probe: { ${WRITTEN} }\n  - id: b\n`,
  ],
  [
    "lines that end as Windows has them",
    "plants:\r\n  - id: basil\r\n    probe: { dry_volts: 2 }\r\n",
    `plants:\r\n  - id: basil\r\n    probe: { ${WRITTEN} }\r\n`,
  ],
];

for (const [what, before, after] of CASES) {
  t.test(`every other byte stays: ${what}`, async (t) => {
    t.equal(setInYaml(before, PROBE, ENDS), after);
    t.equal(setInYaml(after, PROBE, ENDS), after, "and a second time changes nothing");
  });
}

t.test("what cannot be changed alone is refused, and says where", async (t) => {
  const shared = "plants:\n  - id: a\n    probe: &p { channel: 1 }\n  - id: b\n    probe: *p\n";
  const refusals = [
    [shared, /plants\[0\]\.probe cannot be changed alone/],
    ["plants:\n  - id: a\n    probe: *p\n", /alias|mapping|Unresolved/],
    ["plants:\n  - id: a\n    probe:\n", /plants\[0\]\.probe is no mapping/],
    ["board: pi\n", /does not have plants/],
    ["", /empty/],
  ] as const;
  for (const [text, why] of refusals) t.throws(() => setInYaml(text, PROBE, ENDS), { message: why }, text);
  t.throws(() => setInYaml(shared, PROBE, ENDS), UneditableYaml);
});

/** Where a schema has a pattern (or an address, …) without words: zod's own show the pattern. */
function wordless(schema: unknown, path: string, seen = new Set<unknown>()): readonly string[] {
  if (typeof schema !== "object" || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  const { def = schema } = "_zod" in schema ? (schema._zod as { def: object }) : {};
  const isFormat = "check" in def && def.check === "string_format";
  const within = Object.entries(def).flatMap(([key, each]) => wordless(each, `${path}.${key}`, seen));
  return isFormat && !("error" in def && def.error) ? [path, ...within] : within;
}

t.test("tendril.yaml and bridge.yaml: each form that a text must have is told in words", (t) => {
  t.same(wordless(z.strictObject({ word: z.string().regex(/x/) }), ""), [".shape.word.checks.0"]);
  const parts = ADAPTERS.map(({ key, config }) => wordless(config, key));
  t.same([...wordless(configSchema, "tendril.yaml"), ...parts.flat()], []);
  t.end();
});
