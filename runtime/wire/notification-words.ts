import { scopeWords, wishSentence, wishWords } from "./approval-words.js";
import { holderInWords } from "./identity.js";
import type { HardwareTrouble, News, NewsData, NewsKind, NotifiedObstacle } from "./notifications.js";
import { statusProblemWords } from "./status-problems.js";
import { tlsTroubleWords } from "./tls-trouble.js";

/** What the words need beside the news. */
export interface Telling {
  /** The plant that the news is about, if any. */
  readonly plant?: string | undefined;
  /** What people call a plant, by its id. Commands take the id. */
  name(plant: string): string;
  /** A time of day as people in the house read it: "14:05 UTC". */
  clock(at: string): string;
  /** What helps against a hardware error, by its code; undefined for an unknown code. */
  remedy(code: string): string | undefined;
}

/** As much of an id as a person types: six characters tell the tasks of a house apart. A choice. */
export const shortId = (id: string): string => id.slice(0, 6);

type Words = { readonly [Kind in NewsKind]: (data: NewsData<Kind>, telling: Telling) => string };
type NewsOf<Kind extends NewsKind> = {
  [Each in Kind]: { readonly kind: Each; readonly data: NewsData<Each> };
}[Kind];

/**
 * News in English for a person at a terminal, with the commands to type. Only here: the command line,
 * `list_messages_from_agent` and the journal's words for older versions use these.
 */
export const notificationWords = (news: News, telling: Telling): string => inWords(news, telling);

function inWords<Kind extends NewsKind>({ kind, data }: NewsOf<Kind>, telling: Telling): string {
  return WORDS[kind](data, telling);
}

