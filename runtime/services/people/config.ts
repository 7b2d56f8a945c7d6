import { z } from "zod";

/** Keys of the configuration that limit an agent beyond what its plants need. */
export const messageConfig = {
  agent: z
    .strictObject({
      // a choice: what is wrong, a question, and one more that came up meanwhile
      messages_per_cycle: z
        .int()
        .min(1)
        .max(100)
        .default(3)
        .describe("messages of an agent to the person from one plant status to the next"),
      // a choice: an agent that cares for four plants every half hour tells less; a person reads no more
      messages_per_day: z
        .int()
        .min(1)
        .max(1000)
        .default(20)
        .describe("messages of an agent to the person in 24 h; the runtime's own alarms are not limited"),
    })
    .prefault({}),
};
