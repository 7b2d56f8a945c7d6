import { type Arguments, isTooDeep, readArguments } from "../cycle/arguments.js";
import type { ToolInfo } from "../link/tools.js";
import { tokensIn } from "../prompts/prompt.js";
import type { AskOptions, Message, Picture, Question, Reply, ToolCall, ToolMessage, Usage } from "./model.js";
import { type FailureKind, ModelError } from "./model-error.js";

/**
 * Models shall decide, not write prose: always the most likely token, so that the same conversation gets the same reply, as
 * far as the provider can promise it. Any fixed seed will do.
 */
export const SAMPLING = { temperature: 0, seed: 1 } as const;

/** Temperature for another seed: at 0 the seed has no effect. A choice: low enough for sensible replies. */
const TRYING = 0.3;

/** Without a seed: the fixed one. */
export const samplingFor = ({ seed = SAMPLING.seed }: AskOptions) => ({
  temperature: seed === SAMPLING.seed ? SAMPLING.temperature : TRYING,
  seed,
});

/** Whether a cycle begins: there is no reply yet. */
export const isBeginning = (conversation: readonly Message[]): boolean =>
  !conversation.some(({ role }) => role === "assistant");

/** A question with a schema has no tools: its answer is the JSON. */
export const questionOf = (
  conversation: readonly Message[],
  tools: readonly ToolInfo[],
  options: AskOptions,
): Question => ({ conversation, tools: options.schema ? [] : tools, options });

/** Tools in OpenAI's format, which other servers share; the schemas as the runtime lists them. */
export const functionTools = (tools: readonly ToolInfo[]) =>
  tools.map(({ name, description, inputSchema }) => ({
    type: "function" as const,
    function: { name, description, parameters: { ...inputSchema } },
  }));

/** Servers refuse a conversation with invalid arguments, so these become {}; the call's answer tells the model. */
export const argumentsOf = (call: ToolCall): Arguments => readArguments(call.arguments) ?? {};

/** A provider's answer in a common form. Empty texts and missing counts count as absent. */
export interface Answer {
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly calls: readonly GivenCall[];
  readonly usage?: Usage | undefined;
  /** False: the count of tokens read may leave out cached ones. */
  readonly countsAll?: boolean;
  /** How it ended, if it is no usable reply. `words` go on after "ended the reply", such as "by a filter". */
  readonly end?: "cut" | { readonly kind: FailureKind; readonly words: string } | undefined;
}

/** A call as the server gives it. `replyTo` bounds it, and gives it a name and an id if it has none. */
export interface GivenCall {
  readonly id?: string | number | undefined;
  readonly name?: string | undefined;
  readonly arguments?: unknown;
  /** See ToolCall. */
  readonly providerData?: unknown;
}

/** Throws a ModelError for data of a provider that are too large: without them the next request is refused. */
export function replyTo(conversation: readonly Message[], { text, thinking, calls, usage }: Answer): Reply {
  const counted = usage && believed(usage);
  if (!isBounded(calls.map(({ providerData }) => providerData)))
    throw new ModelError(TOO_MUCH_DATA, "garbled", counted);
  return {
    ...(text && { text: cut(text) }),
    ...(thinking && { thinking: cut(thinking) }),
    ...counted,
    toolCalls: withIds(withinBounds(calls), idsIn(conversation)),
  };
}

/** A choice: the longest context of any model (Llama 4 Scout, 2025). */
const MAX_TOKENS = 10_000_000;

const isCount = (tokens: number): boolean => Number.isInteger(tokens) && tokens >= 0 && tokens <= MAX_TOKENS;

/** Without counts that cannot be true: those are estimated, since no wrong count may make a limit wider. */
function believed({ input, output, cached = -1 }: Usage): Pick<Reply, "usage"> {
  if (!isCount(input) || !isCount(output)) return {};
  return { usage: { input, output, ...(isCount(cached) && cached <= input && { cached }) } };
}

/**
 * Most characters of a reply's text, of all its arguments, and of all its providers' data: they are sent with every later
 * request, and logged. A choice: six times 4000 tokens.
 */
const MAX_CHARACTERS = 100_000;

function cut(text: string): string {
  const more = text.length - MAX_CHARACTERS;
  return more > 0 ? `${text.slice(0, MAX_CHARACTERS)}\n(cut here: ${more} more characters)` : text;
}

