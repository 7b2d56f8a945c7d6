import { ProofQuestion } from "../wire/proof.js";
import { CommandError } from "./failure.js";

/** Milliseconds without a byte. A choice: a busy runtime answers within a second or two. */
const TIMEOUT = 10_000;

/**
 * A runtime that was killed leaves its address behind, and any program may listen there now. So before the token is sent to an
 * address of the state folder, whoever is there shows that it knows the token. Throws a CommandError where it does not.
 */
export async function assertKnowsToken(url: string, token: string): Promise<void> {
  if ((await new ProofQuestion(token).ask(url, { timeout: TIMEOUT })) !== undefined) return;
  throw new CommandError(
    `${url} does not know this token, so it was not sent there: if the runtime is gone and another program has its port, start the runtime again; else name its token with --token-file`,
  );
}
