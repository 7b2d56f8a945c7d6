import type { Ollama } from "ollama";
import { z } from "zod";
import type { ToolInfo } from "../connect.js";
import { parseJson } from "../tool-result.js";
import { type Environment, httpAddress, shown } from "./address.js";
import { argumentsOf, functionTools, isBeginning, replyTo, SAMPLING } from "./conversation.js";
import type { Message, Model, Reply } from "./model.js";
import { attempt, ModelError, Refused, type Wording } from "./model-error.js";
import { PATIENCE, patientFetch } from "./patient-fetch.js";
import { hasPictures, type Shown, showing } from "./pictures.js";

/** Where `ollama serve` listens (Ollama, docs/faq). */
const DEFAULT_HOST = "127.0.0.1:11434";
/**
 * Tokens. Ollama's own default, 4096 on most computers (docs/context-length), does not even hold all tools
 * (tokens.ts has their size); a cycle of a model that reads histories takes as much again. A choice: more costs memory.
 */
const CONTEXT = 16_384;

/** A model that runs in an Ollama server, on this computer or at OLLAMA_HOST. */
export class OllamaModel implements Model {
  readonly name: string;
  private readonly host: string;
  private readonly wording: Wording;
  /** What the server says the model can do; undefined as long as nobody knows. */
  private abilities: readonly string[] | undefined;
  private readonly sees: boolean | undefined;

  constructor(
    private readonly model: string,
    env: Environment,
    { sees }: { readonly sees?: boolean } = {},
  ) {
    this.sees = sees;
    this.name = `ollama:${model}`;
    this.host = hostIn(env);
    this.wording = wordingOf(this.host, model);
  }

  async respond(
    conversation: readonly Message[],
    tools: readonly ToolInfo[],
    signal: AbortSignal,
  ): Promise<Reply> {
    return attempt(signal, this.wording, async (own) => {
      const server = await this.client(own);
      if (isBeginning(conversation) || (hasPictures(conversation) && this.sees === undefined))
        await this.assertCallsTools(server);
      const sees = hasPictures(conversation) && (this.sees ?? this.abilities?.includes("vision") ?? false);
      const answer: unknown = await server.chat(requestOf(this.model, showing(conversation, sees), tools));
      return this.read(answer, conversation);
    });
  }

  /** The package is loaded when it is first needed: the caretaker starts without it. */
  private async client(signal: AbortSignal): Promise<Ollama> {
    const { Ollama } = await import("ollama");
    return new Ollama({ host: this.host, fetch: fetchUntil(signal) });
  }

  /**
   * Ollama tells what a model can do (docs/api.md, "Show Model Information"), and is asked before the first cycle. One too
   * old to tell, or that refuses, is asked again before the next: meanwhile the model is tried, and taken for blind.
   */
  private async assertCallsTools(server: Ollama): Promise<void> {
    if (this.abilities) return;
    const shown = await server.show({ model: this.model }).catch(unlessAway);
    const abilities = showResponse.safeParse(shown).data?.capabilities;
    if (abilities?.includes("tools") === false)
      throw new ModelError(`${this.model} cannot call tools; ${CALL_TOOLS}`, "person");
    this.abilities = abilities;
  }

  private read(answer: unknown, conversation: readonly Message[]): Reply {
    const { data } = chatResponse.safeParse(answer);
    const { server } = this.wording;
    if (!data) throw new ModelError(`${server} does not answer as Ollama does: check OLLAMA_HOST`, "person");
    const { message, done_reason, prompt_eval_count: input, eval_count: output } = data;
    if (done_reason === "length")
      throw new ModelError(
        `${server} cut ${this.name}'s reply off, since ${CONTEXT} tokens were full`,
        "cycle",
      );
    const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({ id, ...called }));
    const { content: text, thinking } = message;
    return replyTo(conversation, { text, thinking, calls, usage: { input, output } });
  }
}

const showResponse = z.object({ capabilities: z.array(z.string()) });

/** A refusal says nothing of the model, and the chat has words for it. */
function unlessAway(error: unknown): undefined {
  if (!(error instanceof Refused)) throw error;
}

const chatResponse = z.object({
  message: z.object({
    content: z.string().optional(),
    thinking: z.string().optional(),
    tool_calls: z
      .array(
        z.object({
          id: z.string().optional(),
          function: z.object({ name: z.string(), arguments: z.unknown() }),
        }),
      )
      .nullish(),
  }),
  done_reason: z.string().optional(),
  prompt_eval_count: z.number().optional().catch(undefined),
  eval_count: z.number().optional().catch(undefined),
});

function requestOf(model: string, conversation: readonly Shown[], tools: readonly ToolInfo[]) {
  return {
    model,
    messages: conversation.map(chatMessage),
    tools: functionTools(tools),
    // Nobody reads along while it is written, and a call is of use only when it is whole.
    stream: false as const,
    // A conversation that does not fit is refused: otherwise its oldest part is left out without a word
    // (Ollama, api/types.go, since 0.12.6; older servers ignore both).
    truncate: false,
    shift: false,
    options: { ...SAMPLING, num_ctx: CONTEXT },
  };
}

/** Ollama knows an answer by its tool's name and by its place (docs/capabilities/tool-calling). */
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

const patiently = patientFetch(PATIENCE);

/** The package passes a signal on for streams alone, and prints refusals that are not JSON to standard output. */
const fetchUntil =
  (signal: AbortSignal): typeof fetch =>
  async (url, init) => {
    const response = await patiently(url, { ...init, signal });
    if (!response.ok) throw new Refused(response.status, errorIn(await response.text()));
    return response;
  };

/** Ollama's own are a text; proxies and stand-ins send OpenAI's object. */
const errorBody = z.object({
  error: z.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)]),
});

const errorIn = (body: string): string => errorBody.safeParse(parseJson(body)).data?.error ?? body;

/** OLLAMA_HOST is written as for Ollama itself: HOST, HOST:PORT, :PORT or a whole address. */
function hostIn({ OLLAMA_HOST }: Environment): string {
  const given = OLLAMA_HOST?.trim() || DEFAULT_HOST;
  if (given.includes("://")) return shown(httpAddress("OLLAMA_HOST", given));
  const url = httpAddress("OLLAMA_HOST", `http://${given.startsWith(":") ? "127.0.0.1" : ""}${given}`);
  if (url.port === "" && !/:80\b/.test(given)) url.port = "11434";
  return shown(url);
}

/** Each has the label "tools" in Ollama's library. */
const CALL_TOOLS = "llama3.2, qwen3 and mistral can";

const wordingOf = (host: string, model: string): Wording => ({
  server: `Ollama at ${host}`,
  toReach: "start it with `ollama serve`, or set OLLAMA_HOST to where it runs",
  refused(status, said) {
    if (/does not support tools/.test(said)) return `${model} cannot call tools; ${CALL_TOOLS}`;
    if (/context (size|length)/.test(said))
      return `the conversation outgrew ${model}'s ${CONTEXT} tokens: give fewer rounds with --max-rounds`;
    if (status === 404 && /model/.test(said))
      return `Ollama at ${host} has no model "${model}": fetch it with \`ollama pull ${model}\``;
    return undefined;
  },
});
