import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { rigFor } from "../rig.js";
import { validArguments } from "../services/contracts.js";
import { CALLABLE, footprint, recorded, toolNamed, WHOLE_HOUSE, wrongWith } from "./proper-answer.js";

type Args = Readonly<Record<string, unknown>>;

/** Anything at all, or valid arguments with a few parameters replaced by anything at all. */
function argumentsFor(name: string): fc.Arbitrary<unknown> {
  const valid = validArguments(name);
  const known = [...Object.keys(valid), ...Object.keys(toolNamed(name).input.shape), "__proto__"];
  const bent = fc
    .dictionary(fc.constantFrom(...known), fc.oneof(fc.jsonValue(), nearNumbers), { maxKeys: 3 })
    .map((changes) => ({ ...valid, ...changes }));
  return fc.oneof({ weight: 1, arbitrary: fc.jsonValue() }, { weight: 3, arbitrary: bent });
}

const nearNumbers = fc.constantFrom<unknown>(
  0,
  1,
  9,
  10,
  25,
  26,
  30,
  120,
  121,
  1e15,
  -0,
  "2026-06-01",
  "9".repeat(20),
);

t.test(
  "whatever JSON a tool is given, it answers properly, and a refusal has changed nothing but that off is off",
  async (t) => {
    const rig = await rigFor(t, { config: WHOLE_HOUSE });
    const counts = { done: 0, refused: 0 };
    for (const { name, switchesOff } of CALLABLE) {
      const refused: Args[] = [];
      const property = fc.asyncProperty(argumentsFor(name), async (args) => {
        const before = recorded(rig);
        const answer = await rig.during(name, args as Args, { as: "human" });
        counts[answer.ok ? "done" : "refused"] += 1;
        assert.equal(wrongWith(name, answer), undefined);
        if (answer.ok) return;
        refused.push(args as Args);
        if (!switchesOff) assert.equal(recorded(rig), before, "it was refused, and something is recorded");
      });
      await t.resolves(fc.assert(property, { seed: 20261121, numRuns: 25 }), name);
      // what tools show is looked at once for all: it takes fifty calls
      const shown = await footprint(rig);
      for (const args of refused) await rig.refused(name, args, { as: "human" });
      t.same(await footprint(rig), shown, `${name}, of all that it refuses`);
    }
    t.ok(counts.done > 100 && counts.refused > 200, JSON.stringify(counts));
  },
);
