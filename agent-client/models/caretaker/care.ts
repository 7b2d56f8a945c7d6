import type { ToolInfo } from "../../connect.js";
import { plantInPrompt } from "../../context.js";
import { takesPlant } from "../../plants.js";
import type { Arguments } from "../../tool-runner.js";
import type { Message } from "../model.js";
import { type Facts, factsOf } from "./facts.js";
import { type Gate, gateOf } from "./gate.js";
import { type Memory, readMemory } from "./memory.js";
import { type Exchange, exchangesOf } from "./transcript.js";

/** A call the caretaker wants made. */
export interface Call {
  readonly name: string;
  readonly arguments: Arguments;
}

/** The cycle as far as it has come, seen from the conversation alone. */
export interface Care {
  /** Undefined where only one plant is configured. */
  readonly plant: string | undefined;
  readonly exchanges: readonly Exchange[];
  readonly facts: Facts;
  readonly gate: Gate;
  readonly memory: Memory;
  has(tool: string): boolean;
  /** A call, about this plant where the tool asks which. */
  call(tool: string, args?: Arguments): Call;
}

export function careOf(conversation: readonly Message[], tools: readonly ToolInfo[]): Care {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const prompt = conversation.find(({ role }) => role === "system")?.content ?? "";
  const plant = plantInPrompt(prompt);
  const exchanges = exchangesOf(conversation);
  const facts = factsOf(exchanges);
  return {
    plant,
    exchanges,
    facts,
    gate: gateOf(exchanges),
    memory: readMemory(facts.note ?? ""),
    has: (tool) => byName.has(tool),
    call: (name, args = {}) => {
      const which = plant !== undefined && takesPlant(byName.get(name)) ? { plant } : {};
      return { name, arguments: { ...args, ...which } };
    },
  };
}

/** For people and notes; topics and notes hold it as one word. */
export const plantName = ({ plant }: Pick<Care, "plant">): string => plant ?? "plant";
