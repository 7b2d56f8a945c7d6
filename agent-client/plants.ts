import { z } from "zod";
import type { ToolInfo } from "./connect.js";

const plantProperty = z.object({
  properties: z.object({ plant: z.object({ examples: z.array(z.string()).default([]) }) }),
});

/** The ids of the plants, as the examples of the tools' `plant` parameter name them; none where only one plant is configured. */
export function plantsOf(tools: readonly ToolInfo[]): readonly string[] {
  const schema = tools.find(({ name }) => name === "read_moisture")?.inputSchema;
  return plantProperty.safeParse(schema).data?.properties.plant.examples ?? [];
}

export const takesPlant = (tool: ToolInfo | undefined): boolean =>
  plantProperty.safeParse(tool?.inputSchema).success;
