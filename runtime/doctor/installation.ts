import { existsSync } from "node:fs";
import { join } from "node:path";
import { Machine, type RunProgram, runProgram } from "../../drivers/pi/inspect/machine.js";
import type { Clock } from "../../drivers/ports.js";
import { isAlive, messageOf } from "../../drivers/system-error.js";
import { overviewOf, Refused, withRemote } from "../cli/remote.js";
import { announcedIn } from "../cli/state.js";
import { type Config, defaultConfig, loadConfig } from "../configuration.js";
import { ConfigError, TendrilError } from "../errors.js";
import type { Overview } from "../wire/overview.js";
import { type Finding, skipped } from "./check.js";

export interface Installation {
  readonly machine: Machine;
  /** Whether it is this machine, so that hardware and programs can be asked. */
  readonly isHere: boolean;
  readonly clock: Clock;
  readonly run: RunProgram;
  readonly state: string;
  readonly file: string;
  /** Undefined if the file is invalid or missing. */
  readonly config: Config | undefined;
  readonly configProblem: string | undefined;
  readonly runtime: RuntimeState;
  /** Runs `act`, which must not happen beside a runtime; skipped if one uses the state folder. */
  alone(act: () => Promise<Finding>): Promise<Finding>;
}

interface InstallationOptions {
  readonly state: string;
  readonly file: string;
  /** Whether the file was named: then it must exist. */
  readonly isNamed: boolean;
  readonly root: string;
  readonly clock: Clock;
}

export async function openInstallation(options: InstallationOptions): Promise<Installation> {
  const { state, file, isNamed, root, clock } = options;
  const isHere = root === "/";
  const run = isHere ? runProgram : async () => ({ said: "", status: undefined });
  const runtime = await findRuntime(state);
  const alone = (act: () => Promise<Finding>) => whileNoRuntime(state, runtime, act);
  const machine = new Machine(root);
  return { machine, isHere, clock, run, state, file, ...read(file, isNamed), runtime, alone };
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
  "a runtime has the hardware: stop the service first (sudo systemctl stop tendril), then try again";

async function whileNoRuntime(
  state: string,
  runtime: RuntimeState,
  act: () => Promise<Finding>,
): Promise<Finding> {
  if (runtime.is === "running") return skipped(BUSY);
  // a folder that was never locked has never had a runtime, and the doctor makes no files
  if (!existsSync(join(state, "lock.sqlite"))) return act();
  const { lockState } = await import("../store/state-lock.js"); // loads native code, which the rest of the doctor does not need
  try {
    const lock = await lockState(state);
    return await act().finally(() => lock.release());
  } catch (error) {
    if (error instanceof TendrilError && error.code === "STATE_IN_USE") return skipped(BUSY);
    throw error;
  }
}

/** Whether a runtime uses the state folder, by its file and its answers. */
type RuntimeState =
  | { readonly is: "none" }
  /** It ended without removing its file. */
  | { readonly is: "dead"; readonly pid: number }
  | {
      readonly is: "running";
      readonly url: string;
      readonly pid: number;
      /** Undefined if it did not answer; `problem` says why. */
      readonly overview: Overview | undefined;
      readonly problem: string | undefined;
      /** Whether it answered that its disk fails: it may wait for that, and start by itself. */
      readonly hasDiskTrouble: boolean;
    };

async function findRuntime(state: string): Promise<RuntimeState> {
  const announced = announcedIn(state);
  if (!announced) return { is: "none" };
  const { url, pid } = announced;
  if (!isAlive(pid)) return { is: "dead", pid };
  try {
    const overview = await withRemote({ state }, overviewOf);
    return { is: "running", url, pid, overview, problem: undefined, hasDiskTrouble: false };
  } catch (error) {
    const hasDiskTrouble = error instanceof Refused && error.code === "STORE_FAILED";
    return { is: "running", url, pid, overview: undefined, problem: messageOf(error), hasDiskTrouble };
  }
}

/** Whether a runtime is running, without a request to it. */
export function isRuntimeAlive(state: string): boolean {
  const announced = announcedIn(state);
  return announced !== undefined && isAlive(announced.pid);
}
