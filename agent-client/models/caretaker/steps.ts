import { type EpochMillis, hours } from "../../clock.js";
import type { Arguments } from "../../cycle/arguments.js";
import {
  type Care,
  isSinkingIn,
  lastCycle,
  objectionsIn,
  plantName,
  shouldTell,
  summary,
  writeMemory,
} from "./care.js";
import { allOf, type Call, type Exchange, latest, percent, since } from "./facts.js";
import { concernsOf, PHOTOS, replyTo, settledTopics, unanswered } from "./messages.js";
import { type Plan, planCare, type Situation, soilInWords } from "./plan.js";
import { HISTORY, surveyInWords } from "./survey.js";

/** The next calls of one step of the cycle; empty once the step is done or impossible. */
export type StepOfCare = (care: Care) => readonly Call[];

/** The calls of the first step that has any. Actions are logged before. */
export function firstCalls(care: Care, steps: readonly StepOfCare[]): readonly Call[] {
  const unlogged = record(care);
  for (const step of steps) {
    const calls = step(care);
    if (calls.length > 0) return [...unlogged, ...calls];
  }
  return unlogged;
}

/** Tools with the figures that a plant status needs. */
export const FIGURES = ["get_current_time", "read_moisture", "get_water_usage_24h", "get_light_status"];
/** Pots and probes change slowly: twice a day is enough, apart from the reasons in `isSurveyDue`. */
const SURVEY_EVERY = hours(12);

export const look: StepOfCare = (care) => {
  if (care.exchanges.length > 0) return [];
  const context = [
    care.call("list_messages_from_human", { limit: 20 }),
    care.call("fetch_notes"),
    care.call("get_recent_photos", { n: PHOTOS }),
  ];
  return [...FIGURES.map((tool) => care.call(tool)), ...context].filter(({ name }) => care.has(name));
};

/** Reads the history: how much water this pot needs, and whether the probe is right. */
export const lookBack: StepOfCare = (care) => {
  if (HISTORIES.some(({ tool }) => !care.has(tool) || latest(care.exchanges, tool))) return [];
  const { now, timestamp } = care.facts;
  if (now === undefined || !isSurveyDue(care, now)) return [];
  return HISTORIES.map(({ tool, ...what }) => care.call(tool, { ...HISTORY, ...what, end_time: timestamp }));
};

const HISTORIES = [
  { tool: "get_moisture_history", aggregation: "mean", value_field: "percent" },
  { tool: "get_water_history", aggregation: "sum", value_field: "ml_dispensed" },
];

/** Every cycle during a suspicion, and after the first water in an unknown pot. */
function isSurveyDue(care: Care, now: EpochMillis): boolean {
  const { survey } = care;
  if (survey?.trust !== "trusted") return true;
  const learning = survey.mlPerPercent === undefined && (lastCycle(care)?.poured ?? 0) > 0;
  return learning || now - survey.at >= SURVEY_EVERY || now < survey.at;
}

export const think: StepOfCare = (care) => {
  const { soil } = care.facts;
  const plan = planFor(care);
  const isFaulty = soil.fault !== undefined;
  return note(care, "caretaker", {
    hypothesis: `the soil is ${isFaulty ? "of unknown moisture" : soilInWords(soil, care.needs)}`,
    candidate_actions: plan?.actions ?? [],
    reasoning: plan?.reasoning ?? "figures are missing, so nothing can be planned",
    uncertainties: isFaulty
      ? "the probe is faulty: the soil may be wet or dry"
      : "one probe sees one spot of the soil",
  });
};

/** Logs the cycle's thought, with what was read of the soil. */
export function note(care: Care, by: string, thought: Arguments): readonly Call[] {
  if (latest(care.exchanges, "log_thought")) return [];
  const { soil } = care.facts;
  const seen = soil.fault ?? `moisture ${percent(soil.reading)} (raw ${soil.reading.value})`;
  const observation = `${plantName(care)}: ${seen}`;
  return [care.call("log_thought", { observation, ...thought, tags: [by, plantName(care)] })];
}

/** Writes the status; after a refusal reads everything again and writes a corrected one. */
export const openCycle: StepOfCare = (care) => openWith(care, planFor(care));

/** The same with a given plan; `again` are the reads after a refusal. */
export function openWith(
  care: Care,
  plan: Plan | undefined,
  again: readonly Call[] = FIGURES.map((tool) => care.call(tool)),
): readonly Call[] {
  const { gate, exchanges } = care;
  if (gate.plan || !gate.mayTryAgain || !plan) return [];
  const readAgain = since(exchanges, "write_plant_status").some(({ name }) => name === "read_moisture");
  if (gate.refusals.length > 0 && !readAgain) return again;
  return [care.call("write_plant_status", statusOf(care, plan))];
}

const statusOf = ({ facts }: Care, plan: Plan) => ({
  timestamp: facts.timestamp,
  sensor_reading: facts.soil.reading?.value,
  water_24h: facts.water?.used_ml,
  light_today: facts.light?.light_today,
  plant_state: plan.state,
  next_action_sequence: plan.actions,
  reasoning: plan.reasoning,
});

