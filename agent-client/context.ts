import { z } from "zod";
import type { Runtime } from "./connect.js";
import type { PromptValues } from "./prompts/template.js";

export interface PlantInPrompt {
  readonly index: number;
  /** Undefined where only one plant is configured: the wire does not name it. */
  readonly id: string | undefined;
}

/** "Plant 0: basil", the form prompts have had since the first agent. */
export const plantInfo = ({ index, id }: PlantInPrompt): string => `Plant ${index}: ${id ?? "the only one"}`;

/** The id in a prompt that holds a line of `plantInfo`. */
export const plantInPrompt = (prompt: string): string | undefined => /^Plant \d+: (\S+)$/m.exec(prompt)?.[1];

/** What fills the prompt's placeholders, asked of the runtime. What it refuses to tell is said to be unknown. */
export async function promptValues(runtime: Runtime, plant: PlantInPrompt): Promise<PromptValues> {
  return {
    plant_info: plantInfo(plant),
    current_time: await currentTime(runtime),
    additional_context: await runtime.instructions(),
    plant_history: `Memories:\n${await memories(runtime)}\n\nLast actions:\n${await lastActions(runtime)}`,
  };
}

const time = z.object({ timestamp: z.string() });
const note = z.object({ content: z.string() });
const actions = z.object({
  actions: z.array(z.looseObject({ timestamp: z.string(), type: z.string(), details: z.unknown() })),
});

async function currentTime(runtime: Runtime): Promise<string> {
  return (await ask(runtime, "get_current_time", {}, time))?.timestamp ?? "unknown";
}

async function memories(runtime: Runtime): Promise<string> {
  const found = await ask(runtime, "fetch_notes", {}, note);
  if (!found) return "unknown";
  return found.content === "" ? "none yet" : found.content;
}

async function lastActions(runtime: Runtime): Promise<string> {
  const found = await ask(runtime, "get_recent_actions", { n: 10 }, actions);
  if (!found) return "unknown";
  const lines = found.actions.map(
    ({ timestamp, type, details }) => `${timestamp} ${type} ${JSON.stringify(details)}`,
  );
  return lines.length === 0 ? "none yet" : lines.join("\n");
}

async function ask<T>(
  runtime: Runtime,
  tool: string,
  args: Record<string, unknown>,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  const result = await runtime.call(tool, args);
  return result.ok ? schema.safeParse(result.value).data : undefined;
}
