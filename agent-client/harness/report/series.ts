import type { PlantResult } from "../result.js";
import type { Sample } from "./thin.js";
import { instant } from "./time-axis.js";

export type Hourly = PlantResult["hourly"];
export type Quantity = Exclude<keyof Hourly, "at">;

/**
 * One quantity with its times.
 * @throws where it has not one value a time, or a value that is no number.
 */
export function seriesOf(plant: Pick<PlantResult, "id" | "hourly">, quantity: Quantity): readonly Sample[] {
  const { at, [quantity]: values } = plant.hourly;
  const name = `${quantity} of plant ${plant.id}`;
  if (values.length !== at.length)
    throw new Error(`${name} has ${values.length} values for ${at.length} hours: give one an hour`);
  return values.map((value, index) => [
    instant(at[index] ?? "", `hour ${index} of ${name}`),
    sound(value, name),
  ]);
}

function sound(value: number | null, name: string): number | null {
  if (value !== null && !Number.isFinite(value))
    throw new Error(`${name} holds ${value}: give a finite number, or null for no reading`);
  return value;
}