const WORDS: Words = {
  hardware_trouble: ({ code, trouble, held }, telling) =>
    `The hardware reports: ${remedied(code, hardware(code, trouble), telling)}${held ? `. ${ON_HOLD}` : ""}`,
  interlock_fault: ({ code, faults }, telling) =>
    `The hardware reports: ${remedied(code, `the interlock has switched off: ${faults.join(", ")}`, telling)}. Neither water nor light is given to any plant (INTERLOCK). Please see to the cause, then clear the fault with: tendril clear`,
  stop_pressed: ({ input }) =>
    `The stop button "${input}" was pressed: everything is off and on hold. Once the button is released and all is well, lift the hold with: tendril resume`,
  leak: ({ input, plants }, { name }) =>
    `The leak sensor "${input}" is wet, so ${plants.map(name).join(", ")} will get no water (LEAK). Please find the leak and dry the sensor, then clear the fault with: tendril clear ${plants.length === 1 ? plants[0] : ""}`.trimEnd(),
  tank_empty: ({ input, plants }, { name }) =>
    `The tank "${input}" is empty, so ${plants.map(name).join(", ")} will get no water (TANK_EMPTY). Please fill it; there is nothing to clear afterwards.`,
  probe_fault: ({ code, since }, telling) =>
    `${remedied(code, `The moisture probe of ${telling.name(telling.plant ?? "")} is faulty since ${telling.clock(since)}`, telling)}. No water flows until it works again.`,
  probe_works: (_, { plant = "", name }) => `The moisture probe of ${name(plant)} works again.`,
  water_unanswered: ({ unanswered_ml, minutes }, { plant = "", name }) =>
    `The soil of ${name(plant)} has not got wetter within ${minutes} minutes after ${unanswered_ml} ml. Please look at the tank, the tube and the probe. If nothing is wrong there, say so with: tendril clear ${plant}`,
  pump_locked: ({ code, unanswered_ml }, { plant = "", name }) =>
    `The pump of ${name(plant)} is locked (${code}): the soil has given no answer to ${unanswered_ml} ml. Please look at the tube, the tank and the probe, then clear the fault with: tendril clear ${plant}`,
  soil_stays_wet: ({ limit_percent, percent, days }, { plant = "", name }) =>
    `The soil of ${name(plant)} has read above ${limit_percent} % for ${days} days and does not fall${percent === null ? "" : ` (now ${percent.toFixed(1)} %)`}, so no water flows. Either it got too much water or stands in it, or the probe is stuck. Please feel the soil, and look at the saucer and the probe. If the soil is dry, the probe is wrong; water by hand, or with: tendril water 20 --plant ${plant}`,
  uncared: ({ plants, period_hours }, { name }) =>
    [
      ...plants.map((each) => uncared(each, name(each.plant))),
      ...(plants.some(({ obstacle }) => !obstacle) ? [ASK_AGENT] : []),
      `Please look after ${plants.map(({ plant }) => name(plant)).join(", ")}; tendril status shows every plant. This message comes again after each ${duration(period_hours)} without care (care.tell_after_hours in the configuration).`,
    ].join("\n"),
  approval_requested: (asked, telling) =>
    `${request(asked, telling)}. Answer on the page, or with: tendril approve ${asked.id}, or: tendril deny ${asked.id}. No answer counts as a no.`,
  approval_answered: ({ id, agent, tool, arguments: args, by, channel }, { plant, name }) =>
    `${by === "household" ? "Somebody" : by} said yes on ${channel}: ${agent} may ${args ? wishWords(tool, args) : `call ${tool}, with what one person alone is shown`}${plant === undefined ? "" : ` for ${name(plant)}`} (request ${id}). If that was nobody of you: tendril off`,
  approval_void: ({ id, agent, words, reason }, { plant, name }) =>
    `${agent} wanted to ${words}${plant === undefined ? "" : ` for ${name(plant)}`} (request ${id}), and ${reason}. That counts as a no: nothing was done. If you want it, let the agent ask again, or do it yourself.`,
  channel_down: ({ channel, code, message, since, user_id }, { clock }) =>
    `The channel ${channel} does not ${user_id === undefined ? "work" : `reach ${user_id}`} since ${clock(since)}: ${message} (${code}). What it should have brought comes on your other channels, if you have any; tendril doctor says more.`,
  task_due: (task) =>
    `${reminder(task)}. Once it is done: tendril task done ${shortId(task.task_id)}, or: tendril task later ${shortId(task.task_id)}`,
  chat_unanswered: ({ chat_id, user_id, written_at }) =>
    `The agent has tried to answer ${user_id === "household" ? "what was" : `what ${user_id} has`} written in the chat ${chat_id} at ${written_at}, and failed each time. It does not try again by itself: write once more. ${ASK_AGENT}`,
  weekly: ({ from, to, plants, asked, refused, costs }, { name }) =>
    [
      `The week from ${from} to ${to}.`,
      ...plants.map((each) => plantWeek(each, name(each.plant))),
      ...(refused === undefined ? [] : [refusedWords(refused)]),
      `Asked for a yes: ${asked.yes + asked.no} calls; ${asked.yes} got one, ${asked.no} did not.`,
      ...(costs === undefined ? [] : [costWords(costs)]),
    ].join("\n\n"),
  tls_trouble: ({ trouble }) => tlsTroubleWords(trouble),
  job_unknown: ({ words, claimed_at, adapter }) =>
    `Nobody knows whether this was done: ${words}. The bridge (${adapter}) got it at ${claimed_at} and never said what became of it. It is not repeated: please look yourself.`,
};

/** Characters of the longest bar. A choice: fits beside the figures on a phone. */
const LONGEST_BAR = 12;

