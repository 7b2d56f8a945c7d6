import { defineModule } from "../module.js";
import { metricsRoute } from "./route.js";

/** Figures for Prometheus and programs that read its format. */
export const metricsModule = defineModule({
  name: "metrics",
  canBeOff: true,
  toolset: "metrics",
  parts: [],
  tools: [],
  routes: (house) => [metricsRoute(house)],
});
