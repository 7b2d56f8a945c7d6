import { SystemClock } from "../agent-client/clock.js";
import { connect, type Runtime } from "../agent-client/link/runtime.js";

type Options = Parameters<typeof connect>[0];

/** The agent's own client, without patience: a link that breaks stays broken, and the caller gets no answer. */
export const connectOnce = (options: Pick<Options, "url" | "token"> & Partial<Options>): Promise<Runtime> =>
  connect({
    signal: new AbortController().signal,
    clock: new SystemClock(),
    random: () => 0,
    patience: { toConnect: 0, toReconnect: 0 },
    onWait: () => undefined,
    ...options,
  });

/** A client of a runtime's process, with one of its tokens. */
export const connectTo = async (
  runtime: { readonly url: string; token(name: string): Promise<string> },
  token: string,
): Promise<Runtime> => connectOnce({ url: runtime.url, token: await runtime.token(token) });
