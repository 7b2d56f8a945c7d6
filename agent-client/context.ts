import { z } from "zod";
import type { Runtime } from "./connect.js";
import { type NamedPlant, plantInfo } from "./plant-info.js";
import type { PromptParts } from "./prompts/budget.js";
import { hours } from "./units.js";

/** A plant by its place among the plants; its id is undefined where only one is configured: the wire does not name it. */
export interface PlantAsked {
  readonly index: number;
  readonly id: string | undefined;
}

/** What fills the prompt's placeholders, asked of the runtime. What it refuses to tell is said to be unknown. */
export async function promptParts(runtime: Runtime, plant: PlantAsked): Promise<PromptParts> {
  const found = await inOverview(runtime, plant);
  const current_time = await currentTime(runtime);
  return {
    plant_info: plantInfo(named(found, plant)),
    current_time,
    additional_context: await runtime.instructions(),
    history: [
      { title: "Now", items: presentState(found) },
      { title: "Messages of the person", items: await messages(runtime, current_time) },
      { title: "Memories", items: await memories(runtime), more: "fetch_notes" },
      { title: "Last thoughts", items: await lastThoughts(runtime), more: "get_recent_thoughts" },
      { title: "Last actions", items: await lastActions(runtime), more: "get_recent_actions" },
    ],
  };
}

const overview = z.object({
  plants: z.array(z.looseObject({ plant: z.string(), name: z.string(), species: z.string().nullish() })),
});
type PlantFound = z.output<typeof overview>["plants"][number];

/** Names, species and state are no more than a help: without an overview the plant goes by its id. */
async function inOverview(runtime: Runtime, { id }: PlantAsked): Promise<PlantFound | undefined> {
  const plants = (await ask(runtime, "get_overview", {}, overview))?.plants ?? [];
  return id === undefined ? plants[0] : plants.find(({ plant }) => plant === id);
}

function named(found: PlantFound | undefined, { index, id }: PlantAsked): NamedPlant {
  if (!found) return { index, id };
  return { index, id: found.plant, name: found.name, species: found.species ?? undefined };
}

const STATE = ["moisture", "probe_fault", "water", "light", "hold", "faults", "fitted"] as const;

const presentState = (found: PlantFound | undefined): readonly string[] =>
  found
    ? STATE.filter((key) => key in found).map((key) => `${key} ${JSON.stringify(found[key])}`)
    : [UNKNOWN];

const time = z.object({ timestamp: z.string() });
const note = z.object({ content: z.string() });
const entry = z.looseObject({ timestamp: z.string() });
const thoughts = z.object({ thoughts: z.array(entry) });
const actions = z.object({ actions: z.array(entry) });
const inbox = z.object({
  messages: z.array(
    z.object({ message_id: z.string(), timestamp: z.string(), read_at: z.string().nullable() }),
  ),
});

const UNKNOWN = "unknown";
const NONE = "none yet";
/** A message that was read longer ago was meant for an earlier day. */
const RECENT = hours(24);

async function currentTime(runtime: Runtime): Promise<string> {
  return (await ask(runtime, "get_current_time", {}, time))?.timestamp ?? UNKNOWN;
}

/** Not their contents: they would count as read although no model may ever see them. */
async function messages(runtime: Runtime, now: string): Promise<readonly string[]> {
  const asked = { limit: 50, include_content: false };
  const found = await ask(runtime, "list_messages_from_human", asked, inbox);
  if (!found) return [UNKNOWN];
  const open = found.messages.filter(
    ({ read_at, timestamp }) => read_at === null || !(Date.parse(now) - Date.parse(timestamp) > RECENT),
  );
  const lines = open.map(
    ({ message_id, timestamp, read_at }) =>
      `message ${message_id} of ${timestamp}: ${read_at === null ? "not read yet" : "read before"}`,
  );
  return lines.length === 0 ? [NONE] : lines.reverse();
}

async function memories(runtime: Runtime): Promise<readonly string[]> {
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
