import { z } from "zod";
import { task } from "../../runtime/wire/agenda.js";
import { hours } from "../clock.js";
import type { Arguments } from "../cycle/arguments.js";
import { type Care, careOf, objectionsIn, plantName, summary } from "./caretaker/care.js";
import { allOf, type Call, latest, numbered } from "./caretaker/facts.js";
import { photograph, present, quote, unanswered } from "./caretaker/messages.js";
import { inDoses, inOrder, type Plan } from "./caretaker/plan.js";
import {
  act,
  FIGURES,
  firstCalls,
  look,
  lookBack,
  note,
  openWith,
  recordQuiet,
  remember,
  tell,
} from "./caretaker/steps.js";
import { type Briefing, briefingOf, memoriesIn, RULES } from "./decider/briefing.js";
import {
  type Decided,
  type Decision,
  type DecisionStore,
  decisionsIn,
  isChanged,
  LOOKS,
  readDecision,
  schemaFor,
  seenIn,
  textOf,
} from "./decider/decision.js";
import type { Asked, AskOptions, Message, Model, Reply, Usage } from "./model.js";
import { ModelError } from "./model-error.js";

/** One decision, and one more if the state has changed meanwhile; a third would be late as well. A choice. */
const MAX_DECISIONS = 2;

export interface DeciderOptions {
  /** Undefined: a crash loses the decision, as in a simulation. */
  readonly store?: DecisionStore;
  readonly newKey: () => string;
}

/**
 * Cares for a plant with one answer of a model: it reads the state itself, asks the model to decide on the state in words,
 * reads again, and carries the decision out with the usual tools. For the cycle it is a model like any other. The figures
 * and times that it writes come from the tools, never from the model.
 */
export class Decider implements Model {
  readonly name: string;

  constructor(
    private readonly model: Model,
    private readonly parts: DeciderOptions,
  ) {
    this.name = model.name;
  }

  async respond(...[conversation, tools, signal]: Asked): Promise<Reply> {
    const care = careOf(conversation, tools);
    const reads = care.exchanges.length === 0 ? firstLook(care) : lookBack(care);
    if (reads.length > 0) return calling(care, reads);
    const decisions = decisionsIn(conversation);
    const made = decisions.at(-1);
    const isVoid = made !== undefined && !care.gate.plan && isChanged(made.seen, seenIn(care));
    if (!made || (isVoid && decisions.length < MAX_DECISIONS)) {
      const briefing = briefingOf(care, beginningOf(conversation));
      if (briefing) return this.decide(care, briefing, signal);
    }
    const calls = nextCalls(care, made, isVoid);
    if (calls.length > 0) return calling(care, calls, made?.key);
    this.parts.store?.end();
    return { text: `${plantName(care)}: ${summary(care)}`, toolCalls: [] };
  }

  /** The reply has the decision as its text, and calls that read the figures again before anything is done. */
  private async decide(care: Care, briefing: Briefing, signal: AbortSignal): Promise<Reply> {
    const { store, newKey } = this.parts;
    const undone = store?.undone(care);
    // it comes from a file, so it is checked like an answer
    if (undone && !("problem" in readDecision(JSON.stringify(undone.decision), briefing.offer)))
      return { ...calling(care, again(care)), text: textOf(undone) };
    const { decision, ...rest } = await this.ask(briefing, signal);
    const made = { key: newKey(), decision, seen: seenIn(care) };
    store?.begin(care, made);
    return { ...calling(care, again(care)), ...rest, text: textOf(made) };
  }

  /** Asks once more if the answer is invalid or contradicts the state. */
  private async ask(briefing: Briefing, signal: AbortSignal) {
    const { offer, text: state } = briefing;
    const how = { schema: schemaFor(offer) };
    const { text, ...cost } = await askTwice(this.model, [RULES, state], signal, how, (answer) => {
      const problem = problemOf(readDecision(answer, offer), briefing);
      return problem && `${problem} Answer again, with the whole JSON object.`;
    });
    return { decision: this.final(readDecision(text, offer), briefing), ...cost };
  }

