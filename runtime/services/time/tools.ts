import { z } from "zod";
import { defineTool } from "../define-tool.js";

export const getCurrentTime = defineTool({
  name: "get_current_time",
  description: "The current date and time. Every time in this system is UTC; people live in `zone`.",
  annotations: { readOnlyHint: true },
  role: "observer",
  input: z.strictObject({}),
  output: z.object({ timestamp: z.string(), zone: z.string() }),
  run: (_, { services }) => ({ timestamp: services.timestamp(), zone: services.zone }),
});
