import { z } from "zod";
import { statusResult } from "../../runtime/wire/plants.js";
import { parseJson, refusalBody } from "../../runtime/wire/refusal.js";
import { tokensIn } from "../cycle/tokens.js";
import type { ToolInfo } from "../link/tools.js";
import type { Message } from "../models/model.js";

const failed = z.object({ error: refusalBody.pick({ code: true }) });

/**
 * What came of the calls of the reply before, as far as it decides how a conversation goes on: "read_moisture ok",
 * "dispense_water BUDGET_EXCEEDED". Figures and times are left out: no two runs have the same.
 */
export function toldSince(conversation: readonly Message[]): string[] {
  const since = conversation.findLastIndex(({ role }) => role === "assistant") + 1;
  return conversation.slice(since).flatMap((message) => (message.role === "tool" ? [cameOf(message)] : []));
}

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
