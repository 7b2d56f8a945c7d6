import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { SimulatedClock } from "../../drivers/clock/simulated-clock.js";
import { parseConfig } from "../../runtime/configuration.js";
import { startRuntime } from "../../runtime/main.js";

t.test(
  "a start writes one mark into the water ledger, and looks once for plants that nobody cares for",
  async (t) => {
    const state = join(t.testdir(), "state");
    const config = parseConfig("server: { port: 0 }", "t.yaml");
    const board = { clock: new SimulatedClock("2026-06-01T08:30:00Z"), speed: 1, seed: 1 };
    for (const start of [1, 2]) {
      const runtime = await startRuntime({ config, state, board, log: () => undefined });
      await runtime.stop();
      const lines = (await readFile(join(state, "journal/water.jsonl"), "utf8")).trim().split("\n");
      t.equal(lines.filter((line) => line.includes('"kind":"mark"')).length, start);
      t.ok(await readFile(join(state, "care.json"), "utf8"), "the look leaves its file");
    }
  },
);
