import { z } from "zod";
import type { JsonSchema } from "../../link/tools.js";
import { carryOutAll, MAX_WISHES } from "../caretaker/talk/talk.js";
import type { Wish } from "../caretaker/talk/wish.js";
import { Caretaker } from "../caretaker.js";
import { isBeginning } from "../conversation.js";
import { askTwice } from "../decider.js";
import type { Asked, AskOptions, Message, Model, Reply } from "../model.js";
import { jsonIn } from "./decision.js";

/**
 * Talks with a person by a model that cannot call tools. The model says once, by a schema, what the person wants. The
 * rules of the caretaker carry it out and say what came of it, so nothing is claimed that was not done.
 */

/** The same for every message, so that a server can cache it. */
export const TALK_RULES = `You help a person of a house with plants. You read facts and a message, and answer with one JSON object.
- wishes: what the message wants to be done or shown, in its order. Each has kind, what, when, list; write "" where nothing fits.
  remind: what is to be done; when in English, like "tomorrow at 9" or "every 2 days at 19:00".
  add: what goes on a list, with commas between; list is the list's name.
  remove, complete: what item of a list, or what task. cancel: what reminder to delete.
  list: show the list. tasks: show what is due.
  status, why, watering: how a plant is, why it got water or not, when it got water; what is its name.
  remember: what is true for long. recall: what to look up.
  stop: switch everything off. light_off: switch the light off.
- answer: only if the facts answer a question: one or two short sentences in the person's language. Else "". Never say that something is done.`;

const KINDS = [
  ...["remind", "add", "remove", "complete", "cancel", "list", "tasks"],
  ...["status", "why", "watering", "remember", "recall", "stop", "light_off"],
] as const;

/** Characters. Choices: a Pi writes some three tokens a second, of four characters each. */
const SHORT = { what: 160, when: 60, list: 60, answer: 300 };
/** Characters. A server may not enforce the schema's limits; up to this length the answer is accepted. */
const LONGEST = 1000;

const text = z.string().max(LONGEST).default("");
const given = z.object({
  kind: z.enum(KINDS as unknown as [string, ...string[]]),
  what: text,
  when: text,
  list: text,
});
const understood = z.object({ wishes: z.array(given).max(MAX_WISHES), answer: text });
type Understood = z.output<typeof understood>;

const limited = (maxLength: number) => ({ type: "string", maxLength });

const object = (properties: Record<string, object>) => ({
  type: "object",
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
});

export const TALK_SCHEMA = object({
  wishes: {
    type: "array",
    items: object({
      kind: { type: "string", enum: KINDS },
      what: limited(SHORT.what),
      when: limited(SHORT.when),
      list: limited(SHORT.list),
    }),
  },
  answer: limited(SHORT.answer),
}) as JsonSchema;

/** What the list is called if the person names none. */
const USUAL_LIST = "shopping";

const itemsIn = (what: string): readonly string[] =>
  what
    .split(/[,;\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** Undefined for one that says too little to be carried out. */
function wishFrom({ kind, what: said, when, list }: Understood["wishes"][number]): Wish | undefined {
  const what = said.trim();
  switch (kind) {
    case "tasks":
    case "stop":
    case "light_off":
      return { kind };
    case "status":
    case "why":
    case "watering":
      return { kind, about: what };
    case "list":
      return list + what === "" ? { kind: "lists" } : { kind, list: list || what, item: undefined };
  }
  if (what === "") return undefined;
  switch (kind) {
    case "remind":
      return { kind, tries: [{ title: what, time: when.trim() || undefined }], hasTime: when.trim() !== "" };
    case "add":
      return { kind, items: itemsIn(what), list: list.trim() || USUAL_LIST, mustExist: false };
    case "remove":
    case "complete":
      return { kind, item: what, list: list.trim() || undefined };
    case "cancel":
      return { kind, task: what };
    case "remember":
    case "recall":
      return { kind, text: what };
  }
  return undefined;
}

/** What a reply's text says that the person wants; undefined if it is no such answer. */
export const readTalk = (reply: string): Understood | undefined => understood.safeParse(jsonIn(reply)).data;

export class Talker implements Model {
  readonly name: string;

  constructor(private readonly model: Model) {
    this.name = model.name;
  }

  /** A message that the model does not understand, also when asked again, is left to the rules alone. */
  async respond(...[conversation, tools, signal, options = {}]: Asked): Promise<Reply> {
    const first = isBeginning(conversation) ? await this.ask(conversation, signal, options) : undefined;
    const told = first?.text ?? conversation.find(({ role }) => role === "assistant")?.content ?? "";
    const found = readTalk(told);
    const wishes = found?.wishes.map(wishFrom).filter((wish) => wish !== undefined) ?? [];
    const { toolCalls, text: said } =
      wishes.length > 0
        ? carryOutAll(wishes, conversation)
        : found && found.answer.trim() !== ""
          ? { toolCalls: [], text: found.answer.trim() }
          : await new Caretaker().respond(conversation, tools, signal, options);
    // the answer of the model stays in the conversation until all is carried out
    const text = toolCalls.length === 0 ? said : told;
    return { ...first, toolCalls, ...(text !== undefined && { text }) };
  }

  private async ask(
    conversation: readonly Message[],
    signal: AbortSignal,
    { turn: _, ...options }: AskOptions,
  ) {
    const opening = conversation.find(({ role }) => role === "user")?.content ?? "";
    const how = { ...options, schema: TALK_SCHEMA };
    return askTwice(this.model, [TALK_RULES, opening], signal, how, (answer) =>
      readTalk(answer) ? undefined : NOT_UNDERSTOOD,
    );
  }
}

const NOT_UNDERSTOOD = "That is not the JSON object asked for. Answer again, with the whole object.";
