import t from "tap";
import { SPECIES_NAMES, speciesNamed, speciesOf } from "../../../drivers/bench/species.js";

t.test("a species is known by its words in a free text; what is unknown is grown like basil", async (t) => {
  for (const [text, name] of [
    ["Golden barrel cactus", "cactus"],
    ["cherry tomato", "tomato"],
    ["Boston fern", "fern"],
    ["Ocimum basilicum", "basil"],
    ["TOMATOES, three", "tomato"],
    ["fernando's rose", "basil"],
    ["", "basil"],
    [undefined, "basil"],
  ] as const)
    t.equal(speciesOf(text).name, name, text ?? "none");
});

t.test("by name a species is found exactly, or the known ones are listed", async (t) => {
  for (const name of SPECIES_NAMES) t.equal(speciesNamed(name).name, name);
  t.throws(
    () => speciesNamed("Basil"),
    new RangeError('there is no species "Basil", only cactus, basil, tomato, fern'),
  );
});

t.test("the parameters of a species are in order", async (t) => {
  for (const { name, pot, light, temperature, good, aeration } of SPECIES_NAMES.map(speciesNamed)) {
    const { airDry, wiltingPoint, fieldCapacity, containerCapacity, saturation } = pot.substrate;
    const contents = [0, airDry, wiltingPoint, fieldCapacity, containerCapacity, saturation, 1];
    const { coldest, from, to, hottest } = temperature;
    for (const rising of [
      contents,
      [coldest, from, to, hottest],
      [0, light.least, light.most],
      [0, good.from, good.to, aeration.above, 100],
    ])
      t.same(
        rising,
        rising.toSorted((a, b) => a - b),
        name,
      );
  }
  t.ok(speciesNamed("cactus").good.to < speciesNamed("basil").good.to, "a cactus likes its soil drier");
});
