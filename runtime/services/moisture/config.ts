import { z } from "zod";
import { cronProblem } from "../../schedule.js";

const cron = z.string().superRefine((pattern, ctx) => {
  const problem = cronProblem(pattern);
  if (problem !== undefined) ctx.addIssue({ code: "custom", message: `is no cron pattern: ${problem}` });
});

/** Keys of the configuration: how often the probes are read. */
export const moistureConfig = {
  sampling: z
    .strictObject({
      cron: cron.default("* * * * *").describe("when the moisture is read, in the zone"),
    })
    .prefault({}),
};
