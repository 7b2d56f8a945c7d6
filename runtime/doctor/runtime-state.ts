import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../drivers/system-error.js";
import { overviewOf, withRemote } from "../cli/remote.js";
import { RUNTIME_FILE } from "../places.js";
import type { Overview } from "../wire/overview.js";

/** Whether a runtime has the state folder, as far as its own file and its own answers tell. */
export type RuntimeState =
  | { readonly is: "none" }
  /** It has gone without taking its file away. */
  | { readonly is: "dead"; readonly pid: number }
  | {
      readonly is: "running";
      readonly url: string;
      readonly pid: number;
      /** Undefined where it did not answer; then `problem` says why. */
      readonly overview: Overview | undefined;
      readonly problem: string | undefined;
    };

export async function findRuntime(state: string): Promise<RuntimeState> {
  const announced = announcement(join(state, RUNTIME_FILE));
  if (!announced) return { is: "none" };
  const { url, pid } = announced;
  if (!isAlive(pid)) return { is: "dead", pid };
  try {
    const overview = await withRemote({ state }, overviewOf);
    return { is: "running", url, pid, overview, problem: undefined };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { is: "running", url, pid, overview: undefined, problem };
  }
}

/** Whether one runs, without asking it. */
export function isRuntimeAlive(state: string): boolean {
  const announced = announcement(join(state, RUNTIME_FILE));
  return announced !== undefined && isAlive(announced.pid);
}

/** Undefined where there is none, or half of one, which no runtime writes. */
function announcement(file: string): { url: string; pid: number } | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { url: string; pid: number };
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM"); // another user's
  }
}
