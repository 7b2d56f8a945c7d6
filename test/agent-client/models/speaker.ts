import type { Test } from "tap";
import type { Environment } from "../../../agent-client/models/http.js";
import { createModel } from "../../../agent-client/models/index.js";
import type { AskOptions, Message, Reply, Traits, Usage } from "../../../agent-client/models/model.js";
import { never, OPENING, TOOLS } from "./conversations.js";
import type { Answering, FakeServer, Json } from "./fake-server.js";

/** What a model says, before its server puts it into its own format. */
export interface Saying {
  readonly content?: string;
  readonly thinking?: string;
  readonly calls?: readonly {
    /** Undefined: a faulty call. */
    readonly name?: string;
    readonly arguments?: unknown;
    readonly id?: string;
  }[];
  /** The reply ended at a limit. */
  readonly cut?: boolean;
  /** So many of the tokens read came from the server's cache. Undefined: as in `usage` of the Speaker. */
  readonly cached?: number;
}

/** A message that the server was sent; pictures have one of their own. */
export interface Heard {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  /** Of the tool that answers. */
  readonly tool?: string | undefined;
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
  /** In base64. */
  readonly pictures?: readonly string[];
}

/** A request to the server. */
export interface Told {
  readonly messages: readonly Heard[];
  /** Names of the tools that are offered. */
  readonly tools: readonly string[];
  readonly temperature?: unknown;
  readonly seed?: unknown;
  /** Most tokens of the reply. */
  readonly limit?: unknown;
  /** In our form; `maxLength` may be missing. */
  readonly schema?: unknown;
}

/** The format of one provider: what its server says and is told. It is a fake one, which refuses what the real one refuses. */
export interface Speaker {
  /** As in `--model PROVIDER:NAME`. */
  readonly provider: string;
  /** The variable with the address, if it is not PROVIDER_BASE_URL. */
  readonly address?: string;
  /** The key that its server wants in PROVIDER_API_KEY. Undefined: it has none. */
  readonly key?: string;
  serve(t: Test, script: Answering): { readonly server: FakeServer; readonly url: Promise<string> };
  says(saying: Saying): Answering;
  /** Tokens that it counts in each reply, as the program reads them. With `cached` only if its API always tells it. */
  readonly usage: Usage;
  /** False: its API does not tell cached tokens. */
  readonly caches?: boolean;
  /** False: its API has no seed. */
  readonly seeds?: boolean;
  /** An error in its own form. */
  refuses(status: number, words: string): Answering;
  /** How it says that it has no model "small", and what a person is told to do. */
  readonly missing: { readonly answer: Answering; readonly advice: RegExp };
  /** How it says that it cannot keep to a schema. Undefined: its API has no field for one. */
  readonly refusesSchema?: readonly Answering[];
  hears(body: Json): Told;
}

type Named = Pick<Speaker, "provider" | "address">;

/** Its variables of the environment. */
export const namesOf = ({ provider, address }: Named) => ({
  address: address ?? `${provider.toUpperCase()}_BASE_URL`,
  variable: `${provider.toUpperCase()}_API_KEY`,
});

/** The environment with its key, and with this address. */
export function environmentOf(speaker: Speaker, url?: string): Environment {
  const { address, variable } = namesOf(speaker);
  return { ...(url !== undefined && { [address]: url }), ...(speaker.key && { [variable]: speaker.key }) };
}

export type Asking = ReturnType<typeof askingBy>;

/** The provider's model "small", its server, and how to ask it. */
export const askingBy =
  (speaker: Speaker) =>
  async (t: Test, script: Answering, traits: Traits = {}) => {
    const { server, url } = speaker.serve(t, script);
    const env = environmentOf(speaker, await url);
    const model = createModel(`${speaker.provider}:small`, env, traits);
    return {
      env,
      server,
      model,
      ask: (conversation: readonly Message[] = OPENING, options?: AskOptions): Promise<Reply> =>
        model.respond(conversation, TOOLS, never, options),
      /** The requests, in order. */
      told: () => server.asked.map((body) => speaker.hears(body)),
    };
  };
