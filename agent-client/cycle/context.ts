import { z } from "zod";
import { type Agenda, memory, memoryList } from "../../runtime/wire/agenda.js";
import { plantsSeen } from "../../runtime/wire/overview.js";
import { currentTime as timeResult } from "../../runtime/wire/plants.js";
import type { Runtime } from "../link/runtime.js";
import type { Message } from "../models/model.js";
import type { PromptParts } from "../prompts/prompt.js";

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
  return paragraphs([dueTasks(agenda, ours.plant), unreadMessages(agenda), holdsAndFaults(ours)]);
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

/** A plant as a prompt may name it. */
export interface NamedPlant {
  readonly index: number;
  /** Undefined where only one plant is configured, or nobody told. */
  readonly id?: string | undefined;
  /** What people call it. */
  readonly name?: string | undefined;
  readonly species?: string | undefined;
}

/** What a prompt says of its plant. */
export interface PlantInPrompt {
  /** Name or id: both mean it to the runtime. Undefined where the prompt names none. */
  readonly plant: string | undefined;
  readonly species: string | undefined;
}

/** One word, so that it can be found again; a colon would end it in notes. */
const ONE_WORD = /^[^\s:]+$/;
const LINE = /^Plant \d+: (.+)$/m;
const NAMED = /^(\S+)(?: \((.+)\))?$/;

/** "Plant 0: Cactus1 (cactus)", the form prompts have had since the first agent; the id where the name is no single word. */
export function plantInfo({ index, id, name = "", species }: NamedPlant): string {
  const called = ONE_WORD.test(name) ? name : (id ?? "the only one");
  const kind = species === undefined ? "" : ` (${oneLine(species)})`;
  return `Plant ${index}: ${called}${kind}`;
}

/** What the prompt at the beginning of a conversation says: it holds a line of `plantInfo`, and the first one counts. */
export function plantInPrompt(conversation: readonly Message[]): PlantInPrompt {
  const firstReply = conversation.findIndex(({ role }) => role === "assistant");
  const prompt = conversation.slice(0, firstReply < 0 ? undefined : firstReply).map(({ content }) => content);
  const [, info = ""] = LINE.exec(prompt.join("\n")) ?? [];
  const [, plant, species] = NAMED.exec(info) ?? [];
  return { plant, species };
}

/** Choices: of the rest the prompt gives the number. */
const TASKS_SHOWN = 20;
const MESSAGES_SHOWN = 5;

type PlantAgenda = Agenda["plants"][number];

/** A plant's part of the agenda; the first where it has no id, for then there is one. */
export const agendaOf = ({ plants }: Agenda, id: string | undefined): PlantAgenda | undefined =>
  id === undefined ? plants[0] : plants.find(({ plant }) => plant === id);

/** Why an agent of this name must leave a plant alone now, because another one cares for it; undefined where it may care. */
export function heldByOther(agenda: Agenda, id: string | undefined, instance: string): string | undefined {
  const ours = agendaOf(agenda, id);
  if (!ours?.care || ours.care.instance === instance) return undefined;
  const { agent, instance: other, until } = ours.care;
  const holder = other === null ? agent : `${agent} (${other})`;
  return `${ours.name} is cared for by ${holder} until ${until}: no model is asked; stop one of the two agents, or end that care with \`tendril release ${ours.plant}\``;
}

/** Tasks that are due for this plant or for all; empty where none are. */
export function dueTasks({ due }: Agenda, plant: string | undefined): string {
  const ours = due.filter((task) => task.plant === null || task.plant === plant);
  const lines = ours.map(
    ({ id, description, due: at, payload }) =>
      `- ${oneLine(description)} (id ${id}, due ${at})${payload === undefined ? "" : `\n  ${JSON.stringify(payload)}`}`,
  );
  const shown = firstOf(lines, TASKS_SHOWN);
  return section("Tasks that are due; call complete_task with the id of what is done:", shown);
}

/** What the person wrote and nobody has read; empty where there is nothing. */
export function unreadMessages({ unread: { messages } }: Agenda): string {
  const lines = messages.map(
    ({ message_id, timestamp, excerpt }) => `- ${oneLine(excerpt)} (id ${message_id}, ${timestamp})`,
  );
  const shown = firstOf(lines, MESSAGES_SHOWN);
  return section("Unread messages of the person; list_messages_from_human shows them whole:", shown);
}

/** The plant's hold and faults; empty where there are none. */
export function holdsAndFaults({ hold, faults }: PlantAgenda): string {
  const held = hold ? [`- on hold since ${hold.since} by ${hold.by}: ${oneLine(hold.reason)}`] : [];
  const faulty = faults.map(({ code, since, reason }) => `- ${code} since ${since}: ${oneLine(reason)}`);
  return section(LOCKED, [...held, ...faulty]);
}

const LOCKED = "Only a person can lift these:";

/** What a prompt that holds a section of `holdsAndFaults` says, a line each. */
export function holdsAndFaultsIn(prompt: string): readonly string[] {
  const [, ...lines] = prompt.slice(prompt.indexOf(`\n${LOCKED}\n`) + 1).split("\n");
  if (!prompt.includes(`\n${LOCKED}\n`)) return [];
  const end = lines.findIndex((line) => !line.startsWith("- "));
  return lines.slice(0, end < 0 ? lines.length : end).map((line) => line.slice(2));
}

/** Whether one of these lines is a person's hold. */
export const isHold = (line: string): boolean => line.startsWith("on hold since ");

function firstOf(lines: readonly string[], most: number): readonly string[] {
  const more = lines.length - most;
  return more > 0 ? [...lines.slice(0, most), `- and ${more} more`] : lines;
}

const section = (heading: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : [heading, ...lines].join("\n");

/** A text of several lines must not look like lines of the prompt. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
