import { CommandError } from "./failure.js";
import { assertKnowsToken, httpUrl } from "./remote.js";
import { joined, runtimeUrl, token } from "./state.js";

/** No runtime on this machine could be asked. */
export class NobodyAsked extends CommandError {}

interface Where {
  readonly state: string;
}

/**
 * Asks the runtime on this machine for what it does for nobody elsewhere: codes, links, sessions. Without TLS, so the
 * runtime first proves that it knows the token. Throws a CommandError with the runtime's message,
 * and NobodyAsked where there is none to ask.
 */
export async function askHere<T>(where: Where, method: string, path: string, body?: object): Promise<T> {
  const { url, own } = runtimeHere(where, path);
  const headers = { Authorization: `Bearer ${own}` };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const exchange = assertKnowsToken(url.href, own).then(() => fetch(url, init));
  const answer = await exchange.catch((cause: unknown) => {
    if (cause instanceof CommandError) throw new NobodyAsked(cause.message);
    throw new NobodyAsked(`nothing answers at ${url.origin}: is the runtime running? (${String(cause)})`);
  });
  const said = (await answer.json()) as T & { error?: { message: string } };
  if (answer.ok) return said;
  throw new CommandError(said.error?.message ?? `${url} answered ${answer.status}`);
}

function runtimeHere({ state }: Where, path: string): { readonly url: URL; readonly own: string } {
  const elsewhere = joined({ state });
  if (elsewhere)
    throw new NobodyAsked(
      `commands with ${state} go to ${elsewhere.url}, and a runtime does this on its own machine only: call it there`,
    );
  try {
    return { url: new URL(path, httpUrl(runtimeUrl({ state }))), own: token({ state }) };
  } catch (error) {
    throw error instanceof CommandError ? new NobodyAsked(error.message, error.exitCode) : error;
  }
}
