import { SPECIES_NAMES } from "../../drivers/bench/species.js";
import { MOST_PLANTS } from "../../runtime/config/schema.js";
import { UsageError } from "../errors.js";
import type { PlantSetup } from "./world.js";

/** `cactus,basil,basil` → Cactus1, Basil1 and Basil2. Throws a UsageError for a species nobody has described. */
export function plantsFrom(species: readonly string[]): readonly PlantSetup[] {
  if (species.length > MOST_PLANTS)
    throw new UsageError(`${species.length} plants; the bench has room for ${MOST_PLANTS}`);
  return species.map((each, index) => {
    assertKnown(each);
    const number = species.slice(0, index).filter((other) => other === each).length + 1;
    const id = number === 1 ? each : `${each}-${number}`;
    return { id, name: `${each[0]?.toUpperCase()}${each.slice(1)}${number}`, species: each };
  });
}

function assertKnown(species: string): void {
  if (SPECIES_NAMES.includes(species)) return;
  throw new UsageError(`there is no species "${species}"; known: ${SPECIES_NAMES.join(", ")}`);
}
