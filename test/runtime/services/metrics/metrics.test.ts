import t from "tap";
import { hours, minutes, seconds } from "../../../../drivers/units.js";
import { runtimeApi } from "../../../../runtime/core.js";
import { exposition } from "../../../../runtime/services/metrics/index.js";
import { VERSION } from "../../../../runtime/wire/program.js";
import { servedWithTokens } from "../../../contract/served.js";
import { type Rig, rigFor, routeRequest } from "../../../rig.js";

const START = "2026-06-01T08:00:00.000Z";
const PLAIN = "server: { calls_per_second: 100000 }\n";

/** The samples of the text, by name and labels. Throws for a line that Prometheus would not read. */
function samplesIn(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  const typed = new Set<string>();
  for (const line of text.split("\n").slice(0, -1)) {
    const [, name, type] = /^# TYPE (\S+) (gauge|counter)$/.exec(line) ?? [];
    if (name && type) typed.add(name);
    if (line.startsWith("# ")) continue;
    const [, key = "", value = ""] =
      /^([a-z_0-9]+(?:\{[a-z]+="(?:[^"\\]|\\.)*"(?:,[a-z]+="[^"]*")*\})?) (\S+)$/.exec(line) ?? [];
    if (!typed.has(key.replace(/\{.*/, "")) || Number.isNaN(Number(value)) || value === "")
      throw new Error(`not in the format: ${line}`);
    samples.set(key, Number(value));
  }
  return samples;
}

async function metricsOf(rig: Rig): Promise<Map<string, number>> {
  const route = runtimeApi(rig.core).routes.find(({ path }) => path === "/metrics");
  if (!route) throw new Error("there is no /metrics");
  const { body } = await route.answer(routeRequest("/metrics"));
  return samplesIn(String(body));
}

t.test("every plant has its moisture, water, light and faults, in base units", async (t) => {
  const config = `${PLAIN}plants: [{ id: basil }, { id: fern, probe: { channel: 1 } }]`;
  const rig = await rigFor(t, { start: START, config });
  await rig.water(20, { as: "human" });
  await rig.get("turn_on_light", { minutes: 30 }, { as: "human" });
  const { percent } = await rig.get("read_moisture");
  const metrics = await metricsOf(rig);
  t.equal(metrics.get('tendril_soil_moisture_ratio{plant="basil"}'), Number(percent) / 100);
  const read = metrics.get('tendril_last_reading_timestamp_seconds{plant="basil"}') ?? 0;
  t.ok(Math.abs(read - rig.clock.now() / 1000) < 5, `read at ${read}`);
  t.equal(metrics.get('tendril_water_24h_liters{plant="basil"}'), 0.02);
  t.equal(metrics.get('tendril_water_budget_remaining_liters{plant="basil"}'), 0.48);
  t.equal(metrics.get('tendril_water_24h_liters{plant="fern"}'), 0);
  t.equal(metrics.get('tendril_light_on{plant="basil"}'), 1);
  t.equal(metrics.get('tendril_light_on{plant="fern"}'), 0);
  t.equal(metrics.get('tendril_faults{plant="basil"}'), 0);
  t.equal(metrics.get(`tendril_build_info{version="${VERSION}"}`), 1);
});

t.test("a plant that nobody cares for, and the runtime's warnings, can be alerts", async (t) => {
  const rig = await rigFor(t, { start: START, config: `${PLAIN}care: { tell_after_hours: 2 }` });
  const found = async () => {
    const metrics = await metricsOf(rig);
    return [metrics.get('tendril_uncared_seconds{plant="basil"}'), metrics.get("tendril_warnings")];
  };
  t.same(await found(), [0, 0]);
  await rig.pass(hours(3));
  rig.core.store.warnings.push("the newest backup is 9 days old");
  t.same(await found(), [3 * 3600, 1]);
});

t.test("uptime counts from the start, whatever the wall clock does", async (t) => {
  const rig = await rigFor(t, { start: START, peopleToo: true });
  const route = runtimeApi(rig.core).routes.find(({ path }) => path === "/metrics");
  rig.clock.stepWall(hours(13));
  await rig.pass(seconds(90));
  const answer = await route?.answer(routeRequest("/metrics"));
  t.equal(samplesIn(String(answer?.body)).get("tendril_uptime_seconds"), 90);
});

