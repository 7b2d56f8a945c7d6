import { z } from "zod";

/** The answer of read_time: how words about a time were understood. All times are UTC, ISO 8601. */
export const readTimeResult = z.object({
  at: z.string(),
  recurrence: z.string().nullable().describe("a rule of RFC 5545; its hours are those of `zone`"),
  zone: z.string(),
  words: z.string().describe("said again, they give the same times"),
  notes: z.array(z.string()).describe("what was taken for granted"),
  next: z.array(z.string()).describe("the first three times; one of what does not recur"),
});
export type ReadTime = z.output<typeof readTimeResult>;
