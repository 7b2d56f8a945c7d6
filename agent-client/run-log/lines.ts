import { z } from "zod";
import { messageOf } from "../../drivers/system-error.js";
import { counted } from "../../runtime/wire/phrases.js";
import { parseJson, refusalBody } from "../../runtime/wire/refusal.js";
import { isRefusedStatus } from "../cycle/completion.js";
import type { ToolInfo } from "../link/tools.js";
import type { Asked, Message, Model, Reply, Usage } from "../models/model.js";
import { tokensIn } from "../prompts/prompt.js";
import { priceOf, priceSchema } from "../spending/limits.js";

/** What a reader needs of it is checked; all else of a reply is kept as it is, for a simulation that is resumed within a cycle. */
const modelReply = z
  .looseObject({
    text: z.string().optional(),
    thinking: z.string().optional(),
    toolCalls: z.array(z.looseObject({ id: z.string(), name: z.string() })),
  })
  .transform((read) => read as unknown as Reply);

/** The result of a request to a model, as a file keeps it: a reply, or why there is none. */
export const recordedReply = z.object({ reply: modelReply.optional(), failed: z.string().optional() });
type RecordedReply = z.output<typeof recordedReply>;

/** Asks the model, and gives `keep` the result, unless the request was aborted. Rejects as the model, or with the signal's reason. */
export async function recorded(
  model: Model,
  asked: Asked,
  keep: (came: RecordedReply) => void,
): Promise<Reply> {
  const [, , signal] = asked;
  try {
    const given = await model.respond(...asked);
    keep({ reply: given });
    return given;
  } catch (error) {
    signal.throwIfAborted();
    keep({ failed: messageOf(error) });
    throw error;
  }
}

/** Returns the recorded reply, or throws the recorded failure. */
export function playedBack({ reply, failed }: RecordedReply): Reply {
  if (reply) return reply;
  throw new Error(failed ?? "no reply came");
}

export const sinceLastReply = (conversation: readonly Message[]): readonly Message[] =>
  conversation.slice(conversation.findLastIndex(({ role }) => role === "assistant") + 1);

/** ISO 8601, by the clock of the agent's computer. */
const at = z.string();
/** Milliseconds. */
const took_ms = z.number();

const run = z.object({
  kind: z.literal("run"),
  at,
  version: z.string(),
  model: z.string(),
  /** The runtime's address, without anything secret. */
  url: z.string(),
  options: z.looseObject({ price: priceSchema.optional() }),
});

/** Tokens are estimated. */
const size = z.object({ characters: z.number(), tokens: z.number() });

const cycle = z.object({
  kind: z.literal("cycle"),
  at,
  cycle: z.number(),
  plant: z.string().optional(),
  model: z.string(),
  prompt: size,
});

/** A turn that is no care cycle. */
const turn = z.object({
  kind: z.literal("turn"),
  at,
  turn: z.string(),
  person: z.string(),
  /** When it began, by the runtime's clock. */
  now: z.string(),
  model: z.string(),
  prompt: size,
});

/** The tools for the model: at the start, and after each change. */
const tools = z.object({ kind: z.literal("tools"), at, tools: z.array(z.string()) });

const reply = z.object({
  kind: z.literal("reply"),
  at,
  model: z.string(),
  /** What the model reads of the prompt, see `Model`. */
  reads: z.literal("plant").optional(),
  /** The tools to show to it, see `Model`. */
  tool_set: z.enum(["care", "all"]).optional(),
  /** Counted from 1 in each cycle. */
  round: z.number(),
  /** Results of the calls of the reply before: "read_moisture ok", "dispense_water BUDGET_EXCEEDED". */
  told: z.array(z.string()),
  /** Size of the request: the conversation and the tools. */
  asked: size,
  took_ms,
  ...recordedReply.shape,
});

const image = z.object({
  type: z.string(),
  bytes: z.number(),
  sha256: z.string(),
});

const toolError = z.looseObject({ code: z.string(), message: z.string(), retryable: z.boolean() });

const call = z.object({
  kind: z.literal("call"),
  at,
  tool: z.string(),
  /** As sent to the runtime; unreadable ones as the model gave them. */
  arguments: z.unknown(),
  /** Empty arguments that the tool does not have, and that were left out. */
  ignored: z.array(z.string()).optional(),
  took_ms,
  result: z.unknown().optional(),
  error: toolError.optional(),
  images: z.array(image).optional(),
});

const end = z.looseObject({
  kind: z.literal("end"),
  at,
  completed: z.boolean(),
  reason: z.string(),
  failure: z.object({ kind: z.string(), message: z.string() }).optional(),
  cleared: z.boolean(),
  rounds: z.number(),
  calls: z.number(),
  doses: z.number(),
  tokens: z.object({ input: z.number(), output: z.number(), cached: z.number() }),
  took: z.number(),
  /** What it was, if it was no care cycle. */
  turn: z.string().optional(),
  /** The model that took over the same cycle. Its lines follow. */
  next: z.string().optional(),
});

/** A message outside of cycles: a wait for the runtime, a model that is away. */
const note = z.object({ kind: z.literal("note"), at, label: z.string(), text: z.string() });

const lost = z.object({ kind: z.literal("lost"), at, lines: z.number() });

/** One line of a run log. Every file begins with the "run" line, so each can be read alone. */
export const runLine = z.discriminatedUnion("kind", [run, cycle, turn, tools, reply, call, end, note, lost]);

