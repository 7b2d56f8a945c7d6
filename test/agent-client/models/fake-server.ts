import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";

export type Json = Readonly<Record<string, unknown>>;

/** What a server says to one request. */
export interface Said {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON. */
  readonly body: string | Json;
  /** Announces more than it sends, and hangs up; "reset" without the good manners of TCP. */
  readonly cut?: boolean | "reset";
}

/** Answers a request, or never does. */
export type Answering = (body: Json, headers: IncomingMessage["headers"]) => Said | "silence";

/** An HTTP server on loopback that answers every POST to one path or some, or GET where a path begins so, and keeps what it was asked. */
export class FakeServer {
  readonly asked: Json[] = [];
  /** Of the requests in `asked`. */
  readonly paths: string[] = [];
  private readonly waiting: Array<() => void> = [];
  private readonly http = createServer((request, response) => void this.answer(request, response));

  constructor(
    private readonly path: string | readonly string[],
    private readonly answering: Answering,
  ) {}

  /** Resolves to its address; the server ends with the test. */
  async listen(t: Test): Promise<string> {
    await new Promise<void>((resolve) => this.http.listen(0, "127.0.0.1", resolve));
    t.teardown(() => this.close());
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  private serves({ method, url = "" }: IncomingMessage): boolean {
    return [this.path].flat().includes(method === "POST" ? url : `${method} ${url}`);
  }

  /** Resolves when the next client hangs up without an answer. */
  hungUp(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await textOf(request)) || "{}") as Json;
    if (!this.serves(request))
      return void response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found");
    this.asked.push(body);
    this.paths.push(request.url ?? "");
    const said = this.answering(body, request.headers);
    if (said === "silence") response.on("close", () => this.waiting.shift()?.());
    else send(response, said);
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

function send(
  response: ServerResponse,
  { status = 200, type = "application/json; charset=utf-8", headers = {}, body, cut }: Said,
): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    "content-type": type,
    "content-length": Buffer.byteLength(text) + (cut ? 100 : 0),
  });
  if (cut === "reset") response.write(text, () => response.socket?.resetAndDestroy());
  else if (cut) response.write(text, () => response.destroy());
  else response.end(text);
}

/** Answers one after the other; one more is a mistake of the test. */
export function inOrder(...answers: readonly Answering[]): Answering {
  const left = [...answers];
  return (body, headers) => {
    const next = left.shift();
    if (!next) throw new Error("the server was asked once too often");
    return next(body, headers);
  };
}
