import type { ToolInfo } from "../connect.js";
import { type Arguments, readArguments } from "../tool-runner.js";
import type { Message, Reply, ToolCall } from "./model.js";

/**
 * Models decide on water, they do not write prose: the likeliest word each time, and the same conversation gets the
 * same reply as far as the provider can promise it. Which seed is of no matter, only that it stays.
 */
export const SAMPLING = { temperature: 0, seed: 1 } as const;

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

/** What a provider answered, in no provider's words. Empty texts and missing counts are as good as absent. */
export interface Answer {
  readonly text?: string | null | undefined;
  readonly thinking?: string | null | undefined;
  readonly calls: readonly GivenCall[];
  readonly usage: { readonly input?: number | undefined; readonly output?: number | undefined };
}

interface GivenCall {
  readonly id?: string | null | undefined;
  readonly name: string;
  readonly arguments?: unknown;
}

export function replyTo(
  conversation: readonly Message[],
  { text, thinking, calls, usage: { input, output } }: Answer,
): Reply {
  const counted = input !== undefined || output !== undefined;
  return {
    ...(text && { text }),
    ...(thinking && { thinking }),
    ...(counted && { usage: { input: input ?? 0, output: output ?? 0 } }),
    toolCalls: withIds(calls, idsIn(conversation)),
  };
}

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
