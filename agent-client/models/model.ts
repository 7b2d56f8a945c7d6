import type { JsonSchema, Picture, ToolInfo } from "../link/tools.js";

export type { Picture };

export interface ToolCall {
  /** Unique within the conversation. */
  readonly id: string;
  /** As the model gave it: any characters, and perhaps no tool's name. */
  readonly name: string;
  /** An object or its JSON text, as the model gave it; not checked yet. */
  readonly arguments: unknown;
  /**
   * What the provider wants back with the call, such as a signature: unchanged, within the cycle and after a restart of a
   * simulation. No person is shown it. Check its form: another provider may have made the call.
   */
  readonly providerData?: unknown;
  /** The idempotency key of a call that acts, if it must be the same after a crash. Providers never set it. */
  readonly key?: string;
  /** Carries a read out even after equal answers, since a program needs it. Providers never set it. */
  readonly fresh?: true;
}

export interface ToolMessage {
  readonly role: "tool";
  readonly toolCallId: string;
  readonly name: string;
  /** JSON: the tool's result, or `{"error": {"code", "message", "retryable", …}}`; nothing else tells a failed call. */
  readonly content: string;
  /** Pictures of the result, for a model with vision. */
  readonly images?: readonly Picture[];
}

/**
 * A conversation begins with its only system message and a message of the user. After a reply come the answers to all its
 * calls, in their order. A reply without calls may be empty; a message of the user comes after it.
 */
export type Message =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | ToolMessage;

/** Tokens, as the provider counts them. */
export interface Usage {
  /** Tokens read, including cached ones. */
  readonly input: number;
  readonly output: number;
  /** The cached part of `input`. Undefined if the provider does not tell. */
  readonly cached?: number;
}

export interface AskOptions {
  /**
   * Asks for one JSON text of this schema, without calls. Its keywords are `type` (object, array, string, integer),
   * `properties`, `required`, `additionalProperties`, `items`, `enum` and `maxLength`. A longer text is accepted, so an API
   * that refuses `maxLength` may be sent none.
   */
  readonly schema?: JsonSchema;
  /** Undefined: the fixed seed, so that the same conversation gets the same reply. */
  readonly seed?: number;
  /** What the turn is. Undefined: a care cycle. Rules need to know; a language model reads it in its prompt. */
  readonly turn?: "conversation" | "task";
}

export interface Traits {
  /** It sees pictures. Undefined: as the provider says. */
  readonly sees?: boolean;
  /** Most tokens of one reply. */
  readonly replyTokens?: number;
}

export interface Question {
  readonly conversation: readonly Message[];
  readonly tools: readonly ToolInfo[];
  readonly options: AskOptions;
}

export interface Reply {
  readonly text?: string;
  /** The model's thinking, if the provider separates it from the text. */
  readonly thinking?: string;
  /** Tokens of this request and reply, as the provider counts them. */
  readonly usage?: Usage;
  /** Empty: the model is done. */
  readonly toolCalls: readonly ToolCall[];
}

/** The runtime's tools for a care cycle, or all. */
export type ToolSet = "care" | "all";

/** A language model, or rules. It sees only the conversation and the tools. */
export interface Model {
  readonly name: string;
  /** The tools to show to it; undefined: all. */
  readonly toolSet?: ToolSet | undefined;
  /** What it reads of a care cycle's prompt; undefined: all. Rules read which plant it is, so nothing else is asked for. */
  readonly reads?: "plant" | undefined;
  /** Rejects with the signal's reason, or with a ModelError if there is no reply. */
  respond(
    conversation: readonly Message[],
    tools: readonly ToolInfo[],
    signal: AbortSignal,
    options?: AskOptions,
  ): Promise<Reply>;
  /**
   * A text that identifies the weights behind the name; it changes with the weights. Undefined if the provider does not tell.
   * Rejects with a ModelError if the provider cannot be reached.
   */
  identity?(signal: AbortSignal): Promise<string | undefined>;
}

/** What a model is asked: conversation, tools, signal, and how. */
export type Asked = Parameters<Model["respond"]>;