export type RunLine = z.output<typeof runLine>;
export type RunStart = z.output<typeof run>;
export type CycleLine = z.output<typeof cycle>;
export type TurnLine = z.output<typeof turn>;
export type ReplyLine = z.output<typeof reply>;
export type CallLine = z.output<typeof call>;
export type NoteLine = z.output<typeof note>;
export type EndLine = z.output<typeof end>;

type WithoutTime<L> = L extends unknown ? Omit<L, "at"> : never;
export type Event = WithoutTime<RunLine>;

const failed = z.object({ error: refusalBody.pick({ code: true }) });

/**
 * Results of the calls of the reply before: "read_moisture ok", "dispense_water BUDGET_EXCEEDED". Without figures and times,
 * which differ in every run.
 */
export const toldSince = (conversation: readonly Message[]): string[] =>
  sinceLastReply(conversation).flatMap((message) => (message.role === "tool" ? [resultOf(message)] : []));

function resultOf({ name, content }: { readonly name: string; readonly content: string }): string {
  const answer = parseJson(content);
  const error = failed.safeParse(answer).data?.error;
  if (error) return `${name} ${error.code}`;
  return `${name} ${isRefusedStatus(answer) ? "STATUS_REFUSED" : "ok"}`;
}

/** Counted from 1. */
export const roundOf = (conversation: readonly Message[]): number =>
  conversation.filter(({ role }) => role === "assistant").length + 1;

/** Size of a request: conversation and tools, without pictures. */
export function sizeOf(conversation: readonly Message[], tools: readonly ToolInfo[]) {
  const texts = [...conversation.flatMap(textsOf), ...tools.flatMap(textsOfTool)];
  return sizeOfText(texts.join(""));
}

export const sizeOfText = (text: string) => ({ characters: text.length, tokens: tokensIn(text) });

const textsOf = (message: Message): readonly string[] =>
  message.role === "assistant" ? [message.content, JSON.stringify(message.toolCalls)] : [message.content];

const textsOfTool = ({ name, description, inputSchema }: ToolInfo): readonly string[] => [
  name,
  description,
  JSON.stringify(inputSchema),
];

export function summaryOf(lines: readonly RunLine[]) {
  const ends = lines.flatMap((line) => (line.kind === "end" ? [line] : []));
  const cycles = ends.filter(({ turn }) => turn === undefined);
  const calls = lines.flatMap((line) => (line.kind === "call" ? [line] : []));
  const replies = lines.flatMap((line) => (line.kind === "reply" ? [line] : []));
  const price = lines.find((line) => line.kind === "run")?.options.price;
  const sum = (of: (end: (typeof ends)[number]) => number) => ends.reduce((all, end) => all + of(end), 0);
  return {
    cycles: cyclesIn(lines),
    completed: cycles.filter(({ completed }) => completed).length,
    /** Conversations and tasks. */
    turns: ends.length - cycles.length,
    calls: calls.length,
    doses: calls.filter(({ tool, error }) => tool === "dispense_water" && !error).length,
    refusals: refusalsIn(calls),
    replies: replies.filter(({ reply }) => reply).length,
    failedReplies: replies.filter(({ reply }) => !reply).length,
    tokens: {
      input: sum(({ tokens }) => tokens.input),
      output: sum(({ tokens }) => tokens.output),
      cached: sum(({ tokens }) => tokens.cached),
    },
    cost: sum(({ tokens }) => priceOf(tokens, price)),
  };
}

/** A cycle that the fallback took over counts once. */
const cyclesIn = (lines: readonly RunLine[]): number =>
  new Set(lines.flatMap((line) => (line.kind === "cycle" ? [`${line.cycle} ${line.plant}`] : []))).size;

function refusalsIn(calls: readonly CallLine[]): Record<string, number> {
  const codes = calls.flatMap((call) => codeOf(call) ?? []);
  const counts: Record<string, number> = {};
  for (const code of codes.toSorted()) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/** A refused status is a result, not an error. */
function codeOf({ tool, result, error }: CallLine): string | undefined {
  if (error) return error.code;
  return tool === "write_plant_status" && isRefusedStatus(result) ? "STATUS_REFUSED" : undefined;
}

export function inWords(summary: ReturnType<typeof summaryOf>): readonly (readonly [string, string])[] {
  const { cycles, completed, turns, calls, doses, refusals, replies, failedReplies, tokens, cost } = summary;
  const refused = Object.entries(refusals).map(([code, count]) => `${code} ${count}`);
  return [
    ["cycles", `${cycles}, of which ${completed} completed`],
    ...(turns > 0 ? [["turns", `${turns} conversations and tasks`] as const] : []),
    ["calls", `${calls}, of which ${counted(doses, "dose")}`],
    ["refusals", refused.join(", ") || "none"],
    ["replies", `${replies}${failedReplies > 0 ? `, and ${counted(failedReplies, "failure")}` : ""}`],
    ["tokens", tokensInWords(tokens, cost)],
  ];
}

/** 12345.678 is "12 345.68". */
export const grouped = (n: number): string =>
  String(Math.round(n * 100) / 100).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, " ");

/** With their cost if known, in the currency of the agent's price table. */
export const tokensInWords = ({ input, output, cached = 0 }: Usage, cost: number): string =>
  `${grouped(input)} in${cached > 0 ? ` (${grouped(cached)} cached)` : ""}, ${grouped(output)} out${cost > 0 ? `, cost ${cost.toFixed(4)}` : ""}`;
