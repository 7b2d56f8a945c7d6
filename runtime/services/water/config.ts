import { z } from "zod";
import { DAILY_LIMIT_ML } from "../../safety/water-window.js";

const water = z.strictObject({
  daily_limit_ml: z
    .int()
    .min(10)
    .max(DAILY_LIMIT_ML)
    .default(DAILY_LIMIT_ML)
    .describe("rolling 24 h limit per plant"),
  no_response: z
    .strictObject({
      ml: z.int().min(20).max(500).default(60),
      window_hours: z.number().min(0.5).max(24).default(3),
      settle_minutes: z.number().min(1).max(120).default(15),
    })
    .refine(({ settle_minutes, window_hours }) => settle_minutes < window_hours * 60, {
      path: ["settle_minutes"],
      error: "must be shorter than window_hours: else no reading would ever be in time",
    })
    .prefault({})
    .describe(
      "never more water of one day than this without an answer of the soil: a dose beyond it waits until settle_minutes after the last one, then locks the pump; an answer counts up to window_hours after its dose",
    ),
});

/** Keys of the configuration: how much water, and how much of it without an answer of the soil. */
export const waterConfig = { water: water.prefault({}) };
