import type { ToolInfo } from "../connect.js";

export interface ToolCall {
  /** Unique within the conversation. */
  readonly id: string;
  readonly name: string;
  /** An object, or the JSON text of one, as the model gave it: whoever runs the call checks it. */
  readonly arguments: unknown;
}

export type Message =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  /** `content` is JSON: the tool's result, or `{"error": {"code", "message", "retryable", …}}`. */
  | { readonly role: "tool"; readonly toolCallId: string; readonly name: string; readonly content: string };

/** Tokens, as the model's server counts them. */
export interface Usage {
  readonly input: number;
  readonly output: number;
}

export interface Reply {
  readonly text?: string;
  /** What the model thought before it answered, where it shows that. */
  readonly thinking?: string;
  readonly usage?: Usage;
  /** None: the model is done. */
  readonly toolCalls: readonly ToolCall[];
}

/** Whatever decides: a language model, or rules. It sees the conversation and the tools, and nothing else. */
export interface Model {
  readonly name: string;
  /** Rejects with the signal's reason when it is aborted. */
  respond(conversation: readonly Message[], tools: readonly ToolInfo[], signal: AbortSignal): Promise<Reply>;
}
