import { z } from "zod";
import { type HouseTime, houseTimeOf } from "../../runtime/wire/house-time.js";
import { type Overview, overview, type PlantNow } from "../../runtime/wire/overview.js";
import { ask, oneLine } from "../cycle/context.js";
import type { Runtime } from "../link/runtime.js";
import type { Section } from "../prompts/prompt.js";

/** What a turn tells a model of the house, from the tools. What is switched off, or refused, is left out. */
export async function houseSections(
  runtime: Pick<Runtime, "call">,
  topic: string,
  zone: string,
): Promise<readonly Section[]> {
  const time = houseTimeOf(zone);
  const found = await Promise.all([
    plants(runtime, time),
    openTasks(runtime, time),
    lists(runtime),
    profile(runtime),
    recalled(runtime, topic, time),
  ]);
  return found.filter((section) => section !== undefined).filter(({ items }) => items.length > 0);
}

type Ask = Pick<Runtime, "call">;

async function plants(runtime: Ask, time: HouseTime): Promise<Section | undefined> {
  const found = await ask(runtime, "get_overview", {}, overview);
  return (
    found && {
      title: "Plants",
      items: found.plants.map((plant) => plantLine(plant, time)),
      mayShorten: true,
      spares: "the first",
    }
  );
}

/** One plant in a line: what it reads, what it got, what holds it up, and what was decided last. */
function plantLine(plant: PlantNow, time: HouseTime): string {
  const { name, species, moisture, water, light, hold, faults, uncared } = plant;
  const parts = [
    moisture && `moisture ${moisture.percent.toFixed(1)} % at ${time.minute(moisture.timestamp)}`,
    plant.probe_fault && `probe: ${plant.probe_fault.message}`,
    water && `${water.used_ml} ml in 24 h`,
    light && `light ${light.status}`,
    hold && `on hold: ${hold.reason}`,
    ...faults.map(({ code }) => `fault ${code}`),
    uncared && `nobody has cared for it for ${uncared.hours} h`,
    lastStatus(plant, time),
  ];
  const said = parts.filter((part) => typeof part === "string").map(oneLine);
  return `- ${oneLine(name)} (id ${plant.plant}${species === null ? "" : `, ${oneLine(species)}`}): ${said.join("; ")}`;
}

function lastStatus({ last_status: status }: Overview["plants"][number], time: HouseTime): string | null {
  if (!status) return null;
  const refused = status.proceed ? "" : `, refused: ${status.reason ?? "no reason"}`;
  return `last care ${time.minute(status.timestamp)}: ${JSON.stringify(oneLine(status.reasoning))}${refused}`;
}

const taskList = z.object({
  tasks: z.array(
    z.object({
      task_id: z.string(),
      title: z.string(),
      due_at: z.string().nullable(),
      recurrence: z.string().nullable().default(null),
    }),
  ),
});

/** Choices: what a person has in mind. Tools read the rest. */
const MAX_SHOWN = 15;

async function openTasks(runtime: Ask, time: HouseTime): Promise<Section | undefined> {
  const found = await ask(runtime, "task_tool", { operation: "list_tasks", completed: false }, taskList);
  const lines = found?.tasks.map(({ task_id, title, due_at, recurrence }) => {
    const due = due_at === null ? "no time" : `due ${time.minute(due_at)}`;
    return `- ${oneLine(title)} (${due}${recurrence === null ? "" : ", recurring"}, task_id ${task_id})`;
  });
  return lines && { title: "Open tasks", items: firstOf(lines), mayShorten: true, spares: "the first" };
}

const listNames = z.object({
  lists: z.array(z.object({ list_name: z.string(), open: z.number(), completed: z.number() })),
});

async function lists(runtime: Ask): Promise<Section | undefined> {
  const found = await ask(runtime, "list_tool", { operation: "get_lists" }, listNames);
  const lines = found?.lists.map(({ list_name, open }) => `- ${oneLine(list_name)} (${open} open)`);
  return lines && { title: "Lists", items: firstOf(lines) };
}

const facts = z.object({
  entries: z.array(
    z.object({
      category: z.string(),
      key: z.string(),
      value: z.union([z.string(), z.number(), z.boolean()]),
    }),
  ),
});

async function profile(runtime: Ask): Promise<Section | undefined> {
  const found = await ask(runtime, "get_user_profile", {}, facts);
  const lines = found?.entries.map(
    ({ category, key, value }) => `- ${category}, ${oneLine(key)}: ${JSON.stringify(value)}`,
  );
  return lines && { title: "Profile", items: firstOf(lines), mayShorten: true, spares: "the first" };
}

const known = z.object({
  entries: z.array(z.object({ title: z.string(), text: z.string(), at: z.string() })),
});

/** Characters of a topic that recall_user_context takes. */
const LONGEST_TOPIC = 500;

/** The best match comes last, so that it is left out last. */
async function recalled(runtime: Ask, topic: string, time: HouseTime): Promise<Section | undefined> {
  const words = oneLine(topic).slice(0, LONGEST_TOPIC);
  if (words === "") return undefined;
  const found = await ask(runtime, "recall_user_context", { topic: words }, known);
  const lines = found?.entries.map(
    ({ title, text, at }) =>
      `- ${time.day(at)} ${JSON.stringify(title === text ? text : `${title}: ${text}`)}`,
  );
  return (
    lines && {
      title: "What is remembered and may matter here",
      items: lines.toReversed(),
      mayShorten: true,
      spares: "the least relevant",
    }
  );
}

function firstOf(lines: readonly string[]): readonly string[] {
  const more = lines.length - MAX_SHOWN;
  return more > 0 ? [...lines.slice(0, MAX_SHOWN), `- and ${more} more`] : lines;
}
