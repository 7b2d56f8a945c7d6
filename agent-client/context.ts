import { z } from "zod";
import { memory, memoryList } from "../runtime/wire/agenda.js";
import { plantsSeen } from "../runtime/wire/overview.js";
import { currentTime as timeResult } from "../runtime/wire/plants.js";
import { agendaOf, dueTasks, oneLine, standing, unreadMessages } from "./agenda-words.js";
import type { Runtime } from "./link/runtime.js";
import { type NamedPlant, plantInfo } from "./plant-info.js";
import type { PromptParts } from "./prompts/budget.js";

/** A plant by its place among the plants; its id is undefined where only one is configured: the wire does not name it. */
export interface PlantAsked {
  readonly index: number;
  readonly id: string | undefined;
}

/** What fills the prompt's placeholders, asked of the runtime. What it refuses to tell is said to be unknown. */
export async function promptParts(runtime: Runtime, plant: PlantAsked): Promise<PromptParts> {
  const found = await inOverview(runtime, plant);
  const remembered = await memories(runtime);
  return {
    plant_info: plantInfo(named(found, plant)),
    current_time: await currentTime(runtime),
    instructions: await runtime.instructions(),
    additional_context: await callsForCare(runtime, plant),
    history: [
      { title: "Now", items: presentState(found) },
      ...(remembered ? [{ title: "Memories", items: remembered, mayShorten: true }] : []),
      { title: "Notes", items: await notes(runtime), mayShorten: true },
      { title: "Last thoughts", items: await lastThoughts(runtime), mayShorten: true },
      { title: "Last actions", items: await lastActions(runtime), mayShorten: true },
    ],
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

type PlantFound = z.output<typeof plantsSeen>["plants"][number];

/** Names, species and state are no more than a help: without an overview the plant goes by its id. */
async function inOverview(runtime: Runtime, { id }: PlantAsked): Promise<PlantFound | undefined> {
  const plants = (await ask(runtime, "get_overview", {}, plantsSeen))?.plants ?? [];
  return id === undefined ? plants[0] : plants.find(({ plant }) => plant === id);
}

function named(found: PlantFound | undefined, { index, id }: PlantAsked): NamedPlant {
  if (!found) return { index, id };
  return { index, id: found.plant, name: found.name, species: found.species ?? undefined };
}

/** Holds and faults are told in words, with what calls for care. */
const STATE = ["moisture", "probe_fault", "water", "light", "fitted"] as const;

const presentState = (found: PlantFound | undefined): readonly string[] =>
  found
    ? STATE.filter((key) => key in found).map((key) => `${key} ${JSON.stringify(found[key])}`)
    : [UNKNOWN];

const time = timeResult.pick({ timestamp: true });
const note = z.object({ content: z.string() });
const remembered = memoryList.extend({
  memories: z.array(memory.pick({ timestamp: true, text: true })),
});
const entry = z.looseObject({ timestamp: z.string() });
const thoughts = z.object({ thoughts: z.array(entry) });
const actions = z.object({ actions: z.array(entry) });

const UNKNOWN = "unknown";
const NONE = "none yet";

async function currentTime(runtime: Runtime): Promise<string> {
  return (await ask(runtime, "get_current_time", {}, time))?.timestamp ?? UNKNOWN;
}

/** So many of the newest are shown: as many as one page of the tool holds by default. */
const MEMORIES_SHOWN = 20;

/** Undefined where the runtime keeps none: they can be switched off. */
async function memories(runtime: Runtime): Promise<readonly string[] | undefined> {
  const result = await runtime.call("list_memories", { n: MEMORIES_SHOWN });
  if (!result.ok && result.error.code === "UNKNOWN_TOOL") return undefined;
  const found = result.ok ? remembered.safeParse(result.value).data : undefined;
  if (!found) return [UNKNOWN];
  const lines = found.memories.map(({ timestamp, text }) => `${timestamp} ${oneLine(text)}`);
  const older = found.count - lines.length;
  const rest = older > 0 ? [`(${older} older ones are left out)`] : [];
  return lines.length === 0 ? [NONE] : [...rest, ...lines];
}

async function notes(runtime: Runtime): Promise<readonly string[]> {
  const found = await ask(runtime, "fetch_notes", {}, note);
  if (!found) return [UNKNOWN];
  return found.content === "" ? [NONE] : found.content.split("\n");
}

async function lastThoughts(runtime: Runtime): Promise<readonly string[]> {
  const found = await ask(runtime, "get_recent_thoughts", { n: 5 }, thoughts);
  return entries(found?.thoughts, ({ observation, hypothesis }) =>
    JSON.stringify({ observation, hypothesis }),
  );
}

async function lastActions(runtime: Runtime): Promise<readonly string[]> {
  const found = await ask(runtime, "get_recent_actions", { n: 10 }, actions);
  return entries(found?.actions, ({ type, details }) => `${String(type)} ${JSON.stringify(details)}`);
}

type Entry = z.output<typeof entry>;

function entries(found: readonly Entry[] | undefined, words: (entry: Entry) => string): readonly string[] {
  if (!found) return [UNKNOWN];
  return found.length === 0 ? [NONE] : found.map((each) => `${each.timestamp} ${words(each)}`);
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
