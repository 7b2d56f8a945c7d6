import type { Cancel, Clock } from "../../drivers/ports.js";
import { messageOf } from "../../drivers/system-error.js";
import { hours, minutes } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import { runCommand } from "../own-program.js";
import type { Doctor } from "../tools/host.js";
import { type DoctorFinding, type DoctorReport, doctorReport } from "../wire/owner-page.js";

/** A choice: all checks of a Pi with a slow card and a bridge that does not answer. */
const LONGEST = minutes(3);

/**
 * `tendril doctor` beside the running runtime, as its user and at the lowest priority: it reads every journal, which must not hold up
 * a dose. Beside a runtime its checks ask no hardware, since a second program on the bus or at the camera disturbs the first.
 */
export class DoctorProgram implements Doctor {
  private looking: Promise<DoctorReport> | undefined;

  constructor(
    private readonly state: string,
    /** Undefined: where the program looks by itself. */
    private readonly configFile: string | undefined,
  ) {}

  look(): Promise<DoctorReport> {
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async lookOnce(): Promise<DoctorReport> {
    const file = this.configFile === undefined ? [] : ["--config", this.configFile];
    const args = ["doctor", "--json", "--state", this.state, ...file];
    // it ends with 1 where something has to be mended
    const { stdout, trouble } = await runCommand(args, LONGEST);
    try {
      return doctorReport.parse(JSON.parse(stdout));
    } catch (cause) {
      throw new TendrilError("DOCTOR_FAILED", trouble, { cause });
    }
  }
}

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