  /** The last answer counts, unless it is invalid or leaves a thirsty plant without water. */
  private final(
    decision: ReturnType<typeof readDecision>,
    { wanted, isThirsty, waiting }: Briefing,
  ): Decision {
    if ("problem" in decision)
      throw new ModelError(
        `${this.name} did not give the JSON object asked for: ${decision.problem}`,
        "cycle",
      );
    if (isThirsty && wanted.water > 0 && decision.water_ml === 0 && waiting.length === 0)
      throw new ModelError(
        `${this.name} leaves a thirsty plant without water, also when asked again`,
        "cycle",
      );
    return decision;
  }
}

const beginningOf = (conversation: readonly Message[]): string =>
  conversation
    .flatMap(({ role, content }) => (role === "system" || role === "user" ? [content] : []))
    .join("\n\n");

function problemOf(
  decision: ReturnType<typeof readDecision>,
  { wanted, waiting }: Briefing,
): string | undefined {
  if ("problem" in decision) return `That is not the JSON object asked for: ${decision.problem}.`;
  if (waiting.length > 0)
    return isEcho(decision, waiting) ? "message_to_person repeats the person's words." : undefined; // else a person may have asked for just that
  if (wanted.water > 0 && decision.water_ml === 0)
    return "The state says that water is NEEDED, but water_ml is 0.";
  if (wanted.water === 0 && decision.water_ml > 0)
    return `The state says "no water", but water_ml is ${decision.water_ml}.`;
  return undefined;
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const isEcho = ({ message_to_person }: Decision, waiting: Briefing["waiting"]): boolean =>
  waiting.some(({ content }) => plain(content) === plain(message_to_person));

/** Asks a model, and once more if `problemOf` has words on its answer. The second answer is taken as it is. */
export async function askTwice(
  model: Model,
  [rules, question]: readonly [string, string],
  signal: AbortSignal,
  how: AskOptions,
  problemOf: (answer: string) => string | undefined,
) {
  const conversation: Message[] = [
    { role: "system", content: rules },
    { role: "user", content: question },
  ];
  const first = await model.respond(conversation, [], signal, how);
  const { text = "" } = first;
  const problem = problemOf(text);
  if (problem === undefined) return { ...costOf([first]), text };
  conversation.push({ role: "assistant", content: text, toolCalls: [] });
  conversation.push({ role: "user", content: problem });
  const second = await model.respond(conversation, [], signal, how);
  return { ...costOf([first, second]), text: second.text ?? "" };
}

/** What several answers cost together. */
function costOf(replies: readonly Reply[]): Pick<Reply, "usage" | "thinking"> {
  const usages = replies.flatMap(({ usage }) => (usage ? [usage] : []));
  const thinking = replies.map((reply) => reply.thinking ?? "").join("");
  return {
    ...(usages.length > 0 && { usage: usages.reduce(added) }),
    ...(thinking && { thinking }),
  };
}

const added = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  ...((a.cached !== undefined || b.cached !== undefined) && { cached: (a.cached ?? 0) + (b.cached ?? 0) }),
});

function calling(care: Care, calls: readonly Call[], key?: string): Reply {
  const toolCalls = numbered(care.exchanges, calls).map((call) => {
    const acts = key !== undefined && KEYED.has(call.name);
    const nth = allOf(care.exchanges, call.name).length;
    return { ...call, ...(acts ? { key: `${key}-${call.name}-${nth}` } : { fresh: true as const }) };
  });
  return { toolCalls };
}

/** Tools whose calls must not be repeated, even after a crash of the client. */
const KEYED: ReadonlySet<string> = new Set(["dispense_water", "turn_on_light"]);

const firstLook = (care: Care): readonly Call[] => [
  ...look(care),
  ...["list_memories", "list_tasks"].filter((tool) => care.has(tool)).map((tool) => care.call(tool)),
];

/** Reads the figures again, and the person's messages, since these can change the decision. */
const again = (care: Care): readonly Call[] => [
  ...FIGURES.map((tool) => care.call(tool)),
  ...(care.has("list_messages_from_human") ? [care.call("list_messages_from_human", { limit: 20 })] : []),
];

