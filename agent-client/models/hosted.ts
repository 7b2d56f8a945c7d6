import type { Chosen, Server } from "./ask-server.js";
import { httpAddress, keyIn, shown } from "./http.js";
import type { Wording } from "./model-error.js";

/** A provider's server, or another one with the same API. */
export interface Hosted extends Server {
  readonly baseURL: string;
  /** Undefined: another server, which needs none. */
  readonly key: string | undefined;
}

/** `openai` reads OPENAI_BASE_URL and OPENAI_API_KEY. */
const namesFor = (provider: string) => ({
  address: `${provider.toUpperCase()}_BASE_URL`,
  variable: `${provider.toUpperCase()}_API_KEY`,
});

/** The variables of a hosted provider, for its line in index.ts. */
export function hostedVariables(provider: string) {
  const { address, variable } = namesFor(provider);
  return {
    variables: `${variable}, or ${address} for another such server`,
    secrets: [variable],
  };
}

/**
 * The server that the environment names, else the provider's `own`. Throws, with what to write instead, if it cannot be used.
 */
export function hosted({ provider, model, env }: Chosen, own: string): Hosted {
  const { address, variable } = namesFor(provider);
  const baseURL = shown(httpAddress(address, env[address]?.trim() || own));
  const key = keyIn(variable, env);
  const isOwn = baseURL === own;
  if (!key && isOwn)
    throw new Error(`${variable} is not set: give it a key, or name another server in ${address}`);
  return { baseURL, key, isOwn, wording: wordingOf(baseURL, model, provider, key) };
}

function wordingOf(server: string, model: string, provider: string, secret: string | undefined): Wording {
  const { address, variable } = namesFor(provider);
  const unversioned = /\/v\d/.test(server) ? "" : ", which has no version such as /v1";
  return {
    server,
    toReach: `check ${address} and the network`,
    secret,
    refused(status, said, kind) {
      if (/does not support tools/.test(said)) return `${model} cannot call tools: take one that can`;
      if (kind === "cycle")
        return `the conversation does not fit ${model}'s context (${said}): give its server a longer one, or ask for decisions with --style decide`;
      if (status === 401) return `${server} refuses the key: set ${variable} to one that is valid there`;
      if (status === 404)
        return `${server} has no model "${model}": check the name, and ${address}${unversioned} (${said})`;
      if (status === 429)
        return `${server} takes no more for now: look at your limits and credit there (${said})`;
      return undefined;
    },
  };
}
