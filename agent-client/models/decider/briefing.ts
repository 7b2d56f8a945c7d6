import { z } from "zod";
import { memory } from "../../../runtime/wire/agenda.js";
import type { Millilitres, Minutes } from "../../clock.js";
import { holdsAndFaultsIn, isHold, oneLine } from "../../cycle/context.js";
import { type Care, plantName } from "../caretaker/care.js";
import { type HumanMessage, latest, percent } from "../caretaker/facts.js";
import { quote, unanswered } from "../caretaker/messages.js";
import {
  isDay,
  isDry,
  MIN_DOSE,
  type PlannedAction,
  planCare,
  type Situation,
  stateOf,
} from "../caretaker/plan.js";
import { situationOf } from "../caretaker/steps.js";
import type { Offer } from "./decision.js";

/** The plant's state in words for a model, and the possible answers. */
export interface Briefing {
  readonly text: string;
  readonly offer: Offer;
  /** Water and light that the rules would give now. */
  readonly wanted: Given;
  /** The plant suffers without water. */
  readonly isThirsty: boolean;
  readonly waiting: readonly HumanMessage[];
}

interface Given {
  readonly water: Millilitres;
  readonly light: Minutes;
}

/**
 * The same for every plant and cycle, so that a server can cache it. The state has comparisons in words: Qwen 1.5B was right
 * about water in 8 of 14 cases with numbers only, and in 20 of 20 with words (docs/models.md).
 */
export const RULES = `You care for one potted plant. You read its state and answer with one JSON object.
- observation: one short sentence on soil and light, in the words of the state.
- plant_state: the word that the line "Soil" ends with; a worse one where a fault or a message tells of harm.
- water_ml: water to give now. The line "Water" says whether water is needed, and how much. When it says "no water", write 0.
- light_minutes: minutes of lamp light to give now. The line "Light" says whether light is wanted. When it says "no light", write 0.
- message_to_person, where it is asked for: your own short answer to the waiting message.
- memory, where it is asked for: a lasting fact about the plant that the waiting message tells. Else "".
- next_look, where it is asked for: "as usual", or sooner when you must see what comes of it.`;

/** Below this fraction of `waterBelow` the caretaker calls a plant stressed. */
const THIRSTY = 0.875;
/** Doses to choose from, besides the one of the rules: the smallest and the largest that `dispense_water` takes. */
const DOSES: readonly Millilitres[] = [MIN_DOSE, 25];

/** Undefined while a figure is missing. `prompt` is the beginning of the conversation, with holds and faults. */
export function briefingOf(care: Care, prompt: string): Briefing | undefined {
  const situation = situationOf(care);
  if (!situation) return undefined;
  const standing = holdsAndFaultsIn(prompt);
  const held = standing.some(isHold);
  const { actions } = planCare(situation, { water: held, light: held });
  const wanted = { water: sumOf(actions, "water"), light: sumOf(actions, "light") };
  const waiting = unanswered(care);
  const { soil, needs } = situation;
  const isUneasy =
    soil.fault !== undefined || isDry(soil, needs) || standing.length > 0 || waiting.length > 0;
  return {
    text: [
      `Plant: ${plantName(care)}. Time: ${care.facts.timestamp} (UTC).`,
      soilLine(situation),
      `Water: ${waterWords(situation, wanted, held)}. ${budgetWords(situation)}.`,
      lightLine(situation, wanted, held),
      `Faults and holds: ${listed(standing)}.`,
      `Waiting messages: ${listed(waiting.map(({ content }) => `"${quote(oneLine(content))}"`))}.`,
      `Last look: ${care.memory.plants.get(plantName(care)) ?? "none yet"}.`,
      `Learnt: ${listed(memoriesIn(care))}.`,
    ].join("\n"),
    offer: {
      water: waterOffered(situation, wanted, held),
      light: [...new Set([0, wanted.light])],
      words: waiting.length > 0 ? ["message_to_person", "memory"] : [],
      looks: isUneasy ? ["as usual", "in 1 hour", "in 3 hours"] : ["as usual"],
    },
    wanted,
    isThirsty:
      isDry(soil, needs) && soil.reading !== undefined && soil.reading.percent < THIRSTY * needs.waterBelow,
    waiting,
  };
}

const sumOf = (actions: readonly PlannedAction[], what: PlannedAction["action"]): number =>
  actions.reduce((sum, { action, value }) => sum + (action === what ? value : 0), 0);

const listed = (items: readonly string[]): string => (items.length === 0 ? "none" : items.join("; "));

function soilLine({ soil, needs }: Situation): string {
  const { waterBelow, waterToward } = needs;
  if (soil.fault !== undefined) return `Soil: ${soil.fault}; no good reading: unknown.`;
  const marks = `(low mark ${waterBelow} %, target ${waterToward} %)`;
  const above = soil.reading.percent < waterToward ? "above the low mark" : "above the target";
  const place = isDry(soil, needs) ? "BELOW the low mark" : above;
  return `Soil: ${percent(soil.reading)}: ${place} ${marks}: ${stateOf(soil, needs)}.`;
}

function waterWords({ soil, needs, sinkingIn, water }: Situation, wanted: Given, held: boolean): string {
  if (held) return "on hold by a person: no water";
  if (soil.fault !== undefined) return "no water while the reading is not good";
  if (!isDry(soil, needs)) return "no water needed";
  if (sinkingIn) return "needed, but the last water is still sinking in: no water now";
  if (water.remaining_ml < MIN_DOSE) return "needed, but the day's budget is used up: no water now";
  return `NEEDED, ${wanted.water} ml now`;
}

const budgetWords = ({ water }: Situation): string =>
  `${water.used_ml} ml given in 24 hours, ${water.remaining_ml} ml left of the budget`;

function lightLine({ now, light, needs }: Situation, wanted: Given, held: boolean): string {
  const today = `Light: ${Math.round(light.light_today)} of ${needs.lightGoal} minutes today`;
  if (held) return `${today}: on hold by a person: no light.`;
  if (wanted.light > 0) return `${today}: WANTED, ${wanted.light} minutes now.`;
  if (light.status === "on") return `${today}: the lamp is on: no light more.`;
  if (!isDay(now)) return `${today}: it is night: no light now.`;
  const why = light.can_activate ? "the goal is reached" : "the lamp must rest";
  return `${today}: ${why}: no light now.`;
}

/** Above the target only 0 is possible: the runtime would refuse water as too wet. */
function waterOffered(
  { soil, needs, water, sinkingIn }: Situation,
  wanted: Given,
  held: boolean,
): readonly number[] {
  const closed = held || sinkingIn || soil.fault !== undefined || soil.reading.percent >= needs.waterToward;
  const most = closed ? 0 : water.remaining_ml;
  return [...new Set([0, ...DOSES, wanted.water].filter((ml) => ml <= most))].sort((a, b) => a - b);
}

const memories = z.object({ memories: z.array(memory.pick({ text: true })) });
/** Only the newest. A choice: each costs a slow model a second or two. */
const MEMORIES_TOLD = 5;

export const memoriesIn = ({ exchanges }: Pick<Care, "exchanges">): readonly string[] =>
  (memories.safeParse(latest(exchanges, "list_memories")?.value).data?.memories ?? [])
    .slice(-MEMORIES_TOLD)
    .map(({ text }) => quote(oneLine(text)));
