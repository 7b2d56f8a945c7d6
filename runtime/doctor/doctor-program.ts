import { minutes } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";
import { runCommand } from "../own-program.js";
import type { Doctor } from "../tools/host.js";
import { type DoctorReport, doctorReport } from "../wire/owner-page.js";

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
