import { type Environment, httpAddress, keyIn, shown } from "./http.js";
import type { Wording } from "./model-error.js";

/** A provider's server, or another one with the same API. */
export interface Hosted {
  readonly baseURL: string;
  /** Undefined: another server, which needs none. */
  readonly key: string | undefined;
  /** Whether it is the provider's own server. */
  readonly isOwn: boolean;
  readonly wording: Wording;
}

interface Provider {
  /** `OPENAI` reads OPENAI_BASE_URL and OPENAI_API_KEY. */
  readonly prefix: string;
  /** Its own server. */
  readonly baseURL: string;
}

const namesFor = (prefix: string) => ({ address: `${prefix}_BASE_URL`, variable: `${prefix}_API_KEY` });

/** The variables of a hosted provider, for its line in index.ts. */
export function hostedVariables(prefix: string) {
  const { address, variable } = namesFor(prefix);
  return {
    variables: `${variable}, or ${address} for another such server`,
    secrets: [variable],
  };
}

/** The server that the environment names. Throws, with what to write instead, if it cannot be used. */
export function hosted(provider: Provider, model: string, env: Environment): Hosted {
  const { address, variable } = namesFor(provider.prefix);
  const baseURL = shown(httpAddress(address, env[address]?.trim() || provider.baseURL));
  const key = keyIn(variable, env);
  const isOwn = baseURL === provider.baseURL;
  if (!key && isOwn)
    throw new Error(`${variable} is not set: give it a key, or name another server in ${address}`);
  return { baseURL, key, isOwn, wording: wordingOf(baseURL, model, provider.prefix, key) };
}

function wordingOf(server: string, model: string, prefix: string, secret: string | undefined): Wording {
  const { address, variable } = namesFor(prefix);
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
        return `${server} has no model "${model}": check the name, and ${address} (${said})`;
      if (status === 429)
        return `${server} takes no more for now: look at your limits and credit there (${said})`;
      return undefined;
    },
  };
}
