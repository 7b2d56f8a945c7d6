import { type IncomingMessage, request } from "node:http";
import { withoutMapping } from "../server/authenticator.js";
import { LONGEST_PROOF, ProofQuestion } from "../wire/identity.js";
import { CommandError } from "./failure.js";

/** Milliseconds without a byte. A choice: a busy runtime answers within a second or two. */
const PATIENCE = 10_000;

/**
 * A runtime that was killed leaves its address behind, and any program may listen there now. So before the token is sent to an
 * address of the state folder, whoever is there shows that it knows the token. Throws a CommandError where it does not.
 */
export async function assertKnowsToken(url: string, token: string): Promise<void> {
  const question = new ProofQuestion(token);
  const { text, address, port } = await ask(question.at(url));
  if (question.runtimeIn(text, { address: withoutMapping(address), port, pin: undefined })) return;
  throw new CommandError(
    `${url} does not know this token, so it was not sent there: if the runtime is gone and another program has its port, start the runtime again; else name its token with --token-file`,
  );
}

interface Answer {
  readonly text: string;
  readonly address: string;
  readonly port: number;
}

/** Over a connection of its own. Rejects where nobody answers as HTTP. */
const ask = (question: URL): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request(question, { agent: false, timeout: PATIENCE });
    asked.on("timeout", () => asked.destroy(new Error("does not answer")));
    asked.on("error", reject).on("response", (response) => void read(response).then(resolve, reject));
    asked.end();
  });

async function read(response: IncomingMessage): Promise<Answer> {
  const { remoteAddress: address = "", remotePort: port = 0 } = response.socket;
  let text = "";
  for await (const part of response.setEncoding("latin1")) {
    text += part;
    if (text.length > LONGEST_PROOF) break; // which ends the connection
  }
  return { text, address, port };
}
