import { type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { type Millis, minutes } from "../clock.js";
import { printable, rejectingRefusals, UnfitAnswer } from "./model-error.js";

/** Time without data that ends a request to a model. A choice: the default time between cycles. */
export const PATIENCE: Millis = minutes(30);

/** Most bytes of one reply. A choice: some hundred times a usual reply, and it fits a Pi with 512 MB. */
const LONGEST_REPLY = 8_000_000;

/**
 * A fetch for servers that need long for the first byte. Node's own fetch gives up after five minutes (undici,
 * headersTimeout), and a small computer needs longer to read tools and a prompt. Sends and receives whole texts of at most
 * LONGEST_REPLY. Follows no redirect, so that a key is sent only to its own address.
 */
export const fetchSlowly =
  (patience: Millis): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const answer = await send(request, await request.text(), patience);
    const body = await bodyOf(answer);
    if (answer.statusCode === 200 && isPage(answer, body)) throw aPage(request.url, body);
    if (isEventStream(answer, body)) throw STREAMED;
    return new Response(body || null, {
      status: answer.statusCode ?? 0,
      headers: Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
    });
  };

/** Waits long for an answer, and throws a Refused for every error status. */
export const patiently = rejectingRefusals(fetchSlowly(PATIENCE));

async function bodyOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LONGEST_REPLY) throw TOO_LONG; // also closes the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** No model is at this address, and waiting does not help. */
export const aPage = (url: string, body: string): UnfitAnswer =>
  new UnfitAnswer(
    "person",
    ({ toReach, secret }) => `${url} answered with a web page (${printable(body, secret)}): ${toReach}`,
  );

const STREAMED = new UnfitAnswer(
  "person",
  ({ server }) =>
    `${server} sends a stream of events, although a whole answer was asked for: switch streaming off there, or in a proxy on the way`,
);

const TOO_LONG = new UnfitAnswer(
  "cycle",
  ({ server }) =>
    `${server} sent more than ${LONGEST_REPLY / 1_000_000} MB for one reply: look at its log, and at proxies on the way`,
);

/** A new connection for each request: the server may close an idle one just when the next request is sent. */
function send({ url, method, headers, signal }: Request, body: string, patience: Millis) {
  const open = url.startsWith("https:") ? overHttps : overHttp;
  const options = { method, headers: Object.fromEntries(headers), signal, timeout: patience, agent: false };
  return new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = open(url, options, resolve);
    outgoing.on("timeout", () => outgoing.destroy(new Error("the request timed out")));
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Answers of proxies, routers and web servers. */
const isPage = ({ headers }: IncomingMessage, body: string): boolean =>
  /\bhtml\b/i.test(headers["content-type"] ?? "") || /^\s*<(?:!doctype|html)\b/i.test(body);

/** HTML standard, "Server-sent events"; some servers label them as JSON. */
const isEventStream = ({ headers }: IncomingMessage, body: string): boolean =>
  /\btext\/event-stream\b/i.test(headers["content-type"] ?? "") || /^(?:data|event): ?\S/.test(body);

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A server's address from an environment variable. Throws for anything but plain http and https; the message does not repeat
 * the value, which may contain a password.
 */
export function httpAddress(variable: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(`${variable} is not an address: write it as http://HOST:PORT`);
  if (url.username !== "" || url.password !== "")
    throw new Error(`${variable} contains a user or a password, which fetch refuses to send: leave them out`);
  if (url.search !== "" || url.hash !== "")
    throw new Error(`${variable} has more after the path: leave out the part from ? or # on`);
  return url;
}

/** The address without a slash at the end. */
export const shown = ({ origin, pathname }: URL): string => `${origin}${pathname}`.replace(/\/+$/, "");

/** A server's key from an environment variable; undefined if there is none. */
export function keyIn(variable: string, env: Environment): string | undefined {
  const key = env[variable]?.trim();
  if (key && !/^[\x21-\x7e]+$/.test(key)) throw new Error(`${variable} holds more than a key on one line`);
  return key || undefined;
}
