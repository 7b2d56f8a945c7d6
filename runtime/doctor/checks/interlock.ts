import type { InterlockDevice } from "../../../drivers/devices/interlock/device.js";
import { assertFits, interlockNeeds } from "../../../drivers/devices/interlock/device.js";
import { askInterlock } from "../../../drivers/pi/inspect/interlock.js";
import { boardConfig } from "../../config/board.js";
import type { Config } from "../../configuration.js";
import { type Check, type Finding, failure, ok, skipped } from "../check.js";
import type { Patient } from "../patient.js";

export const interlockChecks = (patient: Patient): Check[] => [
  { name: "interlock", run: () => interlock(patient) },
];

function interlock(patient: Patient): Finding | Promise<Finding> {
  const { config, isHere, runtime } = patient;
  if (!config || config.interlock.via === "none") return skipped("none is configured");
  if (config.interlock.via === "bench") return skipped("simulated on the bench");
  if (!isHere) return skipped("another computer's");
  if (runtime.is === "running" && runtime.overview) return asTheRuntimeSays(runtime.overview.interlock);
  const { port } = config.interlock;
  return patient.alone(() => askedNow(port, config, patient));
}

type View = {
  readonly state: string;
  readonly problem: string | null;
  readonly firmware: number | null;
} | null;

function asTheRuntimeSays(view: View): Finding {
  if (!view) return failure("the runtime runs without one", "sudo systemctl restart tendril");
  if (view.state !== "ok")
    return failure(view.problem ?? view.state, "docs/interlock.md says what each fault wants");
  return ok(`well, firmware ${view.firmware}`);
}

async function askedNow(port: string, config: Config, { clock }: Patient): Promise<Finding> {
  const latest = await askInterlock(port, clock);
  if (!latest) return failure(`nobody answers at ${port}`, "check its power, its cable, and interlock.port");
  return judged(latest, config);
}

/** What an interlock says of itself, measured by what this configuration needs of it. Throws INTERLOCK_LIMITS. */
export function judged({ limits, status }: Latest, config: Config): Finding {
  assertFits(limits, interlockNeeds(boardConfig(config).plants));
  if (status.stopPressed) return failure("its emergency stop is pressed", "let go of it, then tendril clear");
  if (status.faults.length > 0)
    return failure(`a fault is latched: ${status.faults.join("; ")}`, "see to it, then tendril clear");
  return ok(`firmware ${limits.firmware}, protocol ${limits.protocol}, no fault`);
}

type Latest = NonNullable<InterlockDevice["latest"]>;
