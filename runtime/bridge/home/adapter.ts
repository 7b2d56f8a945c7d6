import type { z } from "zod";
import { callArguments, catalogArguments, historyArguments, statesArguments } from "../../wire/home.js";
import { defineAdapter, type JobHandler, type JobResult, notConfigured, readArguments } from "../adapter.js";
import { homeConfig, homeSecrets } from "./address.js";
import type { Home } from "./home.js";

const missing = notConfigured("`home`: docs/bridge.md");

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
      <T>(
        schema: z.ZodType<T>,
        work: (home: Home, args: T, signal: AbortSignal) => Promise<JobResult>,
      ): JobHandler =>
      async (args, signal) =>
        home ? work(await home, readArguments(schema, args), signal) : missing(args, signal);

    return {
      catalog: job(catalogArguments, (home, args) => home.catalog(args)),
      states: job(statesArguments, (home, args) => home.states(args)),
      history: job(historyArguments, (home, args, signal) => home.history(args, signal)),
      call: job(callArguments, (home, args, signal) => home.call(args, signal)),
    };
  },
});
