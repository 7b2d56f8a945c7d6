import type { z } from "zod";
import type { Tool } from "../tools/tool.js";
import type { Services } from "./services.js";

/** Gives a tool's handler the types of its own schemas. */
export const defineTool = <I extends z.ZodObject, O extends z.ZodType>(
  tool: Tool<Services, I, O>,
): Tool<Services> => tool as unknown as Tool<Services>;
