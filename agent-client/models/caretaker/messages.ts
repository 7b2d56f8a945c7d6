import { type EpochMillis, hours } from "../../clock.js";
import { type Care, plantName } from "./care.js";
import {
  allOf,
  type Call,
  type HumanMessage,
  latest,
  type Photo,
  percent,
  type Reading,
  type Suspicion,
  since,
} from "./facts.js";
import { isDay, isDry, MIN_DOSE, soilInWords, timeOfDay } from "./plan.js";

/** Photos that are compared: one a day for a week, and one more. */
export const PHOTOS = 8;
/** Only photos of the same hours are compared: a winter morning is dark anyway. All hours here are UTC. */
const MIDDAY = { from: hours(10), to: hours(14) };
/** About once a day. */
const MIDDAY_EVERY = hours(20);
/** Without a cycle at midday, a photo at another hour is better than none. */
const AT_LEAST_EVERY = hours(22);

/** Takes a photo at midday, or by day if the last one is old. No photo if the runtime has no camera. */
export function photograph(care: Care): readonly Call[] {
  const { now, photos } = care.facts;
  if (!care.has("capture_photo") || latest(care.exchanges, "capture_photo")) return [];
  if (now === undefined || !photos || !isDay(now)) return [];
  const isDue =
    now - lastOf(photos) >= AT_LEAST_EVERY ||
    (isMidday(now) && now - lastOf(photos.filter(atMidday)) >= MIDDAY_EVERY);
  return isDue ? [care.call("capture_photo")] : [];
}

const isMidday = (at: EpochMillis) => timeOfDay(at) >= MIDDAY.from && timeOfDay(at) < MIDDAY.to;
const atMidday = ({ timestamp }: Photo) => isMidday(timestamp);
const lastOf = (photos: readonly Photo[]) => Math.max(...photos.map(({ timestamp }) => timestamp));

/** Two dark photos in a row are more than a shadow. Two bright ones before them: the room is not always dark. */
const [IN_A_ROW, BRIGHT_BEFORE] = [2, 2];

type Sight = "seeing" | "darkened" | "unknown";

/** Whether something covers the camera. "darkened" only after bright photos; "unknown" if the last photo shows neither. */
function sightOf({ facts }: Pick<Care, "facts">, wasDarkened: boolean): Sight {
  const midday = facts.photos?.filter(atMidday) ?? [];
  if (midday.at(-1)?.dark === false) return "seeing";
  const newest = midday.slice(-IN_A_ROW);
  const bright = midday.filter(({ dark }) => !dark).length;
  const darkened = newest.length === IN_A_ROW && newest.every(({ dark }) => dark);
  return darkened && (wasDarkened || bright >= BRIGHT_BEFORE) ? "darkened" : "unknown";
}

/** A problem. Its topic shows whether the person was told before. */
interface Concern {
  readonly topic: string;
  readonly message: string;
}

/**
 * Refusals that the person need not hear of. They pass by themselves, end with the cycle, or somebody wanted them. The
 * runtime itself reports its buttons, sensors and interlock, and the person knows which parts are not fitted.
 */
const PASSING: ReadonlySet<string> = new Set(
  `PUMP_BUSY AWAITING_SOIL SOIL_WET LIGHT_COOLDOWN LIGHT_ALREADY_ON RATE_LIMITED TOO_MANY_MESSAGES CANCELLED STOPPING
  CYCLE_EXPIRED PULSE_INHIBITED TANK_EMPTY LEAK INTERLOCK INTERLOCK_LOST INTERLOCK_LIMITS INTERLOCK_FAULT INTERLOCK_REST
  NOT_FITTED APPROVAL_DENIED APPROVAL_EXPIRED`.split(/\s+/),
);

/** All problems that the person should know, at most one per topic. */
export function concernsOf(care: Care): readonly Concern[] {
  const found = [
    ...probe(care),
    ...camera(care),
    ...budget(care),
    ...objections(care),
    ...failures(care),
    ...blind(care),
  ];
  return [...new Map(found.map((concern) => [concern.topic, concern])).values()];
}

