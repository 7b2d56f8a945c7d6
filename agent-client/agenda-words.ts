import type { Agenda } from "../runtime/wire/agenda.js";

/** Choices: what is more is counted. */
const TASKS_SHOWN = 20;
const MESSAGES_SHOWN = 5;

type PlantAgenda = Agenda["plants"][number];

/** A plant's part of the agenda; the first where it has no id, for then there is one. */
export const agendaOf = ({ plants }: Agenda, id: string | undefined): PlantAgenda | undefined =>
  id === undefined ? plants[0] : plants.find(({ plant }) => plant === id);

/** Why an agent of this name is to leave a plant alone now; undefined where it may care for it. */
export function turnedAway(agenda: Agenda, id: string | undefined, instance: string): string | undefined {
  const ours = agendaOf(agenda, id);
  if (!ours?.care || ours.care.instance === instance) return undefined;
  const { agent, instance: other, until } = ours.care;
  const holder = other === null ? agent : `${agent} (${other})`;
  return `${ours.name} is cared for by ${holder} until ${until}: no model is asked; stop one of the two agents, or end that care with \`tendril release ${ours.plant}\``;
}

/** Tasks that are due for this plant or for all; empty where none are. */
export function dueTasks({ due }: Agenda, plant: string | undefined): string {
  const ours = due.filter((task) => task.plant === null || task.plant === plant);
  const lines = ours.map((task) => `- ${oneLine(task.description)} (id ${task.id}, due ${task.due})`);
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

/** The plant's hold and faults; empty where nothing stands. */
export function standing({ hold, faults }: PlantAgenda): string {
  const held = hold ? [`- on hold since ${hold.since} by ${hold.by}: ${oneLine(hold.reason)}`] : [];
  const locked = faults.map(({ code, since, reason }) => `- ${code} since ${since}: ${oneLine(reason)}`);
  return section(STANDING, [...held, ...locked]);
}

const STANDING = "Only a person can lift these:";

/** What a prompt that holds a section of `standing` says, a line each. */
export function standingIn(prompt: string): readonly string[] {
  const [, ...lines] = prompt.slice(prompt.indexOf(`\n${STANDING}\n`) + 1).split("\n");
  if (!prompt.includes(`\n${STANDING}\n`)) return [];
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
