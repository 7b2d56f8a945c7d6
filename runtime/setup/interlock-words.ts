import { askInterlock } from "../../drivers/pi/inspect/interlock.js";
import type { Clock } from "../../drivers/ports.js";

/** Who is at a serial port, in a sentence. */
export async function interlockInWords(port: string, clock: Clock): Promise<string> {
  try {
    const latest = await askInterlock(port, clock);
    if (!latest) return `nobody answers at ${port} in the interlock's protocol`;
    const { firmware, protocol } = latest.limits;
    return `an interlock answers: firmware ${firmware}, protocol ${protocol}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
