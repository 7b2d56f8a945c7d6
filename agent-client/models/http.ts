import { type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { type Millis, minutes } from "../units.js";
import { EventStream, TooLong, WebPage } from "./model-error.js";

/** Silence that ends a request, for who sets no bound of his own. A choice: as long as it is from one cycle to the next by default. */
export const PATIENCE: Millis = minutes(30);

/** Bytes of one reply. A choice: some hundred times what a model says, and a Pi of 512 MB holds it. */
export const LONGEST_REPLY = 8_000_000;

/**
 * A fetch for servers that think long before they say a word. Node's own gives up after five minutes without a first
 * byte (undici, headersTimeout), and a small computer needs longer to read tools and a prompt. Sends and receives
 * whole texts, of no more than LONGEST_REPLY; follows no redirect, so that a key goes nowhere but to the address it was given for.
 */
export const fetchSlowly =
  (patience: Millis): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const answer = await send(request, await request.text(), patience);
    const body = await bodyOf(answer);
    if (answer.statusCode === 200 && isPage(answer, body)) throw new WebPage(request.url, body);
    if (isEventStream(answer, body)) throw new EventStream();
    return new Response(body || null, { status: answer.statusCode ?? 0, headers: headersOf(answer) });
  };

async function bodyOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LONGEST_REPLY) throw new TooLong(LONGEST_REPLY); // which also closes the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** A connection each: one kept open may be closed by the server just as the next request goes out. */
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

/** What proxies, routers and web servers say that know nothing of models. */
const isPage = ({ headers }: IncomingMessage, body: string): boolean =>
  /\bhtml\b/i.test(headers["content-type"] ?? "") || /^\s*<(?:!doctype|html)\b/i.test(body);

/** The HTML standard, "Server-sent events"; some servers send one as JSON. */
const isEventStream = ({ headers }: IncomingMessage, body: string): boolean =>
  /\btext\/event-stream\b/i.test(headers["content-type"] ?? "") || /^(?:data|event): ?\S/.test(body);

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A server's address as a person gave it in an environment variable. Throws for anything but plain http and https;
 * the value is not repeated, since it may hold a password.
 */
export function httpAddress(variable: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(`${variable} is no address: write it as http://HOST:PORT`);
  if (url.username !== "" || url.password !== "")
    throw new Error(`${variable} holds a user or a password, which fetch refuses to send: leave them out`);
  if (url.search !== "" || url.hash !== "")
    throw new Error(`${variable} goes on after the path: leave out what begins with ? or #`);
  return url;
}

/** Without the slash that a request's path brings along. */
export const shown = ({ origin, pathname }: URL): string => `${origin}${pathname}`.replace(/\/+$/, "");
