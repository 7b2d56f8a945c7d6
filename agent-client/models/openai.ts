import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { z } from "zod";
import type { ToolInfo } from "../connect.js";
import { type Environment, httpAddress, shown } from "./address.js";
import { type Answer, argumentsOf, functionTools, replyTo, SAMPLING } from "./conversation.js";
import type { Message, Model, Picture, Reply } from "./model.js";
import { attempt, ModelError, type Wording } from "./model-error.js";
import { PATIENCE, patientFetch } from "./patient-fetch.js";
import { type Shown, showing } from "./pictures.js";

type Sampling = Partial<typeof SAMPLING>;

const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/** A model behind OpenAI's chat completions, or behind any server that speaks them, at OPENAI_BASE_URL. */
export class OpenAiModel implements Model {
  readonly name: string;
  private readonly baseURL: string;
  private readonly key: string | undefined;
  private readonly wording: Wording;
  /** Less than at the start once the server has refused a part of it. */
  private sampling: Sampling = SAMPLING;

  constructor(
    private readonly model: string,
    env: Environment,
    private readonly traits: { readonly sees?: boolean } = {},
  ) {
    this.name = `openai:${model}`;
    this.baseURL = shown(httpAddress("OPENAI_BASE_URL", env.OPENAI_BASE_URL?.trim() || DEFAULT_BASE_URL));
    this.key = keyIn(env, this.baseURL);
    this.wording = wordingOf(this.baseURL, model, this.key);
  }

  async respond(
    conversation: readonly Message[],
    tools: readonly ToolInfo[],
    signal: AbortSignal,
  ): Promise<Reply> {
    // Chat completions do not tell what a model sees: only a person can.
    const request = requestOf(this.model, showing(conversation, this.traits.sees === true), tools);
    return attempt(signal, this.wording, async (own) =>
      this.read(await this.send(request, own), conversation),
    );
  }

  /** Models that reason take no temperature and say so: they are asked again without, now and from now on. */
  private async send(request: ChatRequest, signal: AbortSignal): Promise<unknown> {
    const client = await this.client();
    const asked = { ...request, ...this.sampling };
    return client.chat.completions.create(asked, { signal }).catch((error: unknown) => {
      const { data } = unsupported.safeParse(error);
      if (data === undefined || !(data.param in asked)) throw error;
      this.sampling = without(this.sampling, data.param);
      return this.send(request, signal);
    });
  }

  /** The package is loaded when it is first needed, and given all that it would look up in the environment. */
  private async client() {
    const { default: OpenAI } = await import("openai");
    return new OpenAI({
      apiKey: this.key ?? "none",
      baseURL: this.baseURL,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      logLevel: "off",
      fetch: patientFetch(PATIENCE),
      timeout: PATIENCE,
      // The next cycle is the next try; more would only keep this one waiting.
      maxRetries: 0,
    });
  }

  private read(answer: unknown, conversation: readonly Message[]): Reply {
    const { data } = completion.safeParse(answer);
    const { server } = this.wording;
    const choice = data?.choices[0];
    if (!data || !choice)
      throw new ModelError(
        `${server} does not answer with a chat completion: check OPENAI_BASE_URL`,
        "person",
      );
    if (choice.finish_reason === "length")
      throw new ModelError(`${server} cut ${this.name}'s reply off, since its tokens were used up`, "cycle");
    return replyTo(conversation, answerIn(choice.message, data.usage));
  }
}

const without = (sampling: Sampling, name: keyof Sampling): Sampling =>
  Object.fromEntries(Object.entries(sampling).filter(([each]) => each !== name));

/** The package's error for a 400 that names the parameter at fault. */
const unsupported = z.object({
  status: z.literal(400),
  code: z.enum(["unsupported_value", "unsupported_parameter"]),
  param: z.enum(["temperature", "seed"]),
});

const assistantMessage = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  /** Not OpenAI's: llama.cpp, vLLM and DeepSeek send the first, Ollama and OpenRouter the second. */
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z
    .array(
      z.object({
        id: z.string().nullish(),
        function: z.object({ name: z.string(), arguments: z.unknown() }),
      }),
    )
    .nullish(),
});

const tokenCounts = z.object({ prompt_tokens: z.number(), completion_tokens: z.number() });

const completion = z.object({
  choices: z.array(z.object({ message: assistantMessage, finish_reason: z.string().nullish() })).min(1),
  usage: tokenCounts.nullish().catch(undefined),
});

function answerIn(
  message: z.output<typeof assistantMessage>,
  usage: z.output<typeof tokenCounts> | null | undefined,
): Answer {
  return {
    text: message.content || message.refusal,
    thinking: message.reasoning_content || message.reasoning,
    calls: (message.tool_calls ?? []).map(({ id, function: called }) => ({ id, ...called })),
    usage: { input: usage?.prompt_tokens, output: usage?.completion_tokens },
  };
}

type ChatRequest = ReturnType<typeof requestOf>;

/** Not streamed: nobody reads along while it is written, and a call is of use only when it is whole. */
function requestOf(model: string, conversation: readonly Shown[], tools: readonly ToolInfo[]) {
  return { model, messages: conversation.map(chatMessage), tools: functionTools(tools) };
}

function chatMessage(message: Shown): ChatCompletionMessageParam {
  const { role, content } = message;
  if (role === "pictures")
    return { role: "user", content: [{ type: "text", text: content }, ...message.images.map(imagePart)] };
  if (role === "tool") return { role, content, tool_call_id: message.toolCallId };
  if (role !== "assistant" || message.toolCalls.length === 0) return { role, content };
  const tool_calls = message.toolCalls.map((call) => ({
    id: call.id,
    type: "function" as const,
    function: { name: call.name, arguments: JSON.stringify(argumentsOf(call)) },
  }));
  return { role, content, tool_calls };
}

/** As a data URL (OpenAI, "Images and vision"). */
const imagePart = ({ type, data }: Picture) => ({
  type: "image_url" as const,
  image_url: { url: `data:${type};base64,${data}` },
});

/** A server of one's own may want no key; OpenAI's always does. */
function keyIn({ OPENAI_API_KEY }: Environment, baseURL: string): string | undefined {
  const key = OPENAI_API_KEY?.trim();
  if (!key && baseURL === DEFAULT_BASE_URL)
    throw new Error("OPENAI_API_KEY is not set: give it a key, or name another server in OPENAI_BASE_URL");
  if (key && !/^[\x21-\x7e]+$/.test(key)) throw new Error("OPENAI_API_KEY holds more than a key on one line");
  return key || undefined;
}

const wordingOf = (baseURL: string, model: string, secret: string | undefined): Wording => ({
  server: baseURL,
  toReach: "check OPENAI_BASE_URL and the network",
  secret,
  refused(status, said) {
    if (/does not support tools/.test(said)) return `${model} cannot call tools: take one that can`;
    if (status === 401) return `${baseURL} refuses the key: set OPENAI_API_KEY to one that is valid there`;
    if (status === 404)
      return `${baseURL} has no model "${model}": check the name, and OPENAI_BASE_URL (${said})`;
    if (status === 429)
      return `${baseURL} takes no more for now: look at your limits and credit there (${said})`;
    return undefined;
  },
});
