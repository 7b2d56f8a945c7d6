import { z } from "zod";
import { type HouseTime, timesIn } from "../../../../runtime/wire/house-time.js";
import { counted } from "../../../../runtime/wire/phrases.js";
import { bucket, type CareEvent, careEvents, historyResult } from "../../../../runtime/wire/plants.js";
import {
  answeredQuestion,
  foundMemories,
  type Passage,
  userProfile,
} from "../../../../runtime/wire/records.js";
import type { Arguments } from "../../../cycle/arguments.js";
import { readOpening } from "../../../turns/prompt.js";
import type { Message, Reply } from "../../model.js";
import { exchangesOf, numbered } from "../facts.js";
import { addItems, cancelTask, remind, removeOrComplete, showList, showLists, showTasks } from "./planner.js";
import {
  type Day,
  dayOf,
  HOUR,
  howItIs,
  lightOff,
  ofEach,
  type Told,
  told,
  wateringsOf,
  which,
  why,
} from "./plants.js";
import { isClear, JOINTS, sentencesIn, understandClause } from "./understand.js";
import type { Kind, Steps, Wish, WishOf } from "./wish.js";

/** Answers a person, or does a task, by rules. */
export function talk(conversation: readonly Message[]): Reply {
  return carryOutAll(wishesIn(readOpening(openingOf(conversation)).asked), conversation);
}

const openingOf = (conversation: readonly Message[]): string =>
  conversation.find(({ role }) => role === "user")?.content ?? "";

/**
 * Carries the wishes out and says what came of it. It keeps no state: each time it goes through the wishes again with the
 * answers that the conversation has, up to the first call that was not made yet.
 */
export function carryOutAll(wishes: readonly Wish[], conversation: readonly Message[]): Reply {
  const { time } = readOpening(openingOf(conversation));
  const exchanges = exchangesOf(conversation);
  const steps = all(wishes.slice(0, MAX_WISHES), time);
  let step = steps.next();
  for (const exchange of exchanges) if (!step.done) step = steps.next(exchange);
  if (!step.done) return { toolCalls: numbered(exchanges, [step.value]) };
  const more = wishes.length - MAX_WISHES;
  const rest = more > 0 ? [`I took the first ${MAX_WISHES} things. Please write the others again.`] : [];
  return { text: [...step.value, ...rest].join("\n"), toolCalls: [] };
}

function* all(wishes: readonly Wish[], time: HouseTime): Steps<readonly string[]> {
  const said: string[] = [];
  for (const wish of wishes) said.push(yield* carryOut(wish, time));
  return [...new Set(said)].filter((text) => text !== "");
}

/** A choice: with some calls each they are done within the rounds of a turn. */
export const MAX_WISHES = 5;
/** Choices: nobody says more in a sentence, and any text is understood within milliseconds. */
const LONGEST_SENTENCE = 500;
const MAX_JOINTS = 12;

/** All wishes in a person's words, in their order. */
export const wishesIn = (texts: readonly string[]): readonly Wish[] =>
  texts.flatMap(sentencesIn).flatMap(divided).filter(isSaid);

/** "mist the fern, and put perlite on the shopping list": divided only where the rest is clearly a wish of its own. */
function divided(sentence: string): readonly Wish[] {
  if (sentence.length > LONGEST_SENTENCE) return [{ kind: "unknown", text: sentence }];
  const joints = [...sentence.matchAll(JOINTS)]
    .slice(0, MAX_JOINTS)
    .map(({ 0: joint, index }) => ({ from: index, to: index + joint.length }));
  const known = new Map<number, readonly Wish[]>();
  const wishesFrom = (start: number): readonly Wish[] => {
    const wishes = known.get(start) ?? divide(start);
    known.set(start, wishes);
    return wishes;
  };
  const divide = (start: number): readonly Wish[] => {
    for (const joint of joints.filter(({ from }) => from > start)) {
      const left = understandClause(sentence.slice(start, joint.from));
      const rest = left.kind === "unknown" ? [] : wishesFrom(joint.to);
      const [next] = rest;
      if (next && isClear(next)) return [left, ...rest];
    }
    return [understandClause(sentence.slice(start))];
  };
  return wishesFrom(0);
}

const isSaid = (wish: Wish, _: number, all: readonly Wish[]): boolean =>
  wish.kind !== "nothing" && (all.length === 1 || (wish.kind !== "hello" && wish.kind !== "thanks"));