/** A chart that every channel can show. */
function plantWeek({ doses, moisture_percent, light_minutes, days }: WeekOfPlant, name: string): string {
  const most = Math.max(...days.map(({ ml }) => ml), 1);
  const total = Math.round(days.reduce((sum, { ml }) => sum + ml, 0) * 10) / 10;
  const light = light_minutes === undefined ? "" : `; light on for ${hoursWords(light_minutes)}`;
  const soil = moisture_percent === null ? "" : `; the soil reads ${moisture_percent.toFixed(1)} % now`;
  const bar = (ml: number) => "█".repeat(Math.ceil((ml / most) * LONGEST_BAR));
  const rows = days.map(({ day, ml }) => `${day}  ${String(ml).padStart(5)} ml  ${bar(ml)}`.trimEnd());
  return [`${name}: ${total} ml in ${doses} doses${light}${soil}`, ...rows].join("\n");
}

const hoursWords = (minutes: number): string => `${Math.floor(minutes / 60)} h ${minutes % 60} min`;

function refusedWords(refused: NonNullable<NewsData<"weekly">["refused"]>): string {
  if (refused.length === 0) return "No dose was refused.";
  const sum = refused.reduce((all, { doses }) => all + doses, 0);
  const codes = refused.map(({ code, doses }) => `${code} ${doses}`).join(", ");
  return `Doses refused: ${sum} (${codes}).`;
}

/** Only agents know what they have spent, so this is what they say. */
function costWords(costs: NonNullable<NewsData<"weekly">["costs"]>): string {
  if (costs.length === 0) return "What models cost: no agent has reported any cost.";
  const lines = costs.map(({ model, calls, tokens, money }) => {
    const price = money === null ? "no price is set" : `${money.toFixed(2)} in money`;
    return `${model}: ${calls} calls, ${tokens} tokens, ${price}`;
  });
  return ["What models cost, as agents report it:", ...lines].join("\n");
}

type WeekOfPlant = NewsData<"weekly">["plants"][number];

/** The same for a channel where a person answers with a button: without commands. Undefined for news that asks nothing. */
export function questionWords(news: News, telling: Telling): string | undefined {
  if (news.kind === "task_due") return reminder(news.data);
  if (news.kind !== "approval_requested") return undefined;
  return `${request(news.data, telling)}. No answer counts as a no.`;
}

const request = (asked: Asked, telling: Telling): string =>
  `${wish(asked, telling)}${reach(asked, telling)} (request ${asked.id}, until ${telling.clock(asked.until)})`;

function reminder({ title, due_at, late_minutes, ...who }: NewsData<"task_due">): string {
  const { user_id, name = user_id, by, by_name = holderInWords(by) } = who;
  const late = late_minutes === undefined ? "" : `. This reminder comes ${lateness(late_minutes)} late`;
  return `Task${user_id === "household" ? "" : ` of ${name}`} due at ${due_at}: ${title} (added by ${by_name})${late}`;
}

const lateness = (minutes: number): string => (minutes < 60 ? `${minutes} minutes` : duration(minutes / 60));

type Asked = NewsData<"approval_requested">;

function wish({ tool, words, ...asked }: Asked, { plant, name }: Telling): string {
  const what = words ?? wishWords(tool ?? "", asked.arguments ?? {});
  return wishSentence({ ...asked, words: what, plant: plant === undefined ? undefined : name(plant) });
}

/** How far a yes goes beyond the call. */
const reach = ({ tool = "", planned }: Asked, { plant = "", name }: Telling): string =>
  planned === undefined ? "" : `; an approval is valid for ${scopeWords(tool, name(plant), planned)}`;

function remedied(code: string, what: string, { remedy }: Telling): string {
  const help = remedy(code);
  return `${what}${help === undefined ? "" : `: ${help}`} (${code})`;
}

/** A code that this version does not know, or that has no words of its own, still names the part. */
const hardware = (code: string, trouble: HardwareTrouble): string =>
  (HARDWARE[code] ?? failed)(trouble) + inBrackets(trouble.reasons);

const inBrackets = (reasons: readonly string[] = []): string =>
  reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;

const failed = ({ part = "a part" }: HardwareTrouble): string => `${part} failed`;

