import { z } from "zod";
import { parseJson, refusalBody } from "../../../runtime/wire/refusal.js";
import { type Arguments, readArguments } from "../../cycle/arguments.js";
import type { Message } from "../model.js";

const failure = z.object({ error: refusalBody.pick({ code: true, message: true, details: true }) });

export type Failure = z.output<typeof failure>["error"];

/** A call of this cycle and its answer. */
export interface Exchange {
  readonly name: string;
  readonly args: Arguments;
  readonly value?: unknown;
  readonly error?: Failure;
}

/** Everything that was called and answered so far, in order. */
export function exchangesOf(conversation: readonly Message[]): readonly Exchange[] {
  const answers = new Map(
    conversation.flatMap((m) => (m.role === "tool" ? [[m.toolCallId, parseJson(m.content)] as const] : [])),
  );
  const calls = conversation.flatMap((m) => (m.role === "assistant" ? m.toolCalls : []));
  return calls.map(({ id, name, arguments: given }) =>
    exchange(name, readArguments(given) ?? {}, answers.get(id)),
  );
}

function exchange(name: string, args: Arguments, answer: unknown): Exchange {
  const failed = failure.safeParse(answer);
  return failed.success ? { name, args, error: failed.data.error } : { name, args, value: answer };
}

/** The newest exchange of a tool. */
export const latest = (exchanges: readonly Exchange[], name: string): Exchange | undefined =>
  exchanges.findLast((each) => each.name === name);

export const allOf = (exchanges: readonly Exchange[], name: string): readonly Exchange[] =>
  exchanges.filter((each) => each.name === name);

/** Those after the newest one of that tool; all if there is none. */
export const since = (exchanges: readonly Exchange[], name: string): readonly Exchange[] =>
  exchanges.slice(exchanges.findLastIndex((each) => each.name === name) + 1);