t.test("a probe at fault has no moisture: an old value is not shown as today's", async (t) => {
  const rig = await rigFor(t, { start: START });
  const moisture = 'tendril_soil_moisture_ratio{plant="basil"}';
  t.ok((await metricsOf(rig)).has(moisture));
  rig.bench.faults("basil").probe = "unplugged";
  await rig.pass(minutes(5));
  await rig.core.sample();
  t.notOk((await metricsOf(rig)).has(moisture));
  delete rig.bench.faults("basil").probe;
  await rig.pass(minutes(5));
  await rig.core.sample();
  t.ok((await metricsOf(rig)).has(moisture));
});

t.test(
  "doses and their water are counted by outcome from 0 on; one that is refused pours nothing",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: PLAIN });
    const doses = (metrics: Map<string, number>) =>
      Object.fromEntries(
        ["completed", "stopped", "uncertain", "refused"].map((outcome) => [
          outcome,
          metrics.get(`tendril_doses_total{plant="basil",outcome="${outcome}"}`),
        ]),
      );
    const liters = 'tendril_water_dispensed_liters_total{plant="basil"}';
    const before = await metricsOf(rig);
    t.same(doses(before), { completed: 0, stopped: 0, uncertain: 0, refused: 0 });
    t.equal(before.get(liters), 0);
    await rig.water(20, { as: "human" });
    await rig.get("set_hold", { hold: true, reason: "away" }, { as: "human" });
    await rig.refused("dispense_water", { ml: 10 }, { as: "human" });
    const after = await metricsOf(rig);
    t.same(doses(after), { completed: 1, stopped: 0, uncertain: 0, refused: 1 });
    t.equal(after.get(liters), 0.02);
    t.equal(after.get('tendril_on_hold{plant="basil"}'), 1);
  },
);

t.test("switched off, the module leaves no route", async (t) => {
  const paths = async (config: string) =>
    runtimeApi((await rigFor(t, { config })).core).routes.map(({ path }) => path);
  const all = await paths(PLAIN);
  t.ok(all.includes("/metrics"));
  t.same(
    await paths(`${PLAIN}modules: { metrics: false }`),
    all.filter((path) => path !== "/metrics"),
  );
});

t.test("a label's value is escaped, and a metric without a sample is left out", async (t) => {
  const odd = 'a "b" \\ c\nd';
  const text = exposition([
    { name: "one", help: "x", type: "gauge", samples: [{ labels: { plant: odd }, value: 1 }] },
    { name: "none", help: "x", type: "gauge", samples: [] },
  ]);
  t.equal(text, '# HELP one x\n# TYPE one gauge\none{plant="a \\"b\\" \\\\ c\\nd"} 1\n');
  t.equal(samplesIn(text).size, 1);
});

t.test("over HTTP it is text of the format's version, and counts against the token's rate", async (t) => {
  const rig = await rigFor(t, { config: "server: { calls_per_second: 1 }" });
  const { ask } = await servedWithTokens(t, rig);
  const first = await ask("GET", "/metrics", "metrics");
  t.equal(first.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  t.equal(first.headers.get("cache-control"), "no-store");
  t.ok(samplesIn(await first.text()).size > 5);
  const statuses: number[] = [];
  for (let n = 0; n < 8; n += 1) statuses.push((await ask("GET", "/metrics", "metrics")).status);
  t.ok(statuses.includes(503), statuses.join(" "));
  t.equal((await ask("GET", "/metrics", "human")).status, 200, "another token has its own rate");
});

t.test("where all exchanges are taken it is refused, as a call is", async (t) => {
  const rig = await rigFor(t);
  const { ask } = await servedWithTokens(t, rig, { maxConnections: 0 });
  const answer = await ask("GET", "/metrics", "metrics");
  t.equal(answer.status, 503);
  t.match(await answer.json(), { error: { code: "RATE_LIMITED" } });
});
