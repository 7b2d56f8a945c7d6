import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { millis } from "../../../drivers/units.js";
import { embeddingAdapter } from "../../../runtime/bridge/models/adapter.js";
import type { Jobs } from "../../../runtime/services/bridge/jobs.js";
import { Meaning } from "../../../runtime/services/knowledge/meaning.js";
import { qualityOfSearch } from "./quality.js";

/**
 * The questions of this folder with a real embedding model: `node dist/test/services/knowledge/measure.js ollama MODEL ADDRESS`.
 * Without arguments by words alone.
 */
const [provider, model, address] = process.argv.slice(2);
const clock = new SystemClock();

function meaningOf(model: string, address: string): Meaning {
  const context = {
    ...{
      clock,
      say: () => undefined,
      onConnected: () => undefined,
      tellProblem: () => undefined,
      isAsked: () => true,
      upload: async () => "",
    },
    ...{ call: async () => ({}), signal: new AbortController().signal },
  };
  const { embed } = embeddingAdapter.open(embeddingAdapter.config.parse({ address }), context);
  const ask = async (args: object) => embed?.(args, AbortSignal.timeout(120_000));
  const jobs = { open: () => ask, watch: () => () => undefined, isConnected: true } as unknown as Jobs;
  const log = (_: string, message: string, fields?: object) => console.error(message, fields ?? "");
  const config = { provider: provider === "openai" ? provider : "ollama", model, private: true } as const;
  return new Meaning({ config, jobs, clock, log });
}

const meaning = model && address ? meaningOf(model, address) : undefined;
const quality = await qualityOfSearch(
  meaning && {
    near: (index, asked) => meaning.near(index, asked),
    fill: async (index) => {
      meaning.fill(index);
      while ((await meaning.state(index, true)).waiting > 0) await clock.sleep(millis(20));
    },
  },
);
for (const [kind, { right, all }] of Object.entries(quality)) console.log(`${kind}: ${right} of ${all}`);
await meaning?.close();
