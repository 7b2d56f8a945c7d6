import type { Clock } from "../../../drivers/ports.js";
import type { PlantConfig } from "../../config/schema.js";
import type { Remote } from "../remote.js";
import type { CalibrationFile } from "./calibration-file.js";
import type { Terminal } from "./terminal.js";

/** Who is asked, and what is written where. */
export interface Desk {
  readonly terminal: Terminal;
  readonly clock: Pick<Clock, "now" | "monotonic" | "sleep">;
  readonly file: CalibrationFile;
  readonly plant: PlantConfig;
  /** The yes was given beforehand: nobody is asked before the file is written. */
  readonly yes: boolean;
  /** How the runtime is made to read its file anew. */
  readonly restart: string;
}

/** A calibration by the runtime that has the hardware. */
export interface Session extends Desk {
  readonly remote: Remote;
}
