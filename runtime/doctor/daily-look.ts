import type { Cancel, Clock } from "../../drivers/ports.js";
import { messageOf } from "../../drivers/system-error.js";
import { hours } from "../../drivers/units.js";
import type { Log } from "../log.js";
import type { Doctor } from "../tools/host.js";
import type { DoctorFinding } from "../wire/owner-page.js";

/** Choices: when a start is over and agents have had time to come, and then as often as backups are made. */
const FIRST_LOOK = hours(1);
const BETWEEN_LOOKS = hours(24);

/** Told as soon as they are a warning: nobody misses a backup before the card has died. */
const BACKUPS = ["backups", "backup timer"];
/** The runtime's warnings have these already. */
const KNOWN = ["runtime", "disk space"];

interface Parts {
  readonly doctor: Doctor;
  /** Real time. */
  readonly clock: Pick<Clock, "after">;
  /** The runtime's own warnings, to which the findings are added. */
  readonly warnings: string[];
  readonly log: Log;
}

/**
 * Looks once a day as `tendril doctor` does, and puts among the runtime's warnings what has failed. Nobody calls the doctor
 * while all seems well: a backup that fails every night, or an agent that systemd has given up, is noticed by nobody.
 */
export function lookDaily({ doctor, clock, warnings, log }: Parts): Cancel {
  let told: readonly string[] = [];
  let isOver = false;
  let cancel: Cancel = () => undefined;
  const look = async () => {
    try {
      const { checks } = await doctor.look();
      const found = checks.filter(isBad).map(warningOf);
      for (const each of found) if (!told.includes(each)) log("warn", each);
      warnings.splice(0, warnings.length, ...warnings.filter((each) => !told.includes(each)), ...found);
      told = found;
    } catch (error) {
      log("warn", `the daily look of the doctor failed: ${messageOf(error)}`);
    }
    if (!isOver) cancel = clock.after(BETWEEN_LOOKS, () => void look());
  };
  cancel = clock.after(FIRST_LOOK, () => void look());
  return () => {
    isOver = true;
    cancel();
  };
}

const isBad = ({ name, verdict }: DoctorFinding): boolean =>
  !KNOWN.includes(name) && (verdict === "failure" || (verdict === "warning" && BACKUPS.includes(name)));

const warningOf = ({ name, found, mend }: DoctorFinding): string =>
  `${name}: ${found}${mend === undefined ? "" : `; ${mend}`} (tendril doctor)`;