/** "What did you do today?", from the record: the doses, the light, the checks. */
const whatWasDone = ({ about }: WishOf<"did">, time: HouseTime): Steps =>
  ofEach(about, function* ({ plant, name }, house) {
    const day = dayOf(about, house, time);
    const named = which(plant, house);
    const water = yield* sumOf("get_water_history", "ml_dispensed", named, day);
    const light = yield* sumOf("get_light_history", "minutes", named, day);
    const checks = yield* checksOf(named, day);
    const parts = [
      waterInWords(water),
      lightInWords(light),
      checksInWords(checks, told(time, house.timestamp)),
    ];
    return `${name}, ${day.words}: ${parts.join("; ")}.`;
  });

/** A choice: buckets of five minutes, of which a day has few enough for an answer. */
const SAMPLES = 12;

interface Sum {
  readonly value: number;
  readonly count: number;
}

/** Undefined where the runtime does not tell. */
function* sumOf(
  name: string,
  value_field: string,
  named: Arguments,
  { begin, end }: Day,
): Steps<Sum | undefined> {
  const hours = Math.max(1, Math.ceil((end - begin) / HOUR));
  const asked = { ...named, hours, end_time: new Date(end).toISOString(), samples_per_hour: SAMPLES };
  const { value } = yield { name, arguments: { ...asked, aggregation: "sum", value_field } };
  const read = z.array(bucket).safeParse(historyResult.safeParse(value).data?.items).data;
  return read
    ?.filter(({ bucket_end, value: each }) => Date.parse(bucket_end) > begin && (each ?? 0) > 0)
    .reduce((sum, each) => ({ value: sum.value + (each.value ?? 0), count: sum.count + each.count }), {
      value: 0,
      count: 0,
    });
}

function* checksOf(named: Arguments, { begin, end }: Day): Steps<readonly CareEvent[] | undefined> {
  const range = { start_time: new Date(begin).toISOString(), end_time: new Date(end).toISOString() };
  const { value } = yield { name: "get_care_record", arguments: { ...named, ...range } };
  return careEvents.safeParse(value).data?.events.filter(({ kind }) => kind === "cycle");
}

function waterInWords(water: Sum | undefined): string {
  if (!water) return "the doses are not known";
  if (water.count === 0) return "no water";
  return `${Math.round(water.value)} ml of water in ${counted(water.count, "dose")}`;
}

function lightInWords(light: Sum | undefined): string {
  if (!light) return "the light is not known";
  return light.count === 0 ? "no light" : `${counted(Math.round(light.value), "minute")} of light`;
}

function checksInWords(checks: readonly CareEvent[] | undefined, when: Told): string {
  if (!checks) return "the checks are not known";
  const last = checks.at(-1);
  if (!last) return "no check";
  const why = (last.proceed === false ? last.reason : last.reasoning) ?? "";
  const refused = last.proceed === false ? ", which the runtime refused" : "";
  const reason = why === "" ? "" : `: ${why.replace(/\.$/, "")}`;
  return `${counted(checks.length, "check")}, the last at ${when(last.timestamp)}${refused}${reason}`;
}

const CAN = `I am the rule-based caretaker. I understand simple English sentences:
- how is the basil? why did you not water? when did you water?
- what did you do today? what did you do yesterday?
- remind me to mist the fern every other evening
- put perlite and bark on the shopping list; what is on the shopping list?
- what is due? done: mist the fern; cancel the reminder to mist the fern
- remember that I travel in May; what do you know about May? what do you know about me?
- stop`;

const STOPPED =
  "Everything is switched off. Care goes on, and may switch pumps and lights on again. What keeps them off: `tendril off`.";

/** What is erased is gone for good, so a person does it. */
const FORGET =
  'I forget nothing by myself. `tendril memory list` shows what is remembered with its ids, and `tendril memory erase` erases one; on the page it is under "What the agent remembers". All about a person: `tendril person erase`.';

type CarryOut<K extends Kind> = (wish: WishOf<K>, time: HouseTime) => Steps | string;

/** What there is to say to each wish, once all calls for it are made. */
const CARRY_OUT: { readonly [K in Kind]: CarryOut<K> } = {
  remind,
  add: addItems,
  remove: removeOrComplete,
  complete: removeOrComplete,
  cancel: cancelTask,
  list: showList,
  lists: showLists,
  tasks: (_, time) => showTasks(time),
  status: howItIs,
  why,
  did: whatWasDone,
  watering: wateringsOf,
  light_off: lightOff,
  stop,
  remember: ({ text }) => remember(text),
  recall: ({ text }, time) => (isPerson(text) ? recallPerson() : recall(text, time)),
  forget: () => FORGET,
  unknown: ({ text }) => `I did not understand "${shortened(text)}". ${CAN}`,
  hello: () => "Hello. Ask me how the plants are, or what I can do.",
  thanks: () => "You are welcome.",
  help: () => CAN,
  nothing: () => CAN,
  water: () =>
    "I do not water on request. Every care cycle looks at the soil and waters if it is dry. You can give a dose yourself: `tendril water 15`.",
  light_on: () =>
    "I do not switch the light on on request. Every care cycle looks whether the plants need light.",
};

