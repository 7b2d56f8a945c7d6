import { existsSync } from "node:fs";
import { join } from "node:path";
import { Machine } from "../../drivers/pi/inspect/machine.js";
import { type RunProgram, runProgram } from "../../drivers/pi/inspect/run-program.js";
import type { Clock } from "../../drivers/ports.js";
import { type Config, defaultConfig, loadConfig } from "../configuration.js";
import { ConfigError, TendrilError } from "../errors.js";
import { type Finding, skipped } from "./check.js";
import { findRuntime, type RuntimeState } from "./runtime-state.js";

/** The installation that a doctor looks at. */
export interface Patient {
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

export interface PatientOptions {
  readonly state: string;
  readonly file: string;
  /** Whether somebody has named the file: then it must be there. */
  readonly isNamed: boolean;
  readonly root: string;
  readonly clock: Clock;
}

export async function openPatient({ state, file, isNamed, root, clock }: PatientOptions): Promise<Patient> {
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

function read(file: string, isNamed: boolean): Pick<Patient, "config" | "configProblem"> {
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
