import type { Ollama } from "ollama";
import { z } from "zod";
import { askServer, type Chosen, OptionalParts, type Server } from "./ask-server.js";
import {
  type Answer,
  argumentsOf,
  functionTools,
  hasPictures,
  isBeginning,
  type Shown,
  samplingFor,
  withPictures,
} from "./conversation.js";
import { type Environment, httpAddress, patiently, shown } from "./http.js";
import type { Asked, Model, Question, Reply, Usage } from "./model.js";
import { attempt, ModelError, Refused, type Wording } from "./model-error.js";
import { count, readMessage } from "./read-reply.js";

/** Where `ollama serve` listens (Ollama, docs/faq). */
const DEFAULT_HOST = "127.0.0.1:11434";
/**
 * Tokens. Ollama's default, 4096 on most computers (docs/context-length), is too small even for the tools (see prompt.ts); a
 * cycle that reads histories needs as much again. A choice: more costs memory.
 */
const CONTEXT = 16_384;

export class OllamaModel implements Model {
  readonly name: string;
  private readonly host: string;
  private readonly server: Server;
  /** The model's abilities by the server; undefined while unknown. */
  private abilities: readonly string[] | undefined;
  /** The schema: Ollama before 0.5 accepts none, and newer versions not every one. */
  private readonly optional = new OptionalParts("format");

  constructor(private readonly chosen: Chosen) {
    this.name = chosen.name;
    this.host = hostIn(chosen.env);
    this.server = { wording: wordingOf(this.host, chosen.model), isOwn: false };
  }

  respond(...asked: Asked): Promise<Reply> {
    return askServer(asked, this.chosen, this.server, {
      send: (question, signal) => this.send(question, signal),
      read: readChat,
    });
  }

  private async send(question: Question, signal: AbortSignal): Promise<unknown> {
    const client = await this.client(signal);
    await this.learnAbilities(client, question);
    const { schema } = question.options;
    return this.optional.send(
      question,
      () => (schema ? { format: schema } : {}),
      (parts, conversation) => client.chat({ ...parts, ...this.requestOf({ ...question, conversation }) }),
    );
  }

  identity(signal: AbortSignal): Promise<string | undefined> {
    return attempt(signal, this.server.wording, async (own) => {
      const listed: unknown = await (await this.client(own)).list();
      const wanted = this.chosen.model.toLowerCase();
      const names = new Set([wanted, `${wanted}:latest`]); // the tag of a name without one (Ollama, docs/api.md)
      return tagsResponse.safeParse(listed).data?.models.find(({ name }) => names.has(name.toLowerCase()))
        ?.digest;
    });
  }

  /**
   * Loads the package when it is first needed: the caretaker starts without it. The package uses a signal only for streams, and prints
   * refusals that are not JSON to standard output.
   */
  private async client(signal: AbortSignal): Promise<Ollama> {
    const { Ollama } = await import("ollama");
    return new Ollama({ host: this.host, fetch: (url, init) => patiently(url, { ...init, signal }) });
  }

  /**
   * Asks Ollama for the model's abilities before the first cycle (docs/api.md, "Show Model Information"). If it is too old or
   * refuses, it is asked again before the next cycle; until then the model is used, without pictures.
   */
  private async learnAbilities(client: Ollama, { conversation, tools }: Question): Promise<void> {
    const mayHavePictures = hasPictures(conversation) && this.chosen.sees === undefined;
    if (!this.abilities && (isBeginning(conversation) || mayHavePictures)) {
      const shown = await client.show({ model: this.chosen.model }).catch(unlessAway);
      this.abilities = showResponse.safeParse(shown).data?.capabilities;
    }
    if (tools.length === 0 || this.abilities?.includes("tools") !== false) return;
    this.abilities = undefined; // another model may have this name by the next cycle
    throw new ModelError(`${this.chosen.model} cannot call tools; ${CALL_TOOLS}`, "person");
  }

