import { defineModule } from "../module.js";
import { BRIDGE_ERRORS, JOB_LOG } from "./job.js";
import { jobs } from "./jobs.js";
import { answerJob, takeJobs } from "./tools.js";

/** Jobs for the bridge, which alone speaks to the Internet (docs/bridge.md). */
export const bridgeModule = defineModule({
  name: "bridge",
  canBeOff: false,
  toolset: "bridge",
  journals: [{ definition: JOB_LOG }],
  errors: BRIDGE_ERRORS,
  parts: [jobs],
  tools: [takeJobs, answerJob],
  overview: {
    view: (house) => {
      const state = house.get(jobs).state();
      return state ? { bridge: state } : {};
    },
  },
  // a disk that refuses must not keep the runtime from caring for plants
  start: (house) => house.get(jobs).settleFormer().catch(house.complain),
});
