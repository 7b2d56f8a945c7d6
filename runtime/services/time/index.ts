import { defineModule } from "../module.js";
import { getCurrentTime, houseTime } from "./tools.js";

/** The date and time, and where people live. */
export const timeModule = defineModule({
  name: "time",
  canBeOff: false,
  toolset: "plants",
  parts: [houseTime],
  tools: [getCurrentTime],
});