  private requestOf({ conversation, tools, options }: Question) {
    const { model, replyTokens, sees = this.abilities?.includes("vision") ?? false } = this.chosen;
    return {
      model,
      messages: withPictures(conversation, sees).map(chatMessage),
      ...(tools.length > 0 && { tools: functionTools(tools) }),
      // Thoughts come before the answer and are outside of the schema (docs/capabilities/structured-outputs).
      ...(options.schema && this.abilities?.includes("thinking") && { think: false }),
      // Nobody reads along, and only a whole call is useful.
      stream: false as const,
      // Refuses a conversation that does not fit: by default its oldest part would be dropped silently
      // (Ollama, api/types.go, since 0.12.6; older servers ignore both).
      truncate: false,
      shift: false,
      options: { ...samplingFor(options), num_ctx: CONTEXT, num_predict: replyTokens },
    };
  }
}

const showResponse = z.object({ capabilities: z.array(z.string()) });
const tagsResponse = z.object({ models: z.array(z.object({ name: z.string(), digest: z.string() })) });

/** Ignores a refusal: the chat request will report it. */
function unlessAway(error: unknown): undefined {
  if (!(error instanceof Refused)) throw error;
}

const chatResponse = z.object({
  message: z.unknown().optional(),
  done_reason: z.string().optional(),
  /** All tokens read, including cached ones. */
  prompt_eval_count: count,
  /** Ollama, api/types.go, since August 2026. */
  prompt_eval_cached_count: count,
  eval_count: count,
});

/** Without a count of cached tokens, the count may cover only new ones (Ollama 0.30, pull request 16428). */
function readChat(body: unknown): Answer | undefined {
  const { data } = chatResponse.safeParse(body);
  const message = readMessage(data?.message);
  if (!data || !message) return undefined;
  const usage = usageIn(data);
  const end = data.done_reason === "length" ? "cut" : undefined;
  return { ...message, usage, countsAll: usage?.cached !== undefined, end };
}

function usageIn(data: z.output<typeof chatResponse>): Usage | undefined {
  const { prompt_eval_count: input, eval_count: output, prompt_eval_cached_count: cached } = data;
  if (input === undefined && output === undefined) return undefined;
  return { input: input ?? 0, output: output ?? 0, ...(cached !== undefined && { cached }) };
}

/** Ollama matches an answer by its tool's name and its position (docs/capabilities/tool-calling). */
function chatMessage(message: Shown) {
  const { role, content } = message;
  if (role === "pictures") return { role: "user", content, images: message.images.map(({ data }) => data) };
  if (role === "tool") return { role, content, tool_name: message.name };
  if (role !== "assistant" || message.toolCalls.length === 0) return { role, content };
  const tool_calls = message.toolCalls.map((call) => ({
    function: { name: call.name, arguments: { ...argumentsOf(call) } },
  }));
  return { role, content, tool_calls };
}

/** OLLAMA_HOST is written as for Ollama itself: HOST, HOST:PORT, :PORT or a whole address. */
function hostIn({ OLLAMA_HOST }: Environment): string {
  const given = OLLAMA_HOST?.trim() || DEFAULT_HOST;
  if (given.includes("://")) return shown(httpAddress("OLLAMA_HOST", given));
  const url = httpAddress("OLLAMA_HOST", `http://${given.startsWith(":") ? "127.0.0.1" : ""}${given}`);
  if (url.port === "" && !/:80\b/.test(given)) url.port = "11434";
  return shown(url);
}

/** Models with the label "tools" in Ollama's library. */
const CALL_TOOLS = "llama3.2, qwen3 and mistral can";

const wordingOf = (host: string, model: string): Wording => ({
  server: `Ollama at ${host}`,
  toReach: "start it with `ollama serve`, or set OLLAMA_HOST to where it runs",
  refused(status, said, kind) {
    if (/does not support tools/.test(said)) return `${model} cannot call tools; ${CALL_TOOLS}`;
    if (kind === "cycle")
      return `the conversation outgrew ${model}'s ${CONTEXT} tokens: give fewer rounds with --max-rounds`;
    if (status === 404 && /model/.test(said))
      return `Ollama at ${host} has no model "${model}": fetch it with \`ollama pull ${model}\``;
    return undefined;
  },
});
