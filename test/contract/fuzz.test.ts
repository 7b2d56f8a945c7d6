import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import t, { type Test } from "tap";
import { rigFor } from "../rig.js";
import { validArguments } from "../services/contracts.js";
import { assertProper, CALLABLE, footprint, toolNamed, WHOLE_HOUSE } from "./proper-answer.js";

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

/** tap writes both out, though they be equal, which takes longer than the call. */
const isUnchanged = (t: Test, after: unknown, before: unknown, what: string) =>
  isDeepStrictEqual(after, before) ? t.pass(what) : t.same(after, before, what);

t.test(
  "whatever JSON a tool is given, it answers properly, and a refusal has changed nothing but that off is off",
  async (t) => {
    const rig = await rigFor(t, { config: WHOLE_HOUSE });
    let [done, refused] = [0, 0];
    let before = await footprint(rig);
    for (const { name, switchesOff } of CALLABLE) {
      const property = fc.asyncProperty(argumentsFor(name), async (args) => {
        const answer = await rig.during(name, args as Args, { as: "human" });
        answer.ok ? done++ : refused++;
        assertProper(t, name, answer, `${name} ${JSON.stringify(args)?.slice(0, 200)}`);
        const after = await footprint(rig);
        if (!answer.ok && !switchesOff)
          isUnchanged(t, after, before, `${name} refused with ${answer.error.code}`);
        before = after;
      });
      await fc.assert(property, { seed: 20261121, numRuns: 25 });
    }
    t.ok(done > 100 && refused > 200, `${done} calls done, ${refused} refused`);
  },
);
