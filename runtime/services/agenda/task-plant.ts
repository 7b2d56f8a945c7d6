import { excerpt, TendrilError } from "../../errors.js";
import type { Plants } from "../../plants.js";

/** "check_plant:NAME": the task is for that plant. */
const CHECK = /^check_plant\s*:\s*(.*)$/is;

/** What a task is about, once its plant is known. */
export interface AboutPlant {
  readonly description: string;
  /** Undefined: all plants. */
  readonly plant: string | undefined;
}

/**
 * The plant of a task: the one it was given, or the one its "check_plant:NAME" names, by id or name in any case.
 * Throws UNKNOWN_PLANT, and INVALID_ARGUMENT where the two are not the same.
 */
export function aboutPlant(description: string, given: string | undefined, plants: Plants): AboutPlant {
  const named = CHECK.exec(description)?.[1];
  if (named === undefined) return { description, plant: given };
  const plant = plants.resolve(named);
  if (given === undefined || given === plant) return { description: `check_plant:${plant}`, plant };
  const what = `add_task: plant is ${given}, but the description names ${excerpt(named)}`;
  throw new TendrilError("INVALID_ARGUMENT", what);
}
