import { z } from "zod";
import { currentTime } from "../../wire/plants.js";
import { defineTool } from "../define-tool.js";

export const getCurrentTime = defineTool({
  name: "get_current_time",
  description: "The current date and time. Every time in this system is UTC; people live in `zone`.",
  annotations: { readOnlyHint: true },
  role: "observer",
  input: z.strictObject({}),
  output: currentTime,
  run: (_, { services }) => ({ timestamp: services.timestamp(), zone: services.zone }),
});
