import { z } from "zod";
import { type Agenda, memory, memoryList } from "../../runtime/wire/agenda.js";
import { plantsSeen } from "../../runtime/wire/overview.js";
import { currentTime } from "../../runtime/wire/plants.js";
import { hasTurn } from "../link/agenda.js";
import type { Runtime } from "../link/runtime.js";
import type { Message } from "../models/model.js";
import type { PromptParts, Section } from "../prompts/prompt.js";

/** A plant by its index among the plants. With a single plant the id is undefined, since tools do not ask for it. */
interface PlantAsked {
  readonly index: number;
  readonly id: string | undefined;
}

/** The prompt of a model that reads only which plant it is. */
export async function plantPart(runtime: Runtime, plant: PlantAsked): Promise<PromptParts> {
  const found = await inOverview(runtime, plant);
  const unread = { current_time: "", instructions: "", additional_context: "", history: [] };
  return { plant_info: plantInfo(named(found, plant)), ...unread };
}

/**
 * Asks the runtime for what fills the prompt's placeholders. What it refuses becomes "unknown". `tasksHaveTurns`: tasks that can
 * have a turn of their own are left to it.
 */
export async function promptParts(
  runtime: Runtime,
  plant: PlantAsked,
  tasksHaveTurns = false,
): Promise<PromptParts> {
  const found = await inOverview(runtime, plant);
  const remembered = await told("Memories", memories, runtime);
  return {
    plant_info: plantInfo(named(found, plant)),
    current_time: (await ask(runtime, "get_current_time", {}, currentTime))?.timestamp ?? UNKNOWN,
    instructions: await runtime.instructions(),
    additional_context: await callsForCare(runtime, plant, tasksHaveTurns),
    history: [
      { title: "Now", items: presentState(found) },
      ...remembered,
      ...(await told("Notes", notes, runtime)),
      ...(await told("Last thoughts", lastThoughts, runtime)),
      ...(await told("Last actions", lastActions, runtime)),
    ],
  };
}

type Calls = Pick<Runtime, "call">;

/** Calls through, and notes where words of strangers in the results came from. */
export function noting(runtime: Calls): Calls & { readonly sources: ReadonlySet<string> } {
  const sources = new Set<string>();
  const call: Runtime["call"] = async (...asked) => {
    const result = await runtime.call(...asked);
    for (const source of result.untrusted ?? []) sources.add(source);
    return result;
  };
  return { call, sources };
}

/** A heading, with the mark that results of tools have too: the rules say what it means. */
export const headed = (title: string, sources: Iterable<string>): string =>
  [title, ...markOf(sources)].join(" ");

/** Empty without words of strangers. */
export function markOf(sources: Iterable<string>): readonly string[] {
  const all = [...sources];
  return all.length === 0 ? [] : [`(untrusted_words_from ${all.join(", ")})`];
}

/** Nothing where there is nothing to read. */
async function told(
  title: string,
  read: (runtime: Calls) => Promise<readonly string[] | undefined>,
  runtime: Calls,
): Promise<readonly Section[]> {
  const noted = noting(runtime);
  const items = await read(noted);
  return items ? [{ title: headed(title, noted.sources), items, mayShorten: true }] : [];
}

/** Due tasks, unread messages, active holds and faults; empty if there are none. */
async function callsForCare(runtime: Runtime, { id }: PlantAsked, tasksHaveTurns: boolean): Promise<string> {
  const read = await runtime.agenda();
  const agenda = read && { ...read, due: read.due.filter((task) => !tasksHaveTurns || !hasTurn(task)) };
  const ours = agenda && agendaOf(agenda, id);
  if (!ours) return "";
  const parts = [dueTasks(agenda, ours.plant), unreadMessages(agenda), holdsAndFaults(ours)];
  return parts.filter((text) => text !== "").join("\n\n");
}

type PlantFound = z.output<typeof plantsSeen>["plants"][number];

