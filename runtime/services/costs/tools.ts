import { z } from "zod";
import { shortText } from "../../tools/parameters.js";
import { changes, defineTool } from "../../tools/tool.js";
import { done } from "../log-tools.js";
import { definePart } from "../module.js";

/** A line of journal/costs.jsonl: what a model has cost an agent since its last report. */
export interface Cost {
  readonly timestamp: string;
  readonly model: string;
  readonly calls: number;
  /** Read and written together. */
  readonly tokens: number;
  /** In the currency of the agent's prices; null: the agent knows no price. */
  readonly money: number | null;
  readonly by: string;
}

export const COST_LOG = {
  name: "costs",
  fold: (_: Cost | undefined, entry: Cost): Cost => entry,
};

export const costs = definePart("costs", (house) => house.journal(COST_LOG));

/** A choice: no model costs more between two reports, and a defect of an agent makes no sum absurd. */
const MOST = 1e9;
const amount = z.number().min(0).max(MOST);

export const reportCost = defineTool({
  name: "report_cost",
  service: costs,
  description: "For programs. Say what a model has cost since the last report.",
  facts: changes("Report a cost", { destroys: false, repeatable: false, speaks: false, world: "closed" }),
  role: "agent",
  listedTo: "human", // an agent's program reports; a model does not know its cost
  input: z.strictObject({
    model: shortText(200, "the model's name"),
    calls: z.int().min(0).max(MOST),
    tokens: z.int().min(0).max(MOST).describe("read and written together"),
    money: amount.nullable().describe("null: no price is known"),
  }),
  output: done,
  run: async (cost, { service, isoNow, call }) => {
    const timestamp = isoNow();
    await service.append({ timestamp, ...cost, by: call.identity.name });
    return { timestamp, success: true };
  },
});
