import type { ServerResponse } from "node:http";
import type { Test } from "tap";
import { bodyOf, OutsideServer } from "./outside-server.js";

interface AskedEmbedding {
  readonly provider: "ollama" | "openai";
  readonly model: string;
  readonly texts: readonly string[];
  readonly key: string | undefined;
}

/** What the server answers instead of vectors. */
type Trouble = (texts: readonly string[], response: ServerResponse) => boolean;

/** A server that speaks as Ollama and OpenAI do, with vectors of the test's own. */
export class EmbeddingServer {
  readonly asked: AskedEmbedding[] = [];
  /** Returns true if it has answered itself. */
  trouble: Trouble = () => false;

  private constructor(private readonly server: OutsideServer) {}

  static async start(t: Test, vectorOf: (text: string) => readonly number[]): Promise<EmbeddingServer> {
    const server = await OutsideServer.start(t, async (request, response) => {
      const { model, input } = JSON.parse(await bodyOf(request)) as { model: string; input: string[] };
      const provider = request.url === "/api/embed" ? "ollama" : "openai";
      const key = request.headers.authorization?.replace("Bearer ", "");
      own.asked.push({ provider, model, texts: input, key });
      if (own.trouble(input, response)) return;
      // OpenAI's order is told by the index alone
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text) })).reverse();
      const answer = provider === "ollama" ? { embeddings: input.map(vectorOf) } : { data };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    const own = new EmbeddingServer(server);
    return own;
  }

  get origin(): string {
    return this.server.origin;
  }
}
