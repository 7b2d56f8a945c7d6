import type { Progress } from "@modelcontextprotocol/sdk/types.js";
import t from "tap";
import { RuntimeHere } from "../process.js";
import { foreign, v1Client } from "./v1-client.js";
import { answerOf, refused, waterOnce } from "./water-once.js";

const DOSE = { name: "dispense_water", arguments: { ml: 25 } };

const runtime = await RuntimeHere.start();

t.test(
  "the v1 SDK's WebSocket client takes refusals for error results, though it checks results against their schemas",
  async (t) => {
    const client = foreign(await v1Client(t, runtime, "agent"));
    await client.listTools();
    const { value: before } = await client.call("get_water_usage_24h");
    t.equal(await refused(t, client, "dispense_water", { ml: 20 }), "NO_CYCLE");
    t.equal(await refused(t, client, "dispense_water", { ml: 26 }), "INVALID_ARGUMENT");
    t.equal(await refused(t, client, "dispense_water", { ml: 20, force: true }), "INVALID_ARGUMENT");
    t.equal(await refused(t, client, "get_moisture_history", { aggregation: "sum" }), "INVALID_ARGUMENT");
    t.equal(await refused(t, client, "set_hold", { hold: true }), "FORBIDDEN");
    t.equal(await refused(t, client, "prune_leaves"), "UNKNOWN_TOOL");
    t.same((await client.call("get_water_usage_24h")).value, before, "nothing was poured");
  },
);

t.test("it waters a plant", async (t) => {
  const client = foreign(await v1Client(t, runtime, "agent"));
  await waterOnce(t, client, 20);
});

t.test("it follows a dose by the millilitre", async (t) => {
  const { client } = await v1Client(t, runtime, "human");
  const seen: number[] = [];
  const onprogress = ({ progress, total, message }: Progress) => {
    t.match({ total, message }, { total: 25, message: "watering basil" });
    seen.push(progress);
  };
  await client.callTool(DOSE, undefined, { onprogress });
  t.ok(seen.length > 2, `${seen.length} notes`);
  t.same(
    seen,
    [...new Set(seen)].sort((a, b) => a - b),
    "each note says more than the last",
  );
  t.ok(Number(seen.at(-1)) <= 25);
});

t.test("its repeated call with an idempotency key pours once", async (t) => {
  const { client } = await v1Client(t, runtime, "human");
  const usage = async () => answerOf(await client.callTool({ name: "get_water_usage_24h" })).value;
  const before = await usage();
  // With the 45 ml above it stays below 60 ml, so the answer never depends on whether the soil has answered by now.
  const once = {
    name: "dispense_water",
    arguments: { ml: 10 },
    _meta: { "tendril/idempotency-key": "dose-1" },
  };
  const first = await client.callTool(once);
  t.match(first.structuredContent, { dispensed: 10 });
  t.same((await client.callTool(once)).structuredContent, first.structuredContent);
  t.match(await usage(), { used_ml: Number(before.used_ml) + 10, events: Number(before.events) + 1 });
});

t.test("its runtime ends in order", async (t) => {
  t.match(await runtime.stop(), { code: 0 });
});
