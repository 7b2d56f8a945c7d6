import type { Arguments } from "../../cycle/arguments.js";
import { plantInPrompt } from "../../cycle/context.js";
import type { ToolInfo } from "../../link/tools.js";
import { takesPlant } from "../../link/tools.js";
import type { Message } from "../model.js";
import { type Facts, factsOf, type Soil } from "./facts.js";
import { type Gate, gateOf } from "./gate.js";
import { type Memory, readMemory } from "./memory.js";
import { type Needs, needsOf } from "./needs.js";
import { historiesIn, type Survey, surveyInLine, surveyOf } from "./survey.js";
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
  readonly needs: Needs;
  /** What its past tells: this cycle's survey, or the last one in the note. */
  readonly survey: Survey | undefined;
  has(tool: string): boolean;
  /** A call, about this plant where the tool asks which. */
  call(tool: string, args?: Arguments): Call;
}

export function careOf(conversation: readonly Message[], tools: readonly ToolInfo[]): Care {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const { plant, species } = plantInPrompt(conversation);
  const exchanges = exchangesOf(conversation);
  const facts = factsOf(exchanges);
  const memory = readMemory(facts.note ?? "");
  const needs = needsOf(species);
  const survey = surveyed(exchanges, facts, needs, surveyInLine(memory.soils.get(plantName({ plant }))));
  return {
    plant,
    exchanges,
    facts: { ...facts, soil: believed(facts.soil, survey) },
    gate: gateOf(exchanges),
    memory,
    needs,
    survey,
    has: (tool) => byName.has(tool),
    call: (name, args = {}) => {
      const which = plant !== undefined && takesPlant(byName.get(name)) ? { plant } : {};
      return { name, arguments: { ...args, ...which } };
    },
  };
}

function surveyed(
  exchanges: readonly Exchange[],
  { now }: Facts,
  { waterBelow }: Needs,
  before: Survey | undefined,
): Survey | undefined {
  const histories = historiesIn(exchanges);
  return now !== undefined && histories ? surveyOf({ now, waterBelow, ...histories }, before) : before;
}

/** A good reading of a probe that its past speaks against is as none. */
function believed(soil: Soil, survey: Survey | undefined): Soil {
  if (soil.fault !== undefined || !survey || survey.trust === "trusted") return soil;
  const { reading } = soil;
  return { fault: `the probe seems ${survey.trust}`, reading, suspicion: survey.trust };
}

/** For people and notes; topics and notes hold it as one word. */
export const plantName = ({ plant }: Pick<Care, "plant">): string => plant ?? "plant";
