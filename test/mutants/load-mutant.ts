import { readFileSync } from "node:fs";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

/** `node --import` this before tests: one module is loaded as `run.ts` has changed it. */

/** The module's address, and the file with its changed text. */
export const MUTATED = "TENDRIL_MUTATED";
export const MUTANT = "TENDRIL_MUTANT";

interface Loaded {
  readonly format: string;
  readonly source: string;
  readonly shortCircuit?: boolean;
}
type Load = (url: string, context: object) => Promise<Loaded>;

/** Node asks this for each module, in a thread of its own. */
export async function load(url: string, context: object, next: Load): Promise<Loaded> {
  const { [MUTATED]: mutated, [MUTANT]: mutant } = process.env;
  if (url !== mutated || mutant === undefined) return next(url, context);
  return { format: "module", source: readFileSync(mutant, "utf8"), shortCircuit: true };
}

if (isMainThread && process.env[MUTANT] !== undefined) register(import.meta.url);
