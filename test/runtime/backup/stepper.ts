/** A child that dies as by a power cut: stepper STEP backup STATE TO, or stepper STEP restore STATE FILE. STEP "": not at all. */
import { join } from "node:path";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { backUp } from "../../../runtime/backup/back-up.js";
import { restore } from "../../../runtime/backup/restore.js";

const [last = "", job = "", state = "", place = ""] = process.argv.slice(2);
const onStep = (step: string) => {
  if (step === last) process.kill(process.pid, "SIGKILL");
};
const common = { state, config: join(state, "tendril.yaml"), clock: new SimulatedClock(), onStep };
if (job === "backup") await backUp({ ...common, to: place, host: "here", keep: 14, photos: false });
else await restore({ ...common, file: place });
