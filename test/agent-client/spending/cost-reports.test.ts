import t from "tap";
import { oneModel } from "../../../agent-client/cycle/cycle.js";
import type { ToolResult } from "../../../agent-client/link/tools.js";
import type { Model } from "../../../agent-client/models/model.js";
import { CostReports } from "../../../agent-client/spending/spending.js";
import { millis } from "../../../drivers/units.js";

const MODEL: Model = { name: "m", respond: async () => ({ toolCalls: [] }) };
const OK: ToolResult = { ok: true, value: {}, images: [] } as unknown as ToolResult;
const refusal = (code: string): ToolResult =>
  ({ ok: false, error: { code, message: `no: ${code}` } }) as unknown as ToolResult;

/** Reports to a runtime that answers so, one answer a call. */
function reporting(isPriced: boolean, ...answers: readonly (ToolResult | Error)[]) {
  const calls: object[] = [];
  const said: string[] = [];
  const reports = new CostReports({
    ...{ model: "m", isPriced, newKey: () => `key ${calls.length}`, say: (text) => said.push(text) },
    runtime: {
      call: async (tool, args, options) => {
        calls.push({ tool, ...args, ...options });
        const answer = answers[calls.length - 1] ?? OK;
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  });
  const spend = (tokens: number) =>
    reports.charge().settle({ calls: 1, tokens, time: millis(5), money: tokens / 100 });
  const models = reports.around(oneModel(MODEL));
  return { calls, said, spend, over: () => models.over() };
}

t.test(
  "what a turn has cost is reported at its end, once; a turn without a model reports nothing",
  async (t) => {
    const { calls, spend, over } = reporting(true);
    await over();
    t.same(calls, []);
    spend(100);
    spend(20.4);
    await over();
    await over();
    t.match(calls, [{ tool: "report_cost", model: "m", calls: 2, tokens: 120, money: 1.204 }]);
  },
);

t.test("without a price the money is unknown, not nothing", async (t) => {
  const { calls, spend, over } = reporting(false);
  spend(100);
  await over();
  t.match(calls, [{ money: null }]);
});

t.test(
  "a report that the link lost is sent again with its key, and what came since on its own",
  async (t) => {
    const { calls, spend, over } = reporting(true, new Error("the link broke"));
    spend(1);
    await t.rejects(over(), /the link broke/);
    spend(2);
    await over();
    await over();
    t.match(calls, [
      { tokens: 1, idempotencyKey: "key 0" },
      { tokens: 1, idempotencyKey: "key 0" },
      { tokens: 2, idempotencyKey: "key 2" },
    ]);
  },
);

t.test("a refusal is said, and the next cost is reported again", async (t) => {
  const full = reporting(true, refusal("STORE_FAILED"));
  full.spend(1);
  await full.over();
  t.same(full.said, ["the cost of m was not noted: no: STORE_FAILED"]);
  full.spend(2);
  await full.over();
  t.equal(full.calls.length, 2);
});
