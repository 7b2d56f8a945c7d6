import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { RUNTIME_FILE } from "../places.js";
import { CommandError } from "./failure.js";

/** In a state folder whose commands go to a runtime on another computer. */
export const JOINED_FILE = "joined.json";

const file = z.strictObject({ url: z.string(), pin: z.string(), token: z.string() });
export type Joined = z.output<typeof file>;

interface Where {
  readonly state: string;
  readonly url?: string;
}

/** Whom commands go to that name no other runtime, while none runs on this folder itself. Throws a CommandError. */
export function joined({ state, url }: Where): Joined | undefined {
  const path = join(state, JOINED_FILE);
  if (url !== undefined || existsSync(join(state, RUNTIME_FILE)) || !existsSync(path)) return undefined;
  try {
    return file.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new CommandError(`${path} cannot be understood: move it away, and join anew`);
  }
}
