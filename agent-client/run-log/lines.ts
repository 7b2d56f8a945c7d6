import { z } from "zod";
import { statusResult } from "../../runtime/wire/plants.js";
import { parseJson, refusalBody } from "../../runtime/wire/refusal.js";
import { tokensIn } from "../cycle/tokens.js";
import type { ToolInfo } from "../link/tools.js";
import type { Message } from "../models/model.js";
import { recordedReply, sinceLastReply } from "./recorded-reply.js";

/** ISO 8601, by the agent's computer. */
const at = z.string();
/** Milliseconds. */
const took_ms = z.number();

/** For a million tokens. */
const price = z.object({ input: z.number(), output: z.number(), cached: z.number().optional() });

const run = z.object({
  kind: z.literal("run"),
  at,
  version: z.string(),
  model: z.string(),
  /** Of the runtime, without anything that could be a secret. */
  url: z.string(),
  options: z.looseObject({ price: price.optional() }),
});

/** Tokens are estimated. */
const size = z.object({ characters: z.number(), tokens: z.number() });

const cycle = z.object({
  kind: z.literal("cycle"),
  at,
  cycle: z.number(),
  plant: z.string().optional(),
  model: z.string(),
  /** Of the rules and the first message. */
  prompt: size,
});

/** The tools that the model is shown, at first and whenever they have changed. */
const tools = z.object({ kind: z.literal("tools"), at, tools: z.array(z.string()) });

const reply = z.object({
  kind: z.literal("reply"),
  at,
  model: z.string(),
  /** Counted from 1 in each cycle. */
  round: z.number(),
  /** What came of the calls of the reply before: "read_moisture ok", "dispense_water BUDGET_EXCEEDED". */
  told: z.array(z.string()),
  /** Of the request: the conversation and the tools. */
  asked: size,
  took_ms,
  ...recordedReply.shape,
});

const image = z.object({
  type: z.string(),
  bytes: z.number(),
  sha256: z.string(),
  /** Base64, with --log-images. */
  data: z.string().optional(),
});

const toolError = z.looseObject({ code: z.string(), message: z.string(), retryable: z.boolean() });

const call = z.object({
  kind: z.literal("call"),
  at,
  tool: z.string(),
  /** As they were sent to the runtime, or, where they could not be read, as the model gave them. */
  arguments: z.unknown(),
  /** What the client left out of them, since the tool does not have it and it was empty. */
  ignored: z.array(z.string()).optional(),
  took_ms,
  result: z.unknown().optional(),
  error: toolError.optional(),
  images: z.array(image).optional(),
});

/** How a cycle ended: its outcome, whatever belongs to it. */
const end = z.looseObject({
  kind: z.literal("end"),
  at,
  completed: z.boolean(),
  reason: z.string(),
  failure: z.object({ kind: z.string(), message: z.string() }).optional(),
  /** Older runs do not tell. */
  cleared: z.boolean().optional(),
  rounds: z.number(),
  calls: z.number(),
  doses: z.number(),
  /** Older runs do not tell how many were cached. */
  tokens: z.object({ input: z.number(), output: z.number(), cached: z.number().default(0) }),
  took: z.number(),
  /** Who took the same cycle, since this model came to nothing. Its lines follow. */
  next: z.string().optional(),
});

/** What was said beside the cycles: a wait for the runtime, a model that is away. */
const note = z.object({ kind: z.literal("note"), at, label: z.string(), text: z.string() });

/** Lines that could not be written. */
const lost = z.object({ kind: z.literal("lost"), at, lines: z.number() });

/** One line of a run log. Rotation repeats the first, so every file can be read alone. */
export const runLine = z.discriminatedUnion("kind", [run, cycle, tools, reply, call, end, note, lost]);

export type RunLine = z.output<typeof runLine>;
export type RunStart = z.output<typeof run>;
export type CycleLine = z.output<typeof cycle>;
export type ReplyLine = z.output<typeof reply>;
export type CallLine = z.output<typeof call>;
export type NoteLine = z.output<typeof note>;
export type EndLine = z.output<typeof end>;

type WithoutTime<L> = L extends unknown ? Omit<L, "at"> : never;
/** A line before it is stamped. */
export type Event = WithoutTime<RunLine>;

const failed = z.object({ error: refusalBody.pick({ code: true }) });

/**
 * What came of the calls of the reply before, as far as it decides how a conversation goes on: "read_moisture ok",
 * "dispense_water BUDGET_EXCEEDED". Figures and times are left out: no two runs have the same.
 */
export const toldSince = (conversation: readonly Message[]): string[] =>
  sinceLastReply(conversation).flatMap((message) => (message.role === "tool" ? [cameOf(message)] : []));

function cameOf({ name, content }: { readonly name: string; readonly content: string }): string {
  const answer = parseJson(content);
  const error = failed.safeParse(answer).data?.error;
  if (error) return `${name} ${error.code}`;
  return `${name} ${statusResult.safeParse(answer).data?.proceed === false ? "STATUS_REFUSED" : "ok"}`;
}

/** From 1 on. */
export const roundOf = (conversation: readonly Message[]): number =>
  conversation.filter(({ role }) => role === "assistant").length + 1;

/** Size of a request without its pictures: the conversation, and the tools that go with it each time. */
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
