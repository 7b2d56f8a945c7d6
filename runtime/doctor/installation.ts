import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Machine, type RunProgram, runProgram } from "../../drivers/pi/inspect/machine.js";
import type { Clock } from "../../drivers/ports.js";
import { hasCode, messageOf } from "../../drivers/system-error.js";
import { overviewOf, withRemote } from "../cli/remote.js";
import { type Config, defaultConfig, loadConfig } from "../configuration.js";
import { ConfigError, TendrilError } from "../errors.js";
import { RUNTIME_FILE } from "../places.js";
import type { Overview } from "../wire/overview.js";
import { type Finding, skipped } from "./check.js";

/** The installation that a doctor looks at. */
export interface Installation {
  readonly machine: Machine;
  /** Whether the machine is this one, so that its hardware and programs can be asked. */
  readonly isHere: boolean;
  readonly clock: Clock;
  readonly run: RunProgram;
  readonly state: string;
  readonly file: string;
  /** Undefined where there is no file, or a wrong one. */
  readonly config: Config | undefined;
  /** What is wrong with the file. */
  readonly configProblem: string | undefined;
  readonly runtime: RuntimeState;
  /** Does something that no runtime may do at the same time; skipped where one has the state folder. */
  alone(act: () => Promise<Finding>): Promise<Finding>;
}

export interface InstallationOptions {
  readonly state: string;
  readonly file: string;
  /** Whether somebody has named the file: then it must be there. */
  readonly isNamed: boolean;
  readonly root: string;
  readonly clock: Clock;
}

export async function openInstallation({
  state,
  file,
  isNamed,
  root,
  clock,
}: InstallationOptions): Promise<Installation> {
  const isHere = root === "/";
  const run = isHere ? runProgram : async () => ({ said: "", status: undefined });
  const runtime = await findRuntime(state);
  const alone = (act: () => Promise<Finding>) => whileNoRuntime(state, runtime, act);
  return {
    machine: new Machine(root),
    isHere,
    clock,
    run,
    state,
    file,
    ...read(file, isNamed),
    runtime,
    alone,
  };
}

function read(file: string, isNamed: boolean): Pick<Installation, "config" | "configProblem"> {
  if (!isNamed && !existsSync(file)) return { config: defaultConfig(), configProblem: undefined };
  try {
    return { config: loadConfig(file), configProblem: undefined };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: undefined, configProblem: error.problems.join("; ") };
  }
}

const BUSY =
  "a runtime has the hardware: stop the service first (sudo systemctl stop tendril), then ask again";

async function whileNoRuntime(
  state: string,
  runtime: RuntimeState,
  act: () => Promise<Finding>,
): Promise<Finding> {
  if (runtime.is === "running") return skipped(BUSY);
  // a folder that was never locked has never had a runtime, and this makes no file in it
  if (!existsSync(join(state, "lock.sqlite"))) return act();
  const { lockState } = await import("../store/state-lock.js"); // native: a doctor must run without it
  try {
    const lock = await lockState(state);
    return await act().finally(() => lock.release());
  } catch (error) {
    if (error instanceof TendrilError && error.code === "STATE_IN_USE") return skipped(BUSY);
    throw error;
  }
}

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
    const problem = messageOf(error);
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