/** Topics that are over by the facts: if they come back, the person is told again. */
export function settledTopics(care: Care): readonly string[] {
  const { soil } = care.facts;
  const succeeded = (tool: string) => care.exchanges.some(({ name, error }) => name === tool && !error);
  const poured = succeeded("dispense_water");
  const room = (care.facts.water?.remaining_ml ?? 0) >= MIN_DOSE;
  return [
    ...(soil.fault === undefined || soil.suspicion ? [topic(care, "probe-fault")] : []),
    ...(care.survey
      ? SUSPECTED.filter((each) => each !== care.survey?.trust).map((each) => topic(care, `probe-${each}`))
      : []),
    ...(sight(care) === "seeing" ? [topic(care, "camera-dark")] : []),
    ...(room ? [topic(care, "budget-spent")] : []),
    ...(poured ? [topic(care, "no-response")] : []),
    ...(poured || succeeded("turn_on_light") ? [topic(care, "hold")] : []),
    ...(care.gate.plan ? [topic(care, "status-refused"), topic(care, "no-figures")] : []),
  ];
}

const topic = (care: Care, kind: string) => `${kind}/${plantName(care)}`;

const concern = (care: Care, kind: string, message: string): Concern => ({
  topic: topic(care, kind),
  message: `**${care.plant ?? "Your plant"}**: ${message}`,
});

function probe(care: Care): Concern[] {
  const { soil } = care.facts;
  if (soil.fault === undefined) return [];
  const { fault, reading, suspicion, remedy } = soil;
  if (suspicion) return [concern(care, `probe-${suspicion}`, SUSPICIONS[suspicion](reading))];
  const why = remedy === undefined ? ` (${fault})` : `. Please ${remedy}`;
  const what = `the moisture probe gives no good reading${why}. ${lastKnown(reading)} I pour no water until it reads again.`;
  return [concern(care, "probe-fault", what)];
}

const SUSPICIONS: Readonly<Record<Suspicion, (reading: Reading | undefined) => string>> = {
  stuck: (reading) =>
    `the moisture probe seems stuck: it has said ${said(reading)} for a day and a half without any water, and no real soil is so constant. ${INSTEAD} Look at the probe and its cable, and feel the soil.`,
  reversed: (reading) =>
    `the moisture probe seems reversed or out of the soil: it says ${said(reading)} and gets wetter without any water, or drier after it. ${INSTEAD} Look whether the probe is in its place and of the configured kind, and feel the soil.`,
};
const INSTEAD = "I pour no water on its word until it moves as soil does; light goes on as ever.";
const said = (reading: Reading | undefined) => (reading ? percent(reading) : "the same");

const lastKnown = (reading: Reading | undefined): string =>
  reading
    ? `The last good one was ${percent(reading)} at ${reading.timestamp}.`
    : "There has been no good one yet.";

const SUSPECTED: readonly Suspicion[] = ["stuck", "reversed"];

const sight = (care: Care) => sightOf(care, care.memory.told.has(topic(care, "camera-dark")));

function camera(care: Care): Concern[] {
  if (sight(care) !== "darkened") return [];
  const lamp = care.facts.photos?.at(-1)?.light_on ? ", and whether the lamp still shines" : "";
  const what = `the camera's photos of two days are dark at midday, where earlier ones were bright. Look whether something covers the lens${lamp}. I care by the probe meanwhile.`;
  return [concern(care, "camera-dark", what)];
}

function budget(care: Care): Concern[] {
  const { soil, water } = care.facts;
  if (!water || soil.fault !== undefined || !isDry(soil, care.needs) || water.remaining_ml >= MIN_DOSE)
    return [];
  const spent = `${water.used_ml} ml were given in 24 hours and the limit leaves ${water.remaining_ml} ml`;
  const what = `the soil is at ${percent(soil.reading)}, but ${spent}. Look whether water runs off; I go on when earlier doses are a day old.`;
  return [concern(care, "budget-spent", what)];
}

/** Problems in the runtime's reasons for refusing a status. */
function objections(care: Care): Concern[] {
  const { refusals, plan, mayTryAgain } = care.gate;
  const reasons = refusals.join(" ");
  const givenUp = plan === undefined && refusals.length > 0 && !mayTryAgain;
  const refused = `the runtime refused every status I wrote, so I did nothing. It said: ${forPeople(refusals.at(-1) ?? "")}`;
  return [
    ...(/\bon hold\b/i.test(reasons) ? [held(care, reasons)] : []),
    ...(reasons.includes("NO_RESPONSE") ? [unmoved(care, reasons)] : []),
    ...(givenUp ? [concern(care, "status-refused", refused)] : []),
  ];
}

