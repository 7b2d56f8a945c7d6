import { type Arguments, isTooDeep, readArguments } from "../cycle/arguments.js";
import { tokensIn } from "../cycle/tokens.js";
import type { JsonSchema, ToolInfo } from "../link/tools.js";
import type { AskOptions, Message, Picture, Reply, ToolCall, ToolMessage, Usage } from "./model.js";
import { ModelError } from "./model-error.js";

/**
 * Models decide on water, they do not write prose: the likeliest word each time, and the same conversation gets the
 * same reply as far as the provider can promise it. Which seed is of no matter, only that it stays.
 */
export const SAMPLING = { temperature: 0, seed: 1 } as const;

/** At temperature 0 no seed matters: another one is for another reply. A choice: little enough that the model stays sensible. */
const TRYING = 0.3;

/** Undefined: the seed that stays. */
export const samplingFor = ({ seed = SAMPLING.seed }: AskOptions) => ({
  temperature: seed === SAMPLING.seed ? SAMPLING.temperature : TRYING,
  seed,
});

/** Whether a cycle begins: nothing has been replied in it. */
export const isBeginning = (conversation: readonly Message[]): boolean =>
  !conversation.some(({ role }) => role === "assistant");

/** In the shape that OpenAI began with and the others took over; the schemas as the runtime lists them. */
export const functionTools = (tools: readonly ToolInfo[]) =>
  tools.map(({ name, description, inputSchema }) => ({
    type: "function" as const,
    function: { name, description, parameters: { ...inputSchema } },
  }));

/** Servers refuse a whole conversation for arguments that are none: the model has its answer that says so. */
export const argumentsOf = (call: ToolCall): Arguments => readArguments(call.arguments) ?? {};

/** The conversation for a model whose server holds no answer to a schema: the last message of the user asks for it. */
export function askingForJson(conversation: readonly Message[], schema: JsonSchema): readonly Message[] {
  const last = conversation.findLastIndex(({ role }) => role === "user");
  const wanted = `Answer with one JSON text of this schema, and with nothing else: ${JSON.stringify(schema)}`;
  if (last < 0) return [...conversation, { role: "user", content: wanted }];
  return conversation.map((message, index) =>
    index === last ? { role: "user", content: `${message.content}\n\n${wanted}` } : message,
  );
}

/** What a provider answered, in no provider's words. Empty texts and missing counts are as good as absent. */
export interface Answer {
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly calls: readonly GivenCall[];
  readonly usage?: Usage | undefined;
}

export interface GivenCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly arguments?: unknown;
}

export function replyTo(conversation: readonly Message[], { text, thinking, calls, usage }: Answer): Reply {
  return {
    ...(text && { text: cut(text) }),
    ...(thinking && { thinking: cut(thinking) }),
    ...(usage && { usage }),
    toolCalls: withIds(withinBounds(calls), idsIn(conversation)),
  };
}

/**
 * Characters of a reply's text, and of all its arguments together: they go back with every later request, and into the
 * log. A choice: six times what 4000 tokens are.
 */
const MAX_CHARACTERS = 100_000;

function cut(text: string): string {
  const more = text.length - MAX_CHARACTERS;
  return more > 0 ? `${text.slice(0, MAX_CHARACTERS)}\n(cut here: ${more} more characters)` : text;
}

/** Arguments that are left out become a text that says why, so the call is answered as one without readable arguments. */
function withinBounds(calls: readonly GivenCall[]): readonly GivenCall[] {
  let left = MAX_CHARACTERS;
  return calls.map((call) => {
    const tooDeep = typeof call.arguments !== "string" && isTooDeep(call.arguments);
    if (tooDeep) return { ...call, arguments: "(left out: nested too deep)" };
    const size = sizeOf(call.arguments);
    if (size > left) return { ...call, arguments: tooLong(size) };
    left -= size;
    return call;
  });
}

const sizeOf = (given: unknown): number =>
  typeof given === "string" ? given.length : (JSON.stringify(given)?.length ?? 0);

