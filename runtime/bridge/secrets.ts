import { existsSync, statSync } from "node:fs";
import { z } from "zod";
import { parseYaml, readYaml } from "../wire/yaml-file.js";
import type { Adapter } from "./adapter.js";

/** Wrong use, or a file that cannot work: only a person mends that. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What bridge.yaml says, by the adapters' keys. */
export interface Secrets {
  readonly values: Readonly<Record<string, unknown>>;
  /** What is wrong under a key: that adapter cannot work, the others can. No secret is in it. */
  readonly problems: Readonly<Record<string, string>>;
}

/** Others who may read or write the file. */
const OTHERS = 0o077;

/**
 * Reads bridge.yaml. A file that is not there is an empty one. Throws UsageError for one that others can read, that is no YAML or
 * has a key that nobody knows; what stands in it is never repeated.
 */
export function readSecrets(file: string, adapters: readonly Adapter[], env: NodeJS.ProcessEnv): Secrets {
  const isThere = existsSync(file);
  if (isThere) assertOwn(file, env);
  const read = <T>(schema: z.ZodType<T>): T =>
    isThere ? readYaml(file, schema, complain) : parseYaml("", file, schema, complain);
  read(z.strictObject(Object.fromEntries(adapters.map(({ key }) => [key, z.unknown().optional()]))));
  const values: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const { key, config } of adapters)
    try {
      values[key] = read(z.object({ [key]: config }))[key];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems[key] = error.message;
    }
  return { values, problems };
}

/** systemd gives a service its credentials in a folder that no other user can enter [systemd.exec(5), LoadCredential=]. */
function assertOwn(file: string, { CREDENTIALS_DIRECTORY: folder }: NodeJS.ProcessEnv): void {
  const isCredential = folder !== undefined && file.startsWith(`${folder}/`);
  if (isCredential || (statSync(file).mode & OTHERS) === 0) return;
  throw new UsageError(`${file} is open to other users: chmod 600 ${file}`);
}

/** The places of the mistakes and what is wrong, without the values: they are secrets. */
const complain = (problems: readonly string[]): UsageError => new UsageError(problems.map(bare).join("\n"));

const bare = (problem: string): string =>
  problem
    .replace(/\n[\s\S]*/, "")
    .replace(/ \(got [\s\S]*\)$/, "")
    .replaceAll(/\S*(?::\/\/|%3A%2F%2F)\S{4,}/gi, "…");

/** Shorter ones would remove ordinary words. A choice. */
const SHORTEST = 8;
const REMOVED = "[removed]";

/** Removes secrets from a text, also as they stand in JSON. */
export class Redactor {
  private readonly secrets: readonly string[];

  constructor(secrets: readonly string[]) {
    const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
    // the longest first: a part of a secret must not hide the whole
    this.secrets = [...new Set(forms)]
      .filter(({ length }) => length >= SHORTEST)
      .sort((a, b) => b.length - a.length);
  }

  clean(text: string): string {
    return this.secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, REMOVED), text);
  }
}
