import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { LONGEST_PROOF, ProofQuestion, pinOf } from "../../runtime/wire/identity.js";
import type { Clock } from "../clock.js";
import { abortAfter } from "../clock.js";
import { secureSocket } from "../trust/secure-socket.js";
import { seconds } from "../units.js";

/** For connecting and answering. A choice: a runtime on the same network needs some milliseconds. */
const PATIENCE = seconds(2);
/** A runtime that knows the token. */
export interface Proven {
  /** The same at every address of one runtime. */
  readonly runtime: string;
  /** The key to trust there; undefined without TLS. */
  readonly pin: string | undefined;
}

/**
 * Whether the runtime at `url` (ws://ADDRESS:PORT/…, wss://…) knows the token; undefined where it does not. Never rejects: who
 * does not answer so, or not in time, does not know it.
 */
export async function provenAt(
  url: string,
  token: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Proven | undefined> {
  const enough = new AbortController();
  const ended = AbortSignal.any([signal, enough.signal]);
  abortAfter(PATIENCE, enough, clock, ended);
  try {
    return await asked(url, new ProofQuestion(token), ended);
  } catch {
    return undefined;
  } finally {
    enough.abort();
  }
}

async function asked(url: string, question: ProofQuestion, signal: AbortSignal): Promise<Proven | undefined> {
  // over TLS too the request is plain: it goes over a connection that is there
  const { text, ...place } = await ask(url, question.at(url.replace(/^wss?/, "http")), signal);
  const runtime = question.runtimeIn(text, place);
  return runtime === undefined ? undefined : { runtime, pin: place.pin };
}

interface Answer {
  readonly text: string;
  readonly address: string;
  readonly port: number;
  readonly pin: string | undefined;
}

async function ask(url: string, question: URL, signal: AbortSignal): Promise<Answer> {
  const secured = url.startsWith("wss:") ? await secureSocket(url, signal) : undefined;
  const { socket, peer } = secured ?? {};
  const pin = peer && pinOf(peer.certificate);
  // agent: false: a connection of its own, closed with the answer
  const connection = socket ? { createConnection: () => socket } : { agent: false };
  try {
    return await new Promise((resolve, reject) => {
      const asked = request(question, { signal, ...connection });
      asked.on("error", reject).on("response", (response) => {
        read(response, asked, (answer) => resolve({ ...answer, pin }));
      });
      asked.end();
    });
  } finally {
    socket?.destroy();
  }
}

function read(
  response: IncomingMessage,
  asked: ClientRequest,
  resolve: (answer: Omit<Answer, "pin">) => void,
): void {
  const { remoteAddress: address = "", remotePort: port = 0 } = response.socket;
  let text = "";
  response.setEncoding("latin1").on("data", (part: string) => {
    text += part;
    if (text.length > LONGEST_PROOF) asked.destroy(new Error("a proof is shorter"));
  });
  response.on("end", () => resolve({ text, address, port }));
}
