import { hours } from "../../units.js";
import { type Care, plantName } from "./care.js";
import { type HumanMessage, percent } from "./facts.js";
import { soilInWords } from "./plan.js";
import { allOf, since } from "./transcript.js";

/** A message older than this was meant for an earlier day, and most likely for another agent. */
const ANSWER_WITHIN = hours(24);
const QUOTED = 200;

/** Messages of the person that nobody answered yet, oldest first. */
export function unanswered({ facts, memory }: Care): readonly HumanMessage[] {
  const oldest = (facts.now ?? 0) - ANSWER_WITHIN;
  return facts.messages
    .filter(
      ({ message_id, timestamp }) => !memory.answered.includes(message_id) && Date.parse(timestamp) >= oldest,
    )
    .reverse();
}

/** Says what rules can do with free text: nothing; and what they will do instead. */
export function replyTo({ content }: HumanMessage, care: Care): string {
  const { waterBelow, lightGoal } = care.needs;
  return [
    `I have read: "${quote(content)}".`,
    `I am the rule-based caretaker and cannot follow free text. I water below ${waterBelow} % and light up to ${lightGoal} minutes a day;`,
    "`tendril hold` stops me, `tendril resume` lets me go on.",
    present(care),
  ].join(" ");
}

export const quote = (text: string): string => (text.length <= QUOTED ? text : `${text.slice(0, QUOTED)} …`);

export function present(care: Care): string {
  const { soil, water } = care.facts;
  // what was poured since the figures were read is not in them
  const poured = allOf(since(care.exchanges, "get_water_usage_24h"), "dispense_water")
    .filter(({ error }) => !error)
    .reduce((sum, { args }) => sum + Number(args.ml), 0);
  const soilNow =
    soil.fault === undefined
      ? `${soilInWords(soil, care.needs)} at ${percent(soil.reading)}`
      : "without a moisture reading";
  return `Now: ${plantName(care)} is ${soilNow}${water ? `, ${water.used_ml + poured} ml in 24 hours` : ""}.`;
}
