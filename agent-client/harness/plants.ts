import { UsageError } from "../options.js";
import type { PlantSetup } from "./world.js";

/** Sockets on the bench. */
const MOST = 16;

/** `cactus,basil,basil` → Cactus1, Basil1 and Basil2. Throws a UsageError for a species nobody has described. */
export function plantsFrom(species: readonly string[]): readonly PlantSetup[] {
  if (species.length > MOST) throw new UsageError(`${species.length} plants; the bench has room for ${MOST}`);
  return species.map((each, index) => {
    const number = species.slice(0, index).filter((other) => other === each).length + 1;
    const id = number === 1 ? each : `${each}-${number}`;
    return { id, name: `${each[0]?.toUpperCase()}${each.slice(1)}${number}`, species: each };
  });
}

export const goodRangeOf = (_species: string): { from: number; to: number } => ({ from: 40, to: 80 });
