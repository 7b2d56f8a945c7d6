import { rm } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { type EpochMillis, hours } from "../../drivers/units.js";
import { parseConfig } from "../../runtime/configuration.js";
import { openCore } from "../../runtime/core.js";

const T0 = Date.parse("2026-06-01T08:00:00Z");

/** A runtime on a bench with a clock of its own, sixty times as fast as real time; opened and closed again. */
async function withRuntime<T>(
  state: string,
  start: number,
  work: (call: (name: string, args?: object) => Promise<Record<string, unknown>>) => Promise<T>,
): Promise<T> {
  const closers: Array<() => unknown> = [];
  const alive = setInterval(() => undefined, 1000); // a runtime's own timers keep no process alive
  const core = await openCore(
    {
      config: parseConfig(
        "{ server: { calls_per_second: 100000 }, plants: [{ id: basil, water: { not_above: off } }] }",
        "test.yaml",
      ),
      state,
      board: { speed: 60, seed: 1, start: start as EpochMillis },
      log: () => undefined,
      publicUrl: () => "http://127.0.0.1:8731",
    },
    (close) => closers.push(close),
  );
  const call = async (name: string, args: object = {}) => {
    const request = { name, arguments: args, identity: { name: "h", role: "human" } as const };
    const signal = () => new AbortController().signal;
    const { content } = await core.registry.call({ ...request, signal, progress: () => undefined });
    const [first] = content;
    return JSON.parse(first?.type === "text" ? first.text : "{}");
  };
  try {
    await core.sample();
    return await work(call);
  } finally {
    for (const close of closers.reverse()) await close();
    clearInterval(alive);
  }
}

t.test("bench.json, deleted under a clock that is a day ahead, gives no water back", async (t) => {
  const state = join(t.testdir(), "state");
  await withRuntime(state, T0, async (call) => {
    t.match(await call("dispense_water", { ml: 25 }), { dispensed: 25 });
    t.match(await call("turn_on_light", { minutes: 30 }), { status: "on" });
    await call("turn_off_light");
  });
  await rm(join(state, "bench.json"));
  for (const start of ["with another clock", "once more, from the state it has kept"])
    await withRuntime(state, T0 + hours(25), async (call) => {
      t.match(await call("get_water_usage_24h"), { used_ml: 25 }, start);
      t.match(await call("turn_on_light", { minutes: 30 }), { error: { code: "LIGHT_COOLDOWN" } }, start);
    });
});
