import { Caretaker } from "./caretaker.js";
import type { Model } from "./model.js";

/** A new provider is one file in this folder and one line here. */
const PROVIDERS: Readonly<Record<string, () => Model>> = {
  caretaker: () => new Caretaker(),
};

export const DEFAULT_MODEL = "caretaker";

/** Throws for a name no provider has. */
export function createModel(name: string): Model {
  const create = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  if (create) return create();
  throw new Error(`there is no model "${name}"; known: ${Object.keys(PROVIDERS).join(", ")}`);
}