/** Arguments that are left out become a text with the reason, which is then treated as unreadable arguments. */
function withinBounds(calls: readonly GivenCall[]): readonly GivenCall[] {
  let left = MAX_CHARACTERS;
  return calls.map((call) => {
    const tooDeep = typeof call.arguments !== "string" && isTooDeep(call.arguments);
    if (tooDeep) return { ...call, arguments: "(left out: nested too deep)" };
    const size = sizeOf(call.arguments);
    if (size > left) return { ...call, arguments: `(left out: ${size} characters; ${MOST})` };
    left -= size;
    return call;
  });
}

const sizeOf = (given: unknown): number =>
  typeof given === "string" ? given.length : (JSON.stringify(given)?.length ?? 0);

const isBounded = (data: readonly unknown[]): boolean =>
  !data.some((each) => isTooDeep(each)) &&
  data.reduce<number>((sum, each) => sum + sizeOf(each), 0) <= MAX_CHARACTERS;

const TOO_MUCH_DATA = `the calls of a reply came with more than ${MAX_CHARACTERS} characters of data of its provider, or nested too deep: if it comes often, take another model`;

const MOST = `all arguments of one reply may have ${MAX_CHARACTERS}`;

const idsIn = (conversation: readonly Message[]): Set<string> =>
  new Set(
    conversation.flatMap((message) =>
      message.role === "assistant" ? message.toolCalls.map(({ id }) => id) : [],
    ),
  );

/** Replaces a missing name, since servers refuse an empty one in later requests. No tool has this name. */
const NAMELESS = "call_without_a_name";
/** Most characters of a name or an id, which are sent with every later request. A choice: OpenAI allows 64 for a name. */
const LONGEST_NAME = 100;

/** Some servers send no ids, or the same ids in every reply: these get the next free number. */
function withIds(calls: readonly GivenCall[], taken: Set<string>): ToolCall[] {
  return calls.map(({ id = "", name, arguments: given, providerData }) => {
    const told = String(id);
    const isUsable = told !== "" && told.length <= LONGEST_NAME && !taken.has(told);
    const own = isUsable ? told : freeId(taken);
    taken.add(own);
    return {
      id: own,
      name: (name || NAMELESS).slice(0, LONGEST_NAME),
      arguments: given,
      ...(providerData !== undefined && { providerData }),
    };
  });
}

function freeId(taken: ReadonlySet<string>): string {
  let number = taken.size + 1;
  while (taken.has(`call-${number}`)) number += 1;
  return `call-${number}`;
}

/** A message as providers send it: pictures have their own message. */
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
 * Puts the pictures of tool results after the last answer to a reply: chat completions accept pictures only from users, and
 * nothing may come between the answers to a reply. A model that cannot see is told that there was a picture.
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

/** The pictures in the group of answers that ends at `last`. */
function shown(conversation: readonly Message[], last: number): readonly PicturesMessage[] {
  const begin = conversation.findLastIndex(({ role }, index) => index <= last && role !== "tool") + 1;
  const seen = conversation
    .slice(begin, last + 1)
    .flatMap((each) => (each.role === "tool" && each.images ? [each] : []));
  if (seen.length === 0) return [];
  const content = `The picture of ${seen.map(({ name }) => name).join(", then of ")}:`;
  return [{ role: "pictures", content, images: seen.flatMap(({ images = [] }) => images) }];
}

/** The least part of an estimate. A choice: the true count is about two thirds of it, for English text a half. */
const MIN_SHARE = 0.5;

interface Asked {
  readonly name: string;
  readonly conversation: readonly Message[];
  readonly tools: readonly ToolInfo[];
}

/**
 * Throws if the first reply of a cycle shows that the model has not seen the tools: some chat templates do not include them, and the server
 * drops them silently. A model that calls a tool has seen them. A count that is too small even for the conversation proves
 * nothing: it may be invented, or leave out cached tokens.
 */
export function assertToolsSeen({ name, conversation, tools }: Asked, { usage, toolCalls }: Reply): void {
  const known = new Set(tools.map((tool) => tool.name));
  if (!isBeginning(conversation) || !usage || toolCalls.some((call) => known.has(call.name))) return;
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
