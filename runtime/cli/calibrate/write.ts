import type { Desk } from "./session.js";
import { isYes } from "./terminal.js";

/** Checks, asks, writes, and says what is to be done then. Throws ConfigError for what the loader does not take. */
export async function write(
  { file, plant, terminal, clock, yes, restart }: Desk,
  section: "probe" | "pump",
  values: Readonly<Record<string, number>>,
  meaning?: string,
): Promise<void> {
  const text = file.with(plant, section, values);
  const lines = Object.entries(values).map(([key, value]) => `${key}: ${value}`);
  const what = `${section} of ${plant.id}: ${lines.join(", ")}`;
  if (file.has(text)) return terminal.say(`${file.path} has it already (${what}): nothing to write`);
  if (meaning !== undefined) terminal.say(meaning);
  terminal.say(`For ${file.path}: ${what}`);
  if (!yes && !(await isYes(terminal, "Write that?", false))) return terminal.say("nothing was written");
  const kept = await file.replace(text, clock);
  terminal.say(`written; the old file is kept as ${kept}`);
  terminal.say(`A running runtime goes by it once it is restarted: ${restart}`);
}
