import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RUNTIME_FILE } from "../state-files.js";
import { CommandError } from "./failure.js";

/** Where state lives unless --state says otherwise. */
export const defaultState = (): string => resolve(process.env.TENDRIL_STATE ?? ".tendril");

export interface Address {
  readonly state: string;
  readonly url?: string;
  readonly tokenFile?: string;
}

/** The URL of the running runtime: as given, else from the state folder. */
export function runtimeUrl({ state, url }: Address): string {
  if (url !== undefined) return url;
  const file = join(state, RUNTIME_FILE);
  if (!existsSync(file))
    throw new CommandError(
      `no runtime is running on ${state}: start one with "tendril serve --bench", or name it with --url`,
    );
  return (JSON.parse(readFileSync(file, "utf8")) as { url: string }).url;
}

/** The token as given, else the person's own from the state folder. */
export function token({ state, tokenFile = join(state, "tokens", "human") }: Address): string {
  try {
    return readFileSync(tokenFile, "utf8").trim();
  } catch (error) {
    throw new CommandError(
      `${tokenFile} cannot be read (${(error as NodeJS.ErrnoException).code}): name a token with --token-file`,
    );
  }
}
