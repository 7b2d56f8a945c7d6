import { defineModule } from "../module.js";
import { COST_LOG, costs, getCosts, reportCost } from "./tools.js";

/** What agents say that their models have cost. The runtime asks no model, so only they know. */
export const costsModule = defineModule({
  name: "costs",
  canBeOff: false,
  toolset: "costs",
  journals: [{ definition: COST_LOG }],
  parts: [costs],
  tools: [reportCost, getCosts],
});
