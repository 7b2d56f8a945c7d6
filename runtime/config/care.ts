import { z } from "zod";

/**
 * Hours. A choice: an agent that runs once a day and misses one round is not told of, one that misses two is; a plant in a
 * small pot lives through that. The most is 30 days, longer than which even a cactus wants to be looked at.
 */
const TELL_AFTER = { least: 1, most: 720, usual: 36 };

/** Keys of the configuration that say when a person hears that nobody cares. */
export const care = z.strictObject({
  tell_after_hours: z
    .union([z.number().min(TELL_AFTER.least).max(TELL_AFTER.most), z.literal("never")], {
      error: `must be a number of hours from ${TELL_AFTER.least} to ${TELL_AFTER.most}, or "never"`,
    })
    .default(TELL_AFTER.usual)
    .describe(
      "the person is told each time that nobody has completed a care of a plant for so long; never: not at all",
    ),
});
