import { z } from "zod";
import { asWritten } from "../../store/records.js";
import { shortText } from "../../tools/parameters.js";
import { sourcesIn, type Tainted, taintOf } from "../../tools/taint.js";
import { acts, defineTool, reads, untrustedIf } from "../../tools/tool.js";
import { type Cost, costList } from "../../wire/models.js";
import { assertInOrder, done, rangeInput } from "../log-tools.js";
import { defineModule, definePart } from "../module.js";

/** A line of journal/costs.jsonl is a cost. */
export const COST_LOG = { name: "costs", fold: asWritten<Cost & Tainted> };

const costs = definePart("costs", (house) => house.journal(COST_LOG));

/** A choice: no model costs more between two reports, and a defect of an agent makes no sum absurd. */
const MAX = 1e9;
const amount = z.number().min(0).max(MAX);

const reportCost = defineTool({
  name: "report_cost",
  service: costs,
  description: "For programs. Say what a model has cost since the last report.",
  facts: acts("Report a cost"),
  role: "agent",
  listedTo: "human", // an agent's program reports; a model does not know its cost
  input: z.strictObject({
    model: shortText(200, "the model's name"),
    calls: z.int().min(0).max(MAX),
    tokens: z.int().min(0).max(MAX).describe("read and written together"),
    money: amount.nullable().describe("null: no price is known"),
  }),
  output: done,
  run: async (cost, { service, isoNow, call }) => {
    const timestamp = isoNow();
    await service.append({ timestamp, ...cost, by: call.identity.name, ...taintOf(call) });
    return { timestamp, success: true };
  },
});

const getCosts = defineTool({
  name: "get_costs",
  service: costs,
  description: "What agents reported that their models have cost, from start_time to end_time, oldest first.",
  facts: reads("Costs of models", { world: "closed" }),
  role: "observer",
  listedTo: "human", // for the page
  input: rangeInput,
  output: costList,
  run: async (range, { service }) => {
    assertInOrder("get_costs", range);
    const found = await service.range(range.start_time, range.end_time);
    const costs = found.map(({ tainted: _, ...each }) => each);
    return untrustedIf(sourcesIn(found), { count: costs.length, costs });
  },
});

/** What agents say that their models have cost. The runtime asks no model, so only they know. */
export const costsModule = defineModule({
  name: "costs",
  canBeOff: false,
  toolset: "costs",
  journals: [{ definition: COST_LOG }],
  parts: [costs],
  tools: [reportCost, getCosts],
});
