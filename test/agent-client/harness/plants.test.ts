import t from "tap";
import { UsageError } from "../../../agent-client/errors.js";
import { plantsFrom } from "../../../agent-client/harness/world.js";
import { SPECIES_NAMES } from "../../../drivers/bench/species.js";

t.test("every plant gets an id and a name of its own, also two of a kind", async (t) => {
  t.same(plantsFrom(["cactus", "basil", "basil"]), [
    { id: "cactus", name: "Cactus1", species: "cactus" },
    { id: "basil", name: "Basil1", species: "basil" },
    { id: "basil-2", name: "Basil2", species: "basil" },
  ]);
  const many = plantsFrom(Array.from({ length: 16 }, () => "fern"));
  t.equal(new Set(many.map(({ id }) => id)).size, 16);
  t.equal(new Set(many.map(({ name }) => name)).size, 16);
});

t.test(
  "an unknown species is refused with the known ones, and more plants than sockets with their number",
  async (t) => {
    t.throws(
      () => plantsFrom(["basil", "tulip"]),
      new UsageError(`there is no species "tulip"; known: ${SPECIES_NAMES.join(", ")}`),
    );
    t.throws(
      () => plantsFrom(Array.from({ length: 17 }, () => "fern")),
      /17 plants; the bench has room for 16/,
    );
  },
);