/** Undefined without an overview: then the prompt names the plant by its id only. */
async function inOverview(runtime: Runtime, { id }: PlantAsked): Promise<PlantFound | undefined> {
  const plants = (await ask(runtime, "get_overview", {}, plantsSeen))?.plants ?? [];
  return id === undefined ? plants[0] : plants.find(({ plant }) => plant === id);
}

function named(found: PlantFound | undefined, { index, id }: PlantAsked): NamedPlant {
  if (!found) return { index, id };
  return { index, id: found.plant, name: found.name, species: found.species ?? undefined };
}

/** Holds and faults have their own section, see `holdsAndFaults`. */
const STATE = ["moisture", "probe_fault", "water", "light", "fitted"] as const;

const presentState = (found: PlantFound | undefined): readonly string[] =>
  found
    ? STATE.filter((key) => key in found).map((key) => `${key} ${JSON.stringify(found[key])}`)
    : [UNKNOWN];

const note = z.object({ content: z.string() });
const remembered = memoryList.extend({ memories: z.array(memory.pick({ timestamp: true, text: true })) });
const entry = z.looseObject({ timestamp: z.string() });
const thoughts = z.object({ thoughts: z.array(entry) });
const actions = z.object({ actions: z.array(entry) });

const UNKNOWN = "unknown";
const NONE = "none yet";

/** Newest memories that are shown: the default page size of the tool. */
const MEMORIES_SHOWN = 20;

/** Undefined if the runtime keeps no memories: that module can be off. */
async function memories(runtime: Calls): Promise<readonly string[] | undefined> {
  const result = await runtime.call("list_memories", { n: MEMORIES_SHOWN });
  if (!result.ok && result.error.code === "UNKNOWN_TOOL") return undefined;
  const found = result.ok ? remembered.safeParse(result.value).data : undefined;
  if (!found) return [UNKNOWN];
  const lines = found.memories.map(({ timestamp, text }) => `${timestamp} ${oneLine(text)}`);
  const older = found.count - lines.length;
  if (lines.length === 0) return [NONE];
  return older > 0 ? [`(${older} older ones are left out)`, ...lines] : lines;
}

async function notes(runtime: Calls): Promise<readonly string[]> {
  const found = await ask(runtime, "fetch_notes", {}, note);
  return found ? (found.content || NONE).split("\n") : [UNKNOWN];
}

async function lastThoughts(runtime: Calls): Promise<readonly string[]> {
  const found = await ask(runtime, "get_recent_thoughts", { n: 5 }, thoughts);
  return entries(found?.thoughts, ({ observation, hypothesis }) =>
    JSON.stringify({ observation, hypothesis }),
  );
}

async function lastActions(runtime: Calls): Promise<readonly string[]> {
  const found = await ask(runtime, "get_recent_actions", { n: 10 }, actions);
  return entries(found?.actions, ({ type, details }) => `${String(type)} ${JSON.stringify(details)}`);
}

type Entry = z.output<typeof entry>;

function entries(found: readonly Entry[] | undefined, words: (entry: Entry) => string): readonly string[] {
  if (!found) return [UNKNOWN];
  return found.length === 0 ? [NONE] : found.map((each) => `${each.timestamp} ${words(each)}`);
}

/** Undefined if the runtime refuses, or answers in another form. */
export async function ask<T>(
  runtime: Pick<Runtime, "call">,
  tool: string,
  args: Record<string, unknown>,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  const result = await runtime.call(tool, args);
  return result.ok ? schema.safeParse(result.value).data : undefined;
}

interface NamedPlant {
  readonly index: number;
  /** Undefined if only one plant is configured, or the overview failed. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly species?: string | undefined;
}

interface PlantInPrompt {
  /** Name or id: the runtime accepts both. Undefined if the prompt names none. */
  readonly plant: string | undefined;
  readonly species: string | undefined;
}

/** Only one word can be found again in the prompt; a colon would end it in notes. */
const ONE_WORD = /^[^\s:]+$/;
const LINE = /^Plant \d+: (.+)$/m;
const NAMED = /^(\S+)(?: \((.+)\))?$/;