function planFor(care: Care): Plan | undefined {
  const situation = situationOf(care);
  return situation && planCare(situation, objectionsIn(care.gate));
}

/** The figures for a plan; undefined while one is missing. */
export function situationOf(care: Care): Situation | undefined {
  const { now, soil, water, light } = care.facts;
  if (now === undefined || !water || !light || !soil.reading) return undefined;
  const { needs, survey } = care;
  return { now, soil, water, light, needs, mlPerPercent: survey?.mlPerPercent, sinkingIn: isSinkingIn(care) };
}

/** Carries out the cleared plan, one call at a time; a refused dose ends the watering. */
export const act: StepOfCare = (care) => {
  const done = since(care.exchanges, "write_plant_status");
  const next = (action: "water" | "light", tool: string) => {
    const tried = allOf(done, tool);
    if (tried.some(({ error }) => error)) return undefined;
    return care.gate.plan?.filter((step) => step.action === action)[tried.length]?.value;
  };
  const ml = next("water", "dispense_water");
  if (ml !== undefined) return [care.call("dispense_water", { ml })];
  const minutes = next("light", "turn_on_light");
  return minutes === undefined ? [] : [care.call("turn_on_light", { minutes })];
};

/**
 * Messages about problems, and the answers. Without a note it is unknown what the person was told: then no messages, rather than a
 * flood.
 */
export function tell(care: Care, answers: readonly Arguments[] = answersOf(care)): readonly Call[] {
  const { facts, memory, exchanges } = care;
  const { now, note } = facts;
  if (now === undefined || note === undefined || latest(exchanges, "send_message_to_human")) return [];
  const news = concernsOf(care).filter(({ topic }) => shouldTell(memory, topic, now));
  return [...news.map(({ message }) => ({ message })), ...answers].map((each) =>
    care.call("send_message_to_human", each),
  );
}

const answersOf = (care: Care): readonly Arguments[] =>
  unanswered(care).map((each) => ({ message: replyTo(each, care), in_reply_to: each.message_id }));

const ACTION_TYPES: Readonly<Record<string, "water" | "light" | "observe" | "alert">> = {
  dispense_water: "water",
  turn_on_light: "light",
  capture_photo: "observe",
  send_message_to_human: "alert",
};

/** Logs every action that is not in the log yet. */
const record: StepOfCare = (care) =>
  actionsOf(care)
    .slice(allOf(care.exchanges, "log_action").length)
    .map((action) => logCall(care, ACTION_TYPES[action.name] ?? "observe", detailsOf(action)));

/** Logs the observation if there was no action. */
export const recordQuiet: StepOfCare = (care) => {
  const logged = latest(care.exchanges, "log_action");
  return logged || actionsOf(care).length > 0
    ? []
    : [logCall(care, "observe", { ...care.facts.soil.reading })];
};

const actionsOf = ({ exchanges }: Care) =>
  exchanges.filter(({ name, error }) => name in ACTION_TYPES && !error);

const logCall = (care: Care, type: string, details: Record<string, unknown>): Call =>
  care.call("log_action", { type, details: { plant: plantName(care), ...details } });

function detailsOf({ name, args, value }: Exchange): Record<string, unknown> {
  const { plant: _, message: __, ...asked } = args;
  return { tool: name, ...asked, ...(typeof value === "object" && value !== null && { result: value }) };
}

/** Rewrites its part of the note: this cycle's line, topics told, messages answered. `alsoAnswered`: ids of more of these. */
export function remember(care: Care, alsoAnswered: readonly string[] = []): readonly Call[] {
  const { facts, memory, exchanges } = care;
  if (facts.note === undefined || latest(exchanges, "save_notes")) return [];
  const plants = new Map(memory.plants).set(plantName(care), `${facts.timestamp} ${summary(care)}`);
  const soils = new Map(memory.soils);
  if (care.survey) soils.set(plantName(care), surveyInWords(care.survey));
  const answered = [...new Set([...answeredNow(care), ...alsoAnswered])];
  const content = writeMemory({ ...memory, plants, soils, told: toldNow(care), answered });
  return [care.call("save_notes", { content, mode: "replace" })];
}

function toldNow(care: Care): ReadonlyMap<string, string> {
  const { timestamp = "" } = care.facts;
  const concerns = concernsOf(care);
  const present = new Set(concerns.map(({ topic }) => topic));
  const settled = new Set(settledTopics(care).filter((topic) => !present.has(topic)));
  const sent = new Set(sentMessages(care).map(({ args }) => args.message));
  const news = concerns
    .filter(({ message }) => sent.has(message))
    .map(({ topic }) => [topic, timestamp] as const);
  return new Map([...[...care.memory.told].filter(([topic]) => !settled.has(topic)), ...news]);
}

/** Forgets ids that are no longer on the page of messages: they will not come back. */
function answeredNow(care: Care): readonly string[] {
  const answered = new Set([
    ...care.memory.answered,
    ...sentMessages(care).map(({ args }) => args.in_reply_to),
  ]);
  return care.facts.messages.map(({ message_id }) => message_id).filter((id) => answered.has(id));
}

const sentMessages = ({ exchanges }: Care) =>
  allOf(exchanges, "send_message_to_human").filter(({ error }) => !error);
