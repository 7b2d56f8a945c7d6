import type { JsonSchema, Picture, ToolInfo } from "../link/tools.js";

export type { Picture };

export interface ToolCall {
  /** Unique within the conversation. */
  readonly id: string;
  readonly name: string;
  /** An object, or the JSON text of one, as the model gave it: whoever runs the call checks it. */
  readonly arguments: unknown;
  /** For a call that acts: the idempotency key to use, where it has to be the same after a crash. Providers give none. */
  readonly key?: string;
  /** For a call that reads: carried out however often it was answered the same, since a program acts on it. Providers say nothing. */
  readonly fresh?: true;
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

/** Tokens, as the provider counts them. */
export interface Usage {
  /** Read, with those that came from its cache. */
  readonly input: number;
  readonly output: number;
  /** Of `input`, those that were in the provider's cache. Undefined where it does not tell. */
  readonly cached?: number;
}

/** How a model is asked, beyond the conversation. */
export interface AskOptions {
  /** The answer is one JSON text of this schema, and no call. The schema is a plain one: objects, strings, numbers, enums. */
  readonly schema?: JsonSchema;
  /** Undefined: always the same seed, so that the same conversation gets the same reply. */
  readonly seed?: number;
}

/** What a person says of a model, or wants of it. */
export interface Traits {
  /** It sees pictures. Undefined: whatever the provider tells of it. */
  readonly sees?: boolean;
  /** Tokens of one reply. */
  readonly replyTokens?: number;
}

/** What a provider is asked. */
export interface Question {
  readonly conversation: readonly Message[];
  readonly tools: readonly ToolInfo[];
  readonly options: AskOptions;
}

export interface Reply {
  readonly text?: string;
  /** What the model thought on its way, where the provider tells it apart from the text. */
  readonly thinking?: string;
  /** Tokens of this request and of this reply, as the provider counts them. */
  readonly usage?: Usage;
  /** None: the model is done. */
  readonly toolCalls: readonly ToolCall[];
}

/** Of the runtime's tools: those that a care cycle takes, or all. */
export type ToolSet = "care" | "all";

/** What a model is shown: a set, or the set that the tools of a recording are of. */
export type ToolsShown = ToolSet | readonly string[];

/** Whatever decides: a language model, or rules. It sees the conversation and the tools, and nothing else. */
export interface Model {
  readonly name: string;
  /** The tools that it is shown; undefined: all. */
  readonly toolSet?: ToolsShown | undefined;
  /** Rejects with the signal's reason when it is aborted, with a ModelError where no reply comes. */
  respond(
    conversation: readonly Message[],
    tools: readonly ToolInfo[],
    signal: AbortSignal,
    options?: AskOptions,
  ): Promise<Reply>;
  /**
   * Which weights answer to the name, as far as the provider tells: a text that changes when others do. Undefined where
   * nothing is told. Rejects with a ModelError where the provider cannot be reached.
   */
  identity?(signal: AbortSignal): Promise<string | undefined>;
}
