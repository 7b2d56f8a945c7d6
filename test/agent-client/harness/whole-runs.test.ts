import t from "tap";
import { renderReport } from "../../../agent-client/harness/report/report.js";
import { MODEL_NAMES } from "../../../agent-client/models/index.js";
import { scenario, simulated } from "./short-run.js";

const bytes = (result: Awaited<ReturnType<typeof simulated>>) =>
  JSON.stringify(result) + renderReport(result);

t.test("the same seed gives the same bytes, of result and report; another seed gives others", async (t) => {
  const [once, again, other] = [await simulated(), await simulated(), await simulated({ seed: 2 })];
  t.equal(bytes(once), bytes(again));
  t.not(JSON.stringify(once.plants), JSON.stringify(other.plants));
});

t.test(
  "a run is looked at every hour, both ends included, and cared for every so often but at its end",
  async (t) => {
    const { plants, cycles, start, end, finished, days, everyMinutes } = await simulated({ days: 1 });
    t.same([start, end], ["2026-06-01T06:00:00.000Z", "2026-06-02T06:00:00.000Z"]);
    t.match({ finished, days, everyMinutes }, { finished: true, days: 1, everyMinutes: 360 });
    const { hourly } = plants[0] ?? { hourly: { at: [] } };
    t.equal(hourly.at.length, 25);
    for (const list of Object.values(hourly)) t.equal(list.length, 25);
    t.same(
      cycles.map(({ at }) => at.slice(11, 13)),
      ["06", "12", "18", "00"],
    );
  },
);

t.test("several plants have a channel, a history and a fate each", async (t) => {
  const plants = ["cactus", "basil", "fern", "basil", "tomato"];
  const { plants: results, cycles } = await simulated({ plants, days: 2 });
  t.same(
    results.map(({ id }) => id),
    ["cactus", "basil", "fern", "basil-2", "tomato"],
  );
  const readings = results.map(({ hourly }) => hourly.reading.join());
  t.equal(new Set(readings).size, 5, "no two probes read the same, five of them on two chips");
  const truths = results.map(({ hourly }) => hourly.moisture.join());
  t.ok(new Set(truths).size >= 4, "a fate for each species; two basils with the same doses may share theirs");
  for (const { id } of results) t.equal(cycles.filter(({ plant }) => plant === id).length, 8, id);
  for (const { id, hourly } of results) {
    const gaps = hourly.reading.map((reading, hour) =>
      Math.abs((reading ?? 999) - (hourly.moisture[hour] ?? 0)),
    );
    t.ok(Math.max(...gaps) < 8, `the probe of ${id} reads its own pot: ${Math.max(...gaps)}`);
  }
});

t.test("water goes to the plant that it was meant for", async (t) => {
  const { plants } = await simulated({ plants: ["cactus", "basil"], model: "always-water", days: 1 });
  for (const { id, doses, hourly } of plants) {
    t.ok(doses.length > 0, id);
    for (const { ml, arrived } of doses)
      t.ok(Math.abs(arrived - ml) < ml / 4, `${id}: ${arrived} of ${ml} ml`);
    t.ok(Math.max(...hourly.hydration) > (hourly.hydration[0] ?? 0), `${id} became wetter`);
  }
});

t.test("nobody cares: no cycle, no dose, and the plant dries", async (t) => {
  const { model, cycles, plants, messages, score } = await simulated({ model: "none" });
  t.match({ model, cycles, tokens: score.tokens }, { model: "none", cycles: [], tokens: 0 });
  t.same(plants[0]?.doses, []);
  const { hydration = [] } = plants[0]?.hourly ?? {};
  t.ok((hydration.at(-1) ?? 100) < (hydration[0] ?? 0));
  t.same(
    messages.filter(({ from }) => from === "agent"),
    [],
  );
});

t.test(
  "an unknown model or species, and a plant that only an event knows, are refused before anything begins",
  async (t) => {
    await t.rejects(simulated({ model: "gpt" }), {
      name: "UsageError",
      message: new RegExp(
        `no model "gpt"; known: ${MODEL_NAMES.join(", ")}; in a simulation also none, never-water`,
      ),
    });
    await t.rejects(simulated({ plants: ["tulip"] }), { name: "UsageError", message: /species "tulip"/ });
    const ofTwo = scenario({
      plants: ["fern", "fern"],
      events: [{ day: 1, what: "lamp", is: "dead", plant: 1 }],
    });
    await t.rejects(simulated({ scenario: ofTwo }), {
      name: "UsageError",
      message: /plant 1, counted from 0; there are 1/,
    });
  },
);
