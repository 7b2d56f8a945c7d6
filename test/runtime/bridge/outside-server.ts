import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";

/** A web server of the outside on loopback, and what it was asked. */
export class OutsideServer {
  readonly asked: IncomingMessage[] = [];

  private constructor(
    readonly origin: string,
    private answer: RequestListener,
  ) {}

  static async start(
    t: Test,
    answer: RequestListener,
    tls?: { readonly key: string; readonly cert: string },
  ): Promise<OutsideServer> {
    let own: OutsideServer | undefined;
    const serve: RequestListener = (request, response) => {
      own?.asked.push(request);
      own?.answer(request, response);
    };
    const server: Server = tls ? createSecure(tls, serve) : createServer(serve);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    own = new OutsideServer(`${tls ? "https" : "http"}://127.0.0.1:${port}`, answer);
    return own;
  }

  now(answer: RequestListener): void {
    this.answer = answer;
  }
}

/** What was posted. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
}

export const gives =
  (text: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "text/calendar", ...headers }).end(text);

export const answers =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end("<html>no</html>");