/** "Plant 0: Cactus1 (cactus)", the form since the first agent. The id stands in for a name of several words. */
export function plantInfo({ index, id, name = "", species }: NamedPlant): string {
  const called = ONE_WORD.test(name) ? name : (id ?? "the only one");
  const kind = species === undefined ? "" : ` (${oneLine(species)})`;
  return `Plant ${index}: ${called}${kind}`;
}

/** Reads the plant from the first `plantInfo` line in the messages before the first reply. */
export function plantInPrompt(conversation: readonly Message[]): PlantInPrompt {
  const prompt = conversation.find(({ role, content }) => role === "assistant" || LINE.test(content));
  const [, info = ""] = (prompt && prompt.role !== "assistant" && LINE.exec(prompt.content)) || [];
  const [, plant, species] = NAMED.exec(info) ?? [];
  return { plant, species };
}

/** Choices. The prompt gives the number of the rest. */
const TASKS_SHOWN = 20;
const MESSAGES_SHOWN = 5;

type PlantAgenda = Agenda["plants"][number];

/** The agenda of a plant. Without an id there is only one plant. */
const agendaOf = ({ plants }: Agenda, id: string | undefined): PlantAgenda | undefined =>
  id === undefined ? plants[0] : plants.find(({ plant }) => plant === id);

/** Why the agent `instance` must leave a plant alone now: another agent cares for it. Undefined if it may care. */
export function heldByOther(agenda: Agenda, id: string | undefined, instance: string): string | undefined {
  const ours = agendaOf(agenda, id);
  if (!ours?.care || ours.care.instance === instance) return undefined;
  const { agent, instance: other, until } = ours.care;
  const holder = other === null ? agent : `${agent} (${other})`;
  return `${ours.name} is cared for by ${holder} until ${until}: no model is asked; stop one of the two agents, or end that care with \`tendril release ${ours.plant}\``;
}

function dueTasks({ due }: Agenda, plant: string | undefined): string {
  const ours = due.filter((task) => task.plant === null || task.plant === plant);
  const lines = ours.map(
    ({ id, description, due: at, payload }) =>
      `- ${oneLine(description)} (id ${id}, due ${at})${payload === undefined ? "" : `\n  ${JSON.stringify(payload)}`}`,
  );
  const shown = firstOf(lines, TASKS_SHOWN);
  return section("Tasks that are due; call complete_task with the id of what is done:", shown);
}

function unreadMessages({ unread: { messages } }: Agenda): string {
  const lines = messages.map(
    ({ message_id, timestamp, excerpt }) => `- ${oneLine(excerpt)} (id ${message_id}, ${timestamp})`,
  );
  const shown = firstOf(lines, MESSAGES_SHOWN);
  return section("Unread messages of the person; list_messages_from_human shows them whole:", shown);
}

function holdsAndFaults({ hold, faults }: PlantAgenda): string {
  const held = hold ? [`- on hold since ${hold.since} by ${hold.by}: ${oneLine(hold.reason)}`] : [];
  const faulty = faults.map(({ code, since, reason }) => `- ${code} since ${since}: ${oneLine(reason)}`);
  return section(LOCKED, [...held, ...faulty]);
}

const LOCKED = "Only a person can lift these:";

/** The lines of the `holdsAndFaults` section in a prompt. */
export function holdsAndFaultsIn(prompt: string): readonly string[] {
  const [, ...lines] = prompt.slice(prompt.indexOf(`\n${LOCKED}\n`) + 1).split("\n");
  if (!prompt.includes(`\n${LOCKED}\n`)) return [];
  const end = lines.findIndex((line) => !line.startsWith("- "));
  return lines.slice(0, end < 0 ? lines.length : end).map((line) => line.slice(2));
}

/** Whether such a line is a person's hold. */
export const isHold = (line: string): boolean => line.startsWith("on hold since ");

export function firstOf(lines: readonly string[], most: number): readonly string[] {
  const more = lines.length - most;
  return more > 0 ? [...lines.slice(0, most), `- and ${more} more`] : lines;
}

const section = (heading: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : [heading, ...lines].join("\n");

/** Joins the lines of a text, so that they cannot look like lines of the prompt. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
