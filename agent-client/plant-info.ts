import type { Message } from "./models/model.js";

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
  const kind = species === undefined ? "" : ` (${species.replace(/\s+/g, " ").trim()})`;
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
