import type { Look } from "../bench-plant.js";
import { paintCactus } from "./cactus.js";
import { paintFern } from "./fern.js";
import { paintLeafy } from "./leafy.js";
import type { PaintGrowth } from "./plant.js";
import { paintTomato } from "./tomato.js";

export const FORMS: Readonly<Record<Look["form"], PaintGrowth>> = {
  leafy: paintLeafy,
  tomato: paintTomato,
  fern: paintFern,
  cactus: paintCactus,
};
