import type { z } from "zod";
import { callArguments, catalogArguments, historyArguments, statesArguments } from "../../wire/home.js";
import { defineAdapter, JobFailure, type JobHandler, type JobResult } from "../adapter.js";
import { homeConfig, homeSecrets } from "./address.js";
import type { Home } from "./home.js";

/** Home Assistant: `home:` in bridge.yaml has its address and tokens. Without that it costs nothing. */
export const homeAdapter = defineAdapter({
  name: "home",
  key: "home",
  config: homeConfig,
  secrets: homeSecrets,
  open: (config, context) => {
    const home = config && import("./home.js").then(({ Home }) => new Home(config, context));
    home?.catch(() => undefined); // each job says it

    const job =
      <Schema extends z.ZodType>(
        schema: Schema,
        work: (home: Home, args: z.output<Schema>, signal: AbortSignal) => Promise<JobResult>,
      ): JobHandler =>
      async (args, signal) => {
        if (!home) throw new JobFailure("NOT_CONFIGURED", "the bridge's file has no `home`: docs/bridge.md");
        const read = schema.safeParse(args);
        if (!read.success) throw new JobFailure("NOT_UNDERSTOOD", mistakes(read.error));
        return work(await home, read.data, signal);
      };

    return {
      catalog: job(catalogArguments, (home, args) => home.catalog(args)),
      states: job(statesArguments, (home, args) => home.states(args)),
      history: job(historyArguments, (home, args, signal) => home.history(args, signal)),
      call: job(callArguments, (home, args, signal) => home.call(args, signal)),
    };
  },
});

/** The places and what is wrong, without the values. */
const mistakes = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join(".") || "the arguments"}: ${message}`).join("; ");