function* carryOut(wish: Wish, time: HouseTime): Steps {
  const said = (CARRY_OUT[wish.kind] as CarryOut<Kind>)(wish, time);
  return typeof said === "string" ? said : yield* said;
}

function* stop(): Steps {
  const { error } = yield { name: "stop_all", arguments: {} };
  return error
    ? `Switching off failed: ${error.message}. Pull the plug of the pump, and type \`tendril off\`.`
    : STOPPED;
}

/** Characters of a title. A choice: a line. */
const TITLE = 80;

function* remember(text: string): Steps {
  const memory = { source: "CAPTURE", title: shortened(text), content: text };
  const { error } = yield { name: "save_memory", arguments: memory };
  return error ? `I could not note it: ${error.message}` : `I noted it: ${text}`;
}

const shortened = (text: string): string =>
  [...text].length <= TITLE ? text : `${[...text].slice(0, TITLE - 1).join("")}…`;

const isPerson = (text: string): boolean => /^(?:me|myself|us|ourselves)$/i.test(text);

/** A choice: what is read in a chat. */
const MAX_KNOWN = 8;

/** What is remembered of the person who asks, the newest first, and then the profile. */
function* recallPerson(): Steps {
  const memories = yield { name: "search_memories", arguments: { limit: MAX_KNOWN } };
  const profile = yield { name: "get_user_profile", arguments: {} };
  const { items } = foundMemories.safeParse(memories.value).data ?? { items: [] };
  const { entries } = userProfile.safeParse(profile.value).data ?? { entries: [] };
  const known = [
    ...items.map(({ content, title }) => content || title),
    ...entries.map(({ key, value }) => `${key}: ${value}`),
  ];
  const lines = known.slice(0, MAX_KNOWN).map((text) => `- ${shortened(text.replaceAll(/\s+/g, " "))}`);
  if (lines.length > 0) return [...lines, "All of it: `tendril memory list`, or the page."].join("\n");
  const refusal = memories.error ?? profile.error;
  return refusal
    ? `I could not look: ${refusal.message}`
    : "I know nothing about you yet. Say: remember that I travel in May.";
}

/** A choice: more is no answer in a chat. */
const MAX_SHOWN = 3;
/** Characters of a passage. A choice: four lines of a telephone. */
const LONGEST = 240;

/** What the house knows about a topic, each statement with its source. */
export function* recall(topic: string, time: HouseTime): Steps {
  const { value } = yield { name: "search_knowledge_base", arguments: { query: topic } };
  const read = answeredQuestion.safeParse(value).data;
  // the search over all can be off
  if (!read) return yield* recallOfPerson(topic);
  const { answer, passages } = read;
  if (passages.length === 0) return `I know nothing about "${topic}".`;
  return answer === null
    ? passages
        .slice(0, MAX_SHOWN)
        .map((each) => shown(each, time))
        .join("\n")
    : withSources(answer, passages);
}

/** In quotes, and without others in it: a passage may look like a call of a tool, which an answer must not. */
const shown = ({ content, source }: Passage, time: HouseTime): string => {
  const characters = [...timesIn(content, time).replaceAll(/\s+/g, " ").replaceAll('"', "'").trim()];
  const text =
    characters.length <= LONGEST ? characters.join("") : `${characters.slice(0, LONGEST).join("")}…`;
  return `"${text}" (${source})`;
};

/** An answer names its passages by number: [1] is the first. */
function withSources(answer: string, passages: readonly Passage[]): string {
  const sources = passages
    .map(({ source }, index) => ({ mark: `[${index + 1}]`, source }))
    .filter(({ mark }) => answer.includes(mark))
    .map(({ mark, source }) => `${mark} ${source}`);
  return `${answer}\n${sources.join("\n")}`;
}

function* recallOfPerson(topic: string): Steps {
  const { error, value } = yield { name: "recall_user_context", arguments: { topic } };
  const message =
    typeof value === "object" && value !== null && "message" in value ? value.message : undefined;
  return error ? `I could not look: ${error.message}` : sentence(String(message));
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
