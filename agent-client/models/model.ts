import type { ToolInfo } from "../connect.js";
import type { Picture } from "../tool-result.js";

export type { Picture };

export interface ToolCall {
  /** Unique within the conversation. */
  readonly id: string;
  readonly name: string;
  /** An object, or the JSON text of one, as the model gave it: whoever runs the call checks it. */
  readonly arguments: unknown;
}

export interface ToolMessage {
  readonly role: "tool";
  readonly toolCallId: string;
  readonly name: string;
  /** JSON: the tool's result, or `{"error": {"code", "message", "retryable", …}}`. */
  readonly content: string;
  /** What came with the result, for a model that sees. */
  readonly images?: readonly Picture[];
}

export type Message =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | ToolMessage;

export interface Reply {
  readonly text?: string;
  /** What the model thought on its way, where the provider tells it apart from the text. */
  readonly thinking?: string;
  /** Tokens of this request and of this reply, as the provider counts them. */
  readonly usage?: { readonly input: number; readonly output: number };
  /** None: the model is done. */
  readonly toolCalls: readonly ToolCall[];
}

/** Whatever decides: a language model, or rules. It sees the conversation and the tools, and nothing else. */
export interface Model {
  readonly name: string;
  /** Rejects with the signal's reason when it is aborted, with a ModelError where no reply comes. */
  respond(conversation: readonly Message[], tools: readonly ToolInfo[], signal: AbortSignal): Promise<Reply>;
}
