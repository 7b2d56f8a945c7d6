import { SystemClock } from "../../../drivers/clock/system-clock.js";
import type { Places } from "../../places.js";
import { wrongUse } from "../failure.js";
import { switchOff, withRemote } from "../remote.js";
import { type Address, placesInUse, runtimeUrl } from "../state.js";
import { atTerminal } from "../terminal.js";
import type { CalibrationContext } from "./calibration.js";
import { CalibrationFile, restartCommand } from "./calibration.js";
import { calibrateMoisture, writeEnds } from "./moisture.js";
import { calibratePump, writeFlow } from "./pump.js";

type CalibrateOptions = Address & Places & { readonly yes?: boolean };

interface MoistureOptions extends CalibrateOptions {
  readonly dry?: number;
  readonly wet?: number;
}

interface PumpOptions extends CalibrateOptions {
  readonly ml: number;
  readonly flow?: number;
}

export const moisture = (plant: string | undefined, options: MoistureOptions): Promise<void> =>
  withContext(plant, options, (context) => {
    const { dry, wet } = options;
    if (dry !== undefined && wet !== undefined) return writeEnds(context, { dry, wet });
    if (dry !== undefined || wet !== undefined)
      throw wrongUse("--dry and --wet go together: give both, or none to measure them");
    return withRemote(options, (remote) => calibrateMoisture({ ...context, remote }));
  });

export const pump = (plant: string | undefined, options: PumpOptions): Promise<void> =>
  withContext(plant, options, (context) => {
    const { flow, ml } = options;
    if (flow !== undefined) return writeFlow(context, flow);
    const off = () => switchOff(runtimeUrl(options));
    return withRemote(options, (remote) => calibratePump({ ...context, remote, ml, switchOff: off }));
  });

/** Opens the file first: without permission to write it, the person need not fetch a glass of water. */
async function withContext(
  named: string | undefined,
  options: CalibrateOptions,
  calibrate: (context: CalibrationContext) => Promise<void>,
): Promise<void> {
  const file = await CalibrationFile.open(placesInUse(options));
  const { yes = false } = options;
  const restart = restartCommand(options);
  return atTerminal(async (terminal) =>
    calibrate({ terminal, clock: new SystemClock(), file, plant: file.plant(named), yes, restart }),
  );
}