const HARDWARE: Readonly<Record<string, (trouble: HardwareTrouble) => string>> = {
  GUARD_LOST: () => "the guard of the relays died",
  GUARD_BUSY: ({ part = "relays" }) => `another process drives the ${part}`,
  PIN_FAILED: ({ part = "a relay", during }) =>
    `${part} could not be ${during === "opening" ? "opened" : "switched off"}`,
  RELAY_WELDED: ({ part = "relay" }) =>
    `the ${part} is live behind the interlock although no relay of the Pi is switched on`,
  INTERLOCK_LOST: () => "the interlock does not answer",
  INTERLOCK_LIMITS: () => "the interlock does not fit",
  INTERLOCK_PORT: ({ part = "" }) => `the interlock's serial line ${part} cannot be opened`,
  PACKAGE_UNAVAILABLE: ({ part = "" }) => `the package ${part} cannot be used`,
};

const ON_HOLD =
  "Everything is on hold. Please see that no pump and no light is on that should not be; once all is well, lift the hold with: tendril resume";
const ASK_AGENT =
  "On the agent's computer, tendril log shows what the agent did last, and tendril agent starts one if none runs.";

type Uncared = NewsData<"uncared">["plants"][number];

/** `name`: what people call the plant. */
function uncared(news: Uncared, name: string): string {
  const { plant, hours, since, ever_cared, obstacle } = news;
  const from = ever_cared ? "the last time was" : "it has been watched, without any care, since";
  const remedy = obstacle ? ` ${REMEDIES[obstacle.kind](plant)}` : "";
  return `Nobody has cared for ${name} for ${duration(hours)}: ${from} ${since}. ${why(news, name)}${remedy}`;
}

const REMEDIES: Readonly<Record<NotifiedObstacle["kind"], (plant: string) => string>> = {
  hold: () => "Once all is well, lift the hold with: tendril resume",
  fault: (plant) => `Once you have seen to that, clear the fault with: tendril clear ${plant}`,
  probe: () => "Please check the probe and its wiring; tendril doctor helps.",
  input: () => "Please see to that; tendril doctor helps.",
  interlock: () => "Please see to that; tendril doctor helps.",
};

function obstacleWords(plant: string, obstacle: NotifiedObstacle): string {
  if (obstacle.kind === "hold") return `${plant} is on hold since ${obstacle.since} (${obstacle.reason})`;
  if (obstacle.kind === "fault") return `its water is locked since ${obstacle.since} (${obstacle.code})`;
  if (obstacle.kind === "probe")
    return `its moisture probe is faulty since ${obstacle.since} (${obstacle.code}), and there is no water without it`;
  if (obstacle.kind === "interlock") return `the interlock switches nothing on (${obstacle.code})`;
  return INPUTS[obstacle.is](obstacle.input);
}

const INPUTS = {
  stop: (name: string) => `the stop button "${name}" is pressed`,
  leak: (name: string) => `the leak sensor "${name}" is wet`,
  tank: (name: string) => `the tank "${name}" is empty`,
} as const;

function why({ attempt, obstacle }: Uncared, name: string): string {
  const silence = "No agent has written a plant status since then";
  if (obstacle) return `The reason: ${obstacleWords(name, obstacle)}.${attempt ? "" : ` ${silence} either.`}`;
  if (!attempt) return `${silence}: perhaps none is running.`;
  const last = `The last plant status, of ${attempt.timestamp},`;
  if (attempt.what === "refused")
    return `${last} was refused: ${attempt.problems?.map(statusProblemWords).join(" ") ?? ""}`;
  if (attempt.what === "planned")
    return `${last} was accepted, but nothing of its plan was carried out: no water flowed, and no light went on.`;
  return `What was done last, at ${attempt.timestamp}, does not count: a hold or a fault kept the water off then.`;
}

/** From here on, days are easier to read than hours. */
const IN_HOURS = 72;

function duration(hours: number): string {
  const [count, unit] = hours < IN_HOURS ? [Math.floor(hours), "hour"] : [Math.floor(hours / 24), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
