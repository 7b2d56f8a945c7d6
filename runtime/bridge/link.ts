import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { z } from "zod";
import { messageOf } from "../../drivers/system-error.js";
import { type Millis, seconds } from "../../drivers/units.js";
import type { UploadQuery } from "../wire/media.js";
import { PATHS } from "../wire/names.js";
import { otherVersion, SAME_VERSION, VERSION } from "../wire/program.js";
import { ProofQuestion, pinOf } from "../wire/proof.js";
import { parseJson, refusalIn } from "../wire/refusal.js";
import { exchange, secureSocket } from "../wire/secure-socket.js";
import type { JobResult } from "./adapter.js";

/** The runtime does not answer, or what answers is not it. It may come back. */
export class LinkDown extends Error {
  override readonly name = "LinkDown";
}

export class Refused extends Error {
  override readonly name = "Refused";

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface LinkOptions {
  /** ws://HOST:PORT/mcp, or http, wss, https. */
  readonly url: string;
  readonly token: string;
  /** The only key to trust over TLS; without it an authority must vouch for the runtime. */
  readonly pin?: string | undefined;
}

/** Milliseconds without a byte. A choice: a busy runtime answers within a second or two. */
const PATIENCE: Millis = seconds(10);

/** Calls of the runtime's tools over MCP and HTTP, as the command line makes them. Connects when it is needed. */
export class Link {
  private client: Promise<Client> | undefined;
  private readonly url: string;

  constructor(private readonly options: LinkOptions) {
    this.url = options.url.replace(/^ws/, "http");
  }

  /** Rejects with LinkDown, or with Refused. `within`: the time for the answer. */
  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    { within = PATIENCE, signal }: { within?: number; signal?: AbortSignal } = {},
  ): Promise<JobResult> {
    try {
      this.client ??= this.connect();
      const client = await this.client;
      const answer = await client.callTool(
        { name: tool, arguments: args },
        { timeout: within, ...(signal && { signal }) },
      );
      return resultOf(answer);
    } catch (error) {
      if (error instanceof Refused) throw error;
      await this.close();
      throw failure(error);
    }
  }

  /** Gives the runtime a file; its path in the media folder. Rejects with LinkDown, or with Refused. */
  async upload(query: UploadQuery, bytes: Uint8Array, signal: AbortSignal): Promise<string> {
    const { token, pin } = this.options;
    const url = new URL(PATHS.media, this.url);
    url.search = new URLSearchParams({ ...query }).toString();
    const isSecure = url.protocol === "https:";
    try {
      if (!isSecure) await this.assertKnowsToken();
      const answer = await (isSecure ? checkedFetch(pin) : fetch)(url, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/octet-stream" },
        body: bytes as Uint8Array<ArrayBuffer>,
        redirect: "error",
        signal,
      });
      return pathIn(await answer.text());
    } catch (error) {
      throw error instanceof Refused ? error : failure(error);
    }
  }

  async close(): Promise<void> {
    const client = await this.client?.catch(() => undefined);
    this.client = undefined;
    await client?.close().catch(() => undefined);
  }

  private async connect(): Promise<Client> {
    const { token, pin } = this.options;
    const isSecure = this.url.startsWith("https:");
    if (!isSecure) await this.assertKnowsToken();
    const client = new Client(
      { name: "tendril-bridge", version: VERSION },
      { versionNegotiation: { mode: "auto" }, jsonSchemaValidator: new CfWorkerJsonSchemaValidator() },
    );
    const transport = new StreamableHTTPClientTransport(new URL(this.url), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
      ...(isSecure && { fetch: checkedFetch(pin) }),
    });
    await client.connect(transport);
    const differs = otherVersion(client.getServerVersion());
    if (differs === undefined) return client;
    await client.close();
    throw new LinkDown(`${differs}: ${SAME_VERSION}`);
  }

  /** A runtime may be gone, and another program may have its port: it must not get the token. */
  private async assertKnowsToken(): Promise<void> {
    const known = await new ProofQuestion(this.options.token).ask(this.url, { timeout: PATIENCE });
    if (known === undefined) throw new LinkDown(`what answers at ${this.url} does not know this token`);
  }
}

/** Sends nothing before the peer has shown the right key. */
const checkedFetch =
  (pin: string | undefined) =>
  async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { socket, peer } = await secureSocket(request.url);
    const found = pinOf(peer.certificate);
    const isTrusted = pin === undefined ? peer.problem === undefined : found === pin;
    if (isTrusted) return exchange(request, socket, { timeout: 2 * PATIENCE });
    socket.destroy();
    const why =
      pin === undefined
        ? `a certificate that nobody vouches for (${peer.problem})`
        : "another key than --pin";
    throw new LinkDown(`what answers shows ${why}: its key is ${found}`);
  };

/** The text may be a sentence: the facts are the structured content. */
function resultOf(result: Awaited<ReturnType<Client["callTool"]>>): JobResult {
  const { content, structuredContent, isError } = result;
  const [first] = content;
  const text = first?.type === "text" ? first.text : "{}";
  const refusal = isError ? refusalIn(text) : undefined;
  if (refusal) throw new Refused(refusal.code, refusal.message);
  const answer = structuredContent ?? parseJson(text);
  if (isError || typeof answer !== "object" || answer === null)
    throw new LinkDown("the answer is not understood");
  return answer as JobResult;
}

function pathIn(answer: string): string {
  const refusal = refusalIn(answer);
  if (refusal) throw new Refused(refusal.code, refusal.message);
  const read = z.object({ path: z.string() }).safeParse(parseJson(answer));
  if (!read.success) throw new LinkDown("the answer is not understood");
  return read.data.path;
}

/** The SDK wraps our errors, and those of fetch. */
function failure(error: unknown): LinkDown | Refused {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof LinkDown) return each;
  const said =
    error instanceof Error && error.cause instanceof Error ? messageOf(error.cause) : messageOf(error);
  if (/\b401\b|UNAUTHORIZED/i.test(`${messageOf(error)} ${said}`))
    return new Refused("UNAUTHORIZED", "the runtime does not know this token");
  return new LinkDown(said);
}