const held = (care: Care, said: string) =>
  concern(
    care,
    "hold",
    `it needs care, but a hold keeps me from giving it. ${forPeople(said)} Lift it with \`tendril resume\` when you want me to go on.`,
  );

/** Without what the runtime's refusal says to an agent ("…: plan without water and light."), its code, and what the person is asked here. */
const forPeople = (said: string): string =>
  said
    .replace(/[:.] plan without [\w ]+\./gi, ".")
    .replace(/(?:: a person has to [^.]*?)? \([A-Z_]{4,}\)[.]?/g, ".");

const unmoved = (care: Care, said: string) =>
  concern(
    care,
    "no-response",
    `water was poured and the soil did not get wetter: tube, tank or probe may be at fault. ${forPeople(said)} Please look, then clear the fault; until then I pour nothing.`,
  );

/** Refused actions, except for a passing reason. */
function failures(care: Care): Concern[] {
  return care.exchanges.flatMap(({ name, error }) => {
    if (!error || !ACTIONS.has(name) || PASSING.has(error.code)) return [];
    if (error.code === "HOLD") return [held(care, error.message)];
    if (error.code === "NO_RESPONSE") return [unmoved(care, error.message)];
    if (error.code === "BUDGET_EXCEEDED") return [concern(care, "budget-spent", error.message)];
    return [concern(care, error.code.toLowerCase(), `${name} failed. ${error.message}`)];
  });
}

const ACTIONS: ReadonlySet<string> = new Set(["dispense_water", "turn_on_light", "capture_photo"]);

/** Figures that are missing. A status needs all of them; without one nothing can be done. */
function blind(care: Care): Concern[] {
  const { timestamp, water, light, soil } = care.facts;
  const figures = [
    [timestamp, "the time"],
    [water, "the water of the last 24 hours"],
    [light, "the light's status"],
    [soil.reading, "any moisture reading"],
  ] as const;
  const missing = figures.flatMap(([figure, words]) => (figure === undefined ? [words] : []));
  const what = `I could not learn ${missing.join(", ")}, so I wrote no status and did nothing. Look at the runtime's log.`;
  return missing.length === 0 ? [] : [concern(care, "no-figures", what)];
}

/** Older messages are not answered: they were about an earlier day, and probably for another agent. */
const ANSWER_WITHIN = hours(24);
const QUOTED = 200;

/** Unanswered messages of the person, oldest first. */
export function unanswered({ facts, memory }: Care): readonly HumanMessage[] {
  const oldest = (facts.now ?? 0) - ANSWER_WITHIN;
  return facts.messages
    .filter(
      ({ message_id, timestamp }) => !memory.answered.includes(message_id) && Date.parse(timestamp) >= oldest,
    )
    .reverse();
}

/** Tells the person that rules cannot follow free text, and what the caretaker does instead. */
export function replyTo({ content }: HumanMessage, care: Care): string {
  const { waterBelow, lightGoal } = care.needs;
  return [
    `I have read: "${quote(content)}".`,
    `I am the rule-based caretaker and cannot follow free text here; in \`tendril chat\` I understand simple English sentences. I water below ${waterBelow} % and light up to ${lightGoal} minutes a day;`,
    "`tendril hold` stops me, `tendril resume` lets me go on.",
    present(care),
  ].join(" ");
}

export const quote = (text: string): string => (text.length <= QUOTED ? text : `${text.slice(0, QUOTED)} …`);

export function present(care: Care): string {
  const { soil, water } = care.facts;
  // the figures do not include the doses since they were read
  const poured = allOf(since(care.exchanges, "get_water_usage_24h"), "dispense_water")
    .filter(({ error }) => !error)
    .reduce((sum, { args }) => sum + Number(args.ml), 0);
  const soilNow =
    soil.fault === undefined
      ? `${soilInWords(soil, care.needs)} at ${percent(soil.reading)}`
      : "without a moisture reading";
  return `Now: ${plantName(care)} is ${soilNow}${water ? `, ${water.used_ml + poured} ml in 24 hours` : ""}.`;
}
