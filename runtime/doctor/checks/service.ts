import { type Check, type Finding, failure, ok, skipped, warning } from "../check.js";
import type { Patient } from "../patient.js";
import { unit } from "./unit.js";

export const serviceChecks = (patient: Patient): Check[] => [
  { name: "service", run: () => service(patient) },
];

const PROPERTIES = ["UnitFileState", "ActiveState", "ActiveEnterTimestamp", "NRestarts", "Result"];

async function service({ run }: Patient): Promise<Finding> {
  const is = await unit(run, "tendril.service", PROPERTIES);
  return is ? unitFinding(is) : skipped("tendril.service is not installed here");
}

function unitFinding(is: ReadonlyMap<string, string>): Finding {
  const state = is.get("ActiveState");
  if (state === "failed") {
    const mend =
      "journalctl -u tendril -p err; then sudo systemctl reset-failed tendril && sudo systemctl start tendril";
    return failure(`tendril.service was given up (${is.get("Result")})`, mend);
  }
  if (is.get("UnitFileState") !== "enabled")
    return warning("tendril.service does not start with the Pi", "sudo systemctl enable --now tendril");
  if (state !== "active") return warning(`tendril.service is ${state}`, "sudo systemctl start tendril");
  const restarts = Number(is.get("NRestarts") ?? 0);
  const since = `tendril.service is active since ${is.get("ActiveEnterTimestamp")}`;
  if (restarts === 0) return ok(since);
  return warning(`${since}, after ${restarts} restarts`, "journalctl -u tendril -p err says why");
}
