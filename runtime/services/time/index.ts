import { z } from "zod";
import { defineTool, reads } from "../../tools/tool.js";
import { currentTime } from "../../wire/plants.js";
import { defineModule, definePart } from "../module.js";

const houseTime = definePart("time", ({ core }) => ({ zone: core.zone }));

const getCurrentTime = defineTool({
  name: "get_current_time",
  service: houseTime,
  description: "The current date and time. Every time in this system is UTC; people live in `zone`.",
  facts: reads("Current time", { world: "closed" }),
  inCare: true,
  role: "observer",
  input: z.strictObject({}),
  output: currentTime,
  run: (_, { service, isoNow }) => ({ timestamp: isoNow(), zone: service.zone }),
});

/** The date and time, and the house's zone. */
export const timeModule = defineModule({
  name: "time",
  canBeOff: false,
  toolset: "plants",
  parts: [houseTime],
  tools: [getCurrentTime],
});