const tooLong = (size: number): string =>
  `(left out: ${size} characters; all arguments of one reply may have ${MAX_CHARACTERS})`;

const idsIn = (conversation: readonly Message[]): Set<string> =>
  new Set(
    conversation.flatMap((message) =>
      message.role === "assistant" ? message.toolCalls.map(({ id }) => id) : [],
    ),
  );

/** Some servers give no ids, some begin at the same one in every reply: then the next free number is the id. */
function withIds(calls: readonly GivenCall[], taken: Set<string>): ToolCall[] {
  return calls.map(({ id, name, arguments: given }) => {
    const own = id && !taken.has(id) ? id : freeId(taken);
    taken.add(own);
    return { id: own, name, arguments: given };
  });
}

function freeId(taken: ReadonlySet<string>): string {
  let number = taken.size + 1;
  while (taken.has(`call-${number}`)) number += 1;
  return `call-${number}`;
}

/** A conversation as a provider sends it: pictures stand in a message of their own. */
export type Shown = Message | PicturesMessage;

interface PicturesMessage {
  readonly role: "pictures";
  readonly content: string;
  readonly images: readonly Picture[];
}

const UNSEEN = "A picture came with this result. You cannot see pictures: decide without it.";

export const hasPictures = (conversation: readonly Message[]): boolean =>
  conversation.some((message) => message.role === "tool" && message.images !== undefined);

/**
 * Puts what came with tool results after the last answer to a reply: chat completions take pictures from users alone,
 * and nothing may stand between a reply's answers. A model that does not see is told that there was one.
 */
export function withPictures(conversation: readonly Message[], sees: boolean): readonly Shown[] {
  return conversation.flatMap((message, index): readonly Shown[] => {
    if (message.role !== "tool") return [message];
    const here = sees || !message.images ? message : unseen(message);
    return conversation[index + 1]?.role === "tool"
      ? [here]
      : [here, ...(sees ? shown(conversation, index) : [])];
  });
}

const unseen = (message: ToolMessage): ToolMessage => ({
  ...message,
  content: `${message.content}\n${UNSEEN}`,
});

/** The pictures of the answers that end at `last`. */
function shown(conversation: readonly Message[], last: number): readonly PicturesMessage[] {
  const begin = conversation.findLastIndex(({ role }, index) => index <= last && role !== "tool") + 1;
  const seen = conversation
    .slice(begin, last + 1)
    .flatMap((each) => (each.role === "tool" && each.images ? [each] : []));
  if (seen.length === 0) return [];
  const content = `The picture of ${seen.map(({ name }) => name).join(", then of ")}:`;
  return [{ role: "pictures", content, images: seen.flatMap(({ images = [] }) => images) }];
}

/** Of an estimate. A choice: the true count is some two thirds of the estimate, for English text a half. */
const MIN_SHARE = 0.5;

interface Asked {
  /** Of the model. */
  readonly name: string;
  readonly conversation: readonly Message[];
  readonly tools: readonly ToolInfo[];
}

/**
 * Throws where a reply shows that the model has not seen the tools: some chat templates have no place for them, and the
 * server drops them without a word. A model that calls one has seen them. A count that is too small for the conversation
 * alone says nothing: it may be invented, or leave out what was cached.
 */
export function assertToolsSeen({ name, conversation, tools }: Asked, { usage, toolCalls }: Reply): void {
  const known = new Set(tools.map((tool) => tool.name));
  if (!usage || toolCalls.some((call) => known.has(call.name))) return;
  const { input } = usage;
  const ofTools = tokensIn(JSON.stringify(functionTools(tools)));
  const ofConversation = tokensIn(conversation.map(({ content }) => content).join("\n"));
  if (input >= ofTools * MIN_SHARE || input < ofConversation * MIN_SHARE) return;
  const ofAll = Math.round((ofTools + ofConversation) / 100) * 100;
  throw new ModelError(
    `${name} has not seen the tools (${input} tokens read of some ${ofAll}): its server or its template drops them; ask it for decisions with --style decide, or take a model that can call tools`,
    "person",
    { usage },
  );
}
