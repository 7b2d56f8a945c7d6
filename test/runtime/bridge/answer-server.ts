import type { ServerResponse } from "node:http";
import type { Test } from "tap";
import { bodyOf, OutsideServer } from "./outside-server.js";

/** What a model is asked, read from either protocol. */
export interface AskedAnswer {
  readonly provider: "ollama" | "openai";
  readonly model: string;
  readonly key: string | undefined;
  readonly instructions: string;
  readonly question: string;
  readonly passages: readonly {
    readonly number: number;
    readonly source: string;
    readonly content: string;
  }[];
  /** The whole request. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The model's own words; undefined: it never answers. */
type ChatModel = (asked: AskedAnswer) => string | undefined;

interface ChatRequest extends Readonly<Record<string, unknown>> {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** A server that speaks as Ollama and OpenAI do, with a model of the test's own. */
export class AnswerServer {
  readonly asked: AskedAnswer[] = [];
  /** Returns true if it has answered itself. */
  trouble: (response: ServerResponse) => boolean = () => false;

  private constructor(
    private readonly server: OutsideServer,
    public model: ChatModel,
  ) {}

  static async start(t: Test, model: ChatModel): Promise<AnswerServer> {
    const server = await OutsideServer.start(t, async (request, response) => {
      const body = JSON.parse(await bodyOf(request));
      const asked = readRequest(request.url ?? "", request.headers.authorization, body);
      own.asked.push(asked);
      if (own.trouble(response)) return;
      const content = own.model(asked);
      if (content === undefined) return;
      const message = { role: "assistant", content };
      const answer =
        asked.provider === "ollama" ? { message, done: true } : { choices: [{ index: 0, message }] };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    const own = new AnswerServer(server, model);
    return own;
  }

  get origin(): string {
    return this.server.origin;
  }
}

function readRequest(url: string, authorization: string | undefined, body: ChatRequest): AskedAnswer {
  const [system, user] = body.messages;
  const data = JSON.parse(user?.content ?? "") as Pick<AskedAnswer, "question" | "passages">;
  return {
    provider: url === "/api/chat" ? "ollama" : "openai",
    model: body.model,
    key: authorization?.replace("Bearer ", ""),
    instructions: system?.content ?? "",
    ...data,
    body,
  };
}

/** An answer by the schema: each sentence with its passages. */
export const says = (...sentences: readonly (readonly [string, readonly number[]])[]): string =>
  JSON.stringify({ sentences: sentences.map(([text, passages]) => ({ text, passages })) });
