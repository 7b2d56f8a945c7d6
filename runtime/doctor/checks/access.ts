import { accessSync, constants } from "node:fs";
import { userInfo } from "node:os";
import { groupsOf } from "../../../drivers/pi/inspect/system.js";
import { type Check, type Finding, failure, ok, skipped, warning } from "../check.js";
import { devicesOf, groupsFor } from "../devices.js";
import type { Patient } from "../patient.js";

export const accessChecks = (patient: Patient): Check[] => [
  { name: "user and groups", run: () => groups(patient) },
  { name: "devices", run: () => devices(patient) },
];

function groups({ machine, isHere, config }: Patient): Finding {
  if (config?.board !== "pi") return skipped("no device is needed on the bench");
  if (!isHere) return skipped("another computer's");
  const { username } = userInfo();
  if (username === "root")
    return warning(
      "this is root, who may do everything: it says nothing of the service's user",
      "sudo -u tendril tendril doctor",
    );
  const has = groupsOf(machine, username);
  const wanted = groupsFor(config, machine);
  const missing = wanted.filter((group) => !has.includes(group));
  if (missing.length === 0) return ok(`${username} is in ${wanted.join(", ")}`);
  const mend = `sudo usermod -aG ${missing.join(",")} ${username}, then log in anew`;
  return failure(`${username} is not in ${missing.join(", ")}`, mend);
}

function devices({ machine, config }: Patient): Finding {
  if (config?.board !== "pi") return skipped("none is needed on the bench");
  const wanted = devicesOf(config, machine);
  const missing = wanted.filter(({ file }) => !machine.has(file)).map(({ file }) => file);
  if (missing.length > 0)
    return failure(
      `${missing.join(", ")}: not there`,
      'see "config.txt" and the relays below; after a change there, reboot',
    );
  const closed = wanted.filter(({ file }) => !isOpen(machine.path(file)));
  if (closed.length === 0) return ok(wanted.map(({ file }) => file).join(", "));
  const found = `${closed.map(({ file }) => file).join(", ")}: may not be used`;
  return failure(
    found,
    `join the group ${closed[0]?.group}; the udev rule 60-tendril.rules gives LEDs to gpio`,
  );
}

function isOpen(file: string): boolean {
  try {
    accessSync(file, file.endsWith("/export") ? constants.W_OK : constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
