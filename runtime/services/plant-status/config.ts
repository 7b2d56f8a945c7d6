import { z } from "zod";

/**
 * Hours, all of them choices. 36: an agent that cares once a day has missed one round, and half a day in which to make up for
 * it; a plant in a small pot lives through that. At most 30 days: after so long even a cactus wants to be looked at.
 */
const TELL_AFTER = { least: 1, most: 720, usual: 36 };

const error = `must be a number of hours from ${TELL_AFTER.least} to ${TELL_AFTER.most}, or "never"`;

/** Keys of the configuration: how long a cleared status counts, and when a person hears that nobody cares. */
export const statusConfig = {
  cycle: z
    .strictObject({ max_age_minutes: z.int().min(1).max(30).default(30) })
    .prefault({})
    .describe("how long a cleared status opens water and light"),
  care: z
    .strictObject({
      tell_after_hours: z
        .union(
          [z.number().min(TELL_AFTER.least, { error }).max(TELL_AFTER.most, { error }), z.literal("never")],
          {
            error,
          },
        )
        .default(TELL_AFTER.usual)
        .describe(
          "the person is told each time that nobody has completed a care of a plant for so long, or never",
        ),
    })
    .prefault({}),
};
