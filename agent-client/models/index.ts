import { REPLY_TOKENS } from "../prompts/prompt.js";
import { type Chosen, hostedVariables } from "./ask-server.js";
import { Caretaker } from "./caretaker.js";
import type { Environment } from "./http.js";
import type { Model, Traits } from "./model.js";
import { OllamaModel } from "./ollama.js";
import { OpenAiModel } from "./openai.js";

interface Provider {
  /** The name of one of its models, if it has several. */
  readonly example?: string;
  /** Its variables of the environment, in words for the help text. */
  readonly variables?: string;
  /** Those that hold secrets: no log may have their values. */
  readonly secrets?: readonly string[];
  /** Which of its models see pictures without --vision, in words for the help text. Undefined: none. */
  readonly sees?: string;
  create(chosen: Chosen): Model;
}

/** A new provider is a file in this folder and a line here, by one word of letters. CONTRIBUTING.md says who else names it. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  caretaker: { create: () => new Caretaker() },
  ollama: {
    example: "qwen3",
    variables: "OLLAMA_HOST, by default 127.0.0.1:11434",
    sees: "a vision model in Ollama",
    create: (chosen) => new OllamaModel(chosen),
  },
  openai: {
    example: "gpt-4.1-mini",
    ...hostedVariables("openai"),
    create: (chosen) => new OpenAiModel(chosen),
  },
};

export const DEFAULT_MODEL = "caretaker";

/** Names of models: `caretaker`, `ollama:NAME` and so on. */
export const MODEL_NAMES: readonly string[] = Object.entries(PROVIDERS).map(([provider, { example }]) =>
  example === undefined ? provider : `${provider}:NAME`,
);

/** Lines of help: which variables each provider reads. */
export const ENVIRONMENT: readonly string[] = Object.entries(PROVIDERS).flatMap(
  ([provider, { variables }]) => (variables === undefined ? [] : `${provider}:NAME  ${variables}`),
);

/** Who sees pictures without --vision. */
export const SEEING: readonly string[] = Object.values(PROVIDERS).flatMap(({ sees }) => sees ?? []);

export const secretsIn = (env: Environment): readonly string[] =>
  Object.values(PROVIDERS).flatMap(({ secrets = [] }) => secrets.flatMap((name) => env[name] ?? []));

/**
 * `name` is one of MODEL_NAMES. Reads the provider's variables in `env`, and opens no connection. Throws, with what to write
 * instead, for an unknown name or an unusable variable.
 */
export function createModel(name: string, env: Environment, traits: Traits = {}): Model {
  const { sees, replyTokens = REPLY_TOKENS } = traits;
  const [, key = "", model] = /^([^:]*)(?::(.*))?$/s.exec(name) ?? [];
  const provider = Object.hasOwn(PROVIDERS, key) ? PROVIDERS[key] : undefined;
  if (!provider) throw new Error(`there is no model "${name}"; known: ${MODEL_NAMES.join(", ")}`);
  const { example } = provider;
  if (example === undefined && model !== undefined) throw new Error(`${key} has no variants: write ${key}`);
  if (example !== undefined && !model?.trim())
    throw new Error(`"${name}" does not say which model: write ${key}:NAME, such as ${key}:${example}`);
  return provider.create({ name, provider: key, model: model ?? "", env, sees, replyTokens });
}
