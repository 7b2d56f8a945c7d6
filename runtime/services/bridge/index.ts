import { z } from "zod";
import { seconds } from "../../../drivers/units.js";
import { invalidArgument } from "../../errors.js";
import { acts, defineTool, FOR_BRIDGE } from "../../tools/tool.js";
import { answeredJob, bridgeRun, LONGEST_FAILURE, LONGEST_WAIT, takenJobs } from "../../wire/bridge.js";
import { defineModule } from "../module.js";
import { BRIDGE_ERRORS, JOB_LOG, jobAnswer } from "./job.js";
import { jobs } from "./jobs.js";

const run = bridgeRun.describe("names this run of the bridge; another one is refused while it takes jobs");

const takeJobs = defineTool({
  name: "take_jobs",
  service: jobs,
  description: "Take the jobs for the bridge, or wait for one. Ask again at once: a silent bridge is away.",
  facts: acts("Take jobs"),
  ...FOR_BRIDGE,
  input: z.strictObject({
    bridge: run,
    version: z.string().min(1).max(40).describe("of the bridge, for people"),
    problems: z
      .array(z.string().min(1).max(LONGEST_FAILURE))
      .max(20)
      .optional()
      .describe("what is wrong in its own file, for people"),
    wait_s: z.number().min(0).max(LONGEST_WAIT).default(LONGEST_WAIT),
    leaving: z.boolean().default(false).describe("true: it takes no more jobs, another bridge may"),
  }),
  output: takenJobs,
  run: async ({ bridge, version, problems, wait_s, leaving }, { service, call }) => {
    const caller = { token: call.identity.name, run: bridge, version, problems };
    const { asks } = service;
    if (!leaving)
      return { jobs: await service.take(caller, seconds(wait_s), call.signal()), asks: [...asks] };
    service.leave(caller);
    return { jobs: [], asks: [...asks] };
  },
});

const answerJob = defineTool({
  name: "answer_job",
  service: jobs,
  description: "Say what became of a job that this run of the bridge took.",
  facts: acts("Answer a job"),
  ...FOR_BRIDGE,
  input: z.strictObject({ bridge: run, ...jobAnswer }),
  output: answeredJob,
  run: async ({ bridge, ...answer }, { service, call }) => {
    if ((answer.outcome === "done") !== (answer.result !== undefined))
      throw invalidArgument("answer_job: `result` belongs to the outcome done");
    await service.answer({ token: call.identity.name, run: bridge }, answer);
    return { job_id: answer.job_id, accepted: true as const };
  },
});

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
