import { CommandError } from "./failure.js";
import { assertKnowsToken, httpUrl } from "./remote.js";
import { joined, runtimeUrl, token } from "./state.js";

interface Where {
  readonly state: string;
}

/**
 * Asks the runtime on this machine for what it does for nobody elsewhere: codes, links, sessions. Without TLS, so the
 * runtime first proves that it knows the token. Throws a CommandError with the runtime's message.
 */
export async function askHere<T>({ state }: Where, method: string, path: string, body?: object): Promise<T> {
  const elsewhere = joined({ state });
  if (elsewhere)
    throw new CommandError(
      `commands with ${state} go to ${elsewhere.url}, and a runtime does this on its own machine only: call it there`,
    );
  const url = new URL(path, httpUrl(runtimeUrl({ state })));
  const own = token({ state });
  const headers = { Authorization: `Bearer ${own}` };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const exchange = assertKnowsToken(url.href, own).then(() => fetch(url, init));
  const answer = await exchange.catch((cause: unknown) => {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`nothing answers at ${url.origin}: is the runtime running? (${String(cause)})`);
  });
  const said = (await answer.json()) as T & { error?: { message: string } };
  if (answer.ok) return said;
  throw new CommandError(said.error?.message ?? `${url} answered ${answer.status}`);
}
