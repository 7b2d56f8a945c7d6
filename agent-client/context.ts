import { z } from "zod";
import { agendaOf, dueTasks, oneLine, standing, unreadMessages } from "./agenda-words.js";
import type { Runtime } from "./connect.js";
import { type NamedPlant, plantInfo } from "./plant-info.js";
import type { PromptValues } from "./prompts/template.js";

/** A plant by its place among the plants; its id is undefined where only one is configured: the wire does not name it. */
export interface PlantAsked {
  readonly index: number;
  readonly id: string | undefined;
}

/** What fills the prompt's placeholders, asked of the runtime. What it refuses to tell is said to be unknown. */
export async function promptValues(runtime: Runtime, plant: PlantAsked): Promise<PromptValues> {
  return {
    plant_info: plantInfo(await named(runtime, plant)),
    current_time: await currentTime(runtime),
    additional_context: paragraphs([await runtime.instructions(), await callsForCare(runtime, plant)]),
    plant_history: paragraphs([
      `Memories:\n${await memories(runtime)}`,
      `Notes:\n${await notes(runtime)}`,
      `Last actions:\n${await lastActions(runtime)}`,
    ]),
  };
}

const paragraphs = (texts: readonly string[]): string => texts.filter((text) => text !== "").join("\n\n");

/** Due tasks, unread messages, standing holds and faults; empty where there is nothing. */
async function callsForCare(runtime: Runtime, { id }: PlantAsked): Promise<string> {
  const agenda = await runtime.agenda();
  const ours = agenda && agendaOf(agenda, id);
  if (!ours) return "";
  return paragraphs([dueTasks(agenda, ours.plant), unreadMessages(agenda), standing(ours)]);
}

const overview = z.object({
  plants: z.array(z.object({ plant: z.string(), name: z.string(), species: z.string().nullish() })),
});

/** Names and species are no more than a help: without an overview the plant goes by its id. */
async function named(runtime: Runtime, { index, id }: PlantAsked): Promise<NamedPlant> {
  const plants = (await ask(runtime, "get_overview", {}, overview))?.plants ?? [];
  const found = id === undefined ? plants[0] : plants.find(({ plant }) => plant === id);
  if (!found) return { index, id };
  return { index, id: found.plant, name: found.name, species: found.species ?? undefined };
}

const time = z.object({ timestamp: z.string() });
const note = z.object({ content: z.string() });
const remembered = z.object({
  count: z.int(),
  memories: z.array(z.object({ timestamp: z.string(), text: z.string() })),
});
const actions = z.object({
  actions: z.array(z.looseObject({ timestamp: z.string(), type: z.string(), details: z.unknown() })),
});

async function currentTime(runtime: Runtime): Promise<string> {
  return (await ask(runtime, "get_current_time", {}, time))?.timestamp ?? "unknown";
}

/** So many of the newest are shown: as many as one page of the tool holds by default. */
const MEMORIES_SHOWN = 20;

async function memories(runtime: Runtime): Promise<string> {
  const found = await ask(runtime, "list_memories", { n: MEMORIES_SHOWN }, remembered);
  if (!found) return "unknown";
  const lines = found.memories.map(({ timestamp, text }) => `${timestamp} ${oneLine(text)}`);
  const older = found.count - lines.length;
  const rest = older > 0 ? [`${older} older ones: list_memories`] : [];
  return lines.length === 0 ? "none yet" : [...rest, ...lines].join("\n");
}

async function notes(runtime: Runtime): Promise<string> {
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