function nextCalls(care: Care, made: Decided | undefined, isVoid: boolean): readonly Call[] {
  const decision = made?.decision;
  return firstCalls(care, [
    () => (decision ? think(care, decision) : []),
    () => openWith(care, decision && planOf(care, decision, isVoid), again(care)),
    act,
    photograph,
    () => tell(care, decision ? answersOf(care, decision) : []),
    recordQuiet,
    () => (decision ? learn(care, decision) : []),
    () => remember(care, answeredBy(care)),
    () => tasks(care, decision),
  ]);
}

function planOf(
  care: Care,
  { plant_state, water_ml, light_minutes, observation }: Decision,
  isVoid: boolean,
): Plan {
  const objections = objectionsIn(care.gate);
  const water = isVoid || objections.water ? 0 : water_ml;
  const light = isVoid || objections.light ? 0 : light_minutes;
  const what = isVoid ? "nothing, since what was read keeps changing" : inWords(water, light);
  const reasoning = `${what}: ${observation || "no word of the model"}`;
  return { state: plant_state, actions: inOrder(inDoses(water), light), reasoning };
}

function inWords(water: number, light: number): string {
  const parts = [
    ...(water > 0 ? [`${water} ml of water`] : []),
    ...(light > 0 ? [`${light} min of light`] : []),
  ];
  return parts.length === 0 ? "nothing to do" : parts.join(", ");
}

const think = (care: Care, decision: Decision): readonly Call[] =>
  note(care, "decide", {
    hypothesis: decision.observation || "none",
    candidate_actions: planOf(care, decision, false).actions,
    reasoning: "one decision of the model on the state in words",
    uncertainties: "one probe sees one spot of the soil",
  });

/** The model answers all waiting messages with one. If it gave no text of its own, the rules write the answer. */
function answersOf(care: Care, decision: Decision): readonly Arguments[] {
  const newest = unanswered(care).at(-1);
  if (!newest) return [];
  const own = decision.message_to_person !== "" && !isEcho(decision, [newest]);
  const message = own
    ? decision.message_to_person
    : `I have read: "${quote(newest.content)}". ${present(care)}`;
  return [{ message, in_reply_to: newest.message_id }];
}

function answeredBy(care: Care): readonly string[] {
  const replied = allOf(care.exchanges, "send_message_to_human").some(
    ({ error, args }) => !error && args.in_reply_to,
  );
  return replied ? unanswered(care).map(({ message_id }) => message_id) : [];
}

/** Saves a fact from the person's message. */
function learn(care: Care, { memory: text }: Decision): readonly Call[] {
  if (text === "" || !care.has("add_memory") || latest(care.exchanges, "add_memory")) return [];
  return memoriesIn(care).includes(text) ? [] : [care.call("add_memory", { text })];
}

const openTasks = z.object({ tasks: z.array(task.pick({ id: true, description: true, is_due: true })) });

/** Completes tasks that asked for this look; adds one if the decision wants the next look sooner than the schedule. */
function tasks(care: Care, decision: Decision | undefined): readonly Call[] {
  if (latest(care.exchanges, "complete_task") || latest(care.exchanges, "add_task")) return [];
  const open = openTasks.safeParse(latest(care.exchanges, "list_tasks")?.value).data?.tasks ?? [];
  const description = `Look at ${plantName(care)} again`;
  const looks = new Set([description, `check_plant:${plantName(care)}`].map((each) => each.toLowerCase()));
  const done = open.filter((each) => each.is_due && looks.has(each.description.toLowerCase()));
  const inHours = LOOKS[decision?.next_look ?? "as usual"];
  const due = new Date((care.facts.now ?? 0) + hours(inHours)).toISOString();
  return [
    ...done.map(({ id }) => care.call("complete_task", { id })),
    ...(inHours > 0 && care.has("add_task") ? [care.call("add_task", { description, due })] : []),
  ];
}
