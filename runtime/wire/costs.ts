import { z } from "zod";

/** What a model has cost an agent since its last report, which comes at the end of each turn. */
const cost = z.object({
  timestamp: z.string(),
  model: z.string(),
  calls: z.int(),
  tokens: z.number().describe("read and written together"),
  money: z.number().nullable().describe("in the currency of the agent's prices; null: no price is known"),
  by: z.string().describe("the agent's token"),
});
export type Cost = z.output<typeof cost>;

export const costList = z.object({ count: z.int(), costs: z.array(cost) });
