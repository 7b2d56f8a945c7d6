import t from "tap";
import { awaitApproval, type Waiting } from "../../../agent-client/cycle/tool-runner.js";
import type { ToolResult } from "../../../agent-client/link/tools.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { type Millis, minutes, seconds } from "../../../drivers/units.js";

const DONE: ToolResult = { ok: true, value: { dispensed: 20 } };
const needed = (id: number, details: object = {}): ToolResult => ({
  ok: false,
  error: {
    code: "APPROVAL_NEEDED",
    message: "waits",
    retryable: true,
    retry_after_s: 2,
    details: {
      id,
      expires_at: "2026-06-01T08:05:00.000Z",
      until: "08:05 UTC",
      expires_in_s: 300,
      ...details,
    },
  },
});

/** Lets time pass once everything else has come to rest. */
async function pass(clock: SimulatedClock, time: Millis): Promise<void> {
  await turn();
  await clock.advance(time);
  await turn();
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A runtime that gives one answer after the other, the last one again and again. */
function script(...answers: ToolResult[]) {
  const clock = new SimulatedClock();
  const told: Waiting[] = [];
  const stop = new AbortController();
  let calls = 0;
  const call = async () => answers[Math.min(calls++, answers.length - 1)] ?? DONE;
  const result = awaitApproval(call, {
    clock,
    signal: stop.signal,
    onWaiting: ({ id, until }) => told.push({ id, until }),
  });
  return { clock, told, stop, result, calls: () => calls };
}

t.test("what needs nobody's yes is called once", async (t) => {
  const { result, told, calls } = script(DONE);
  t.same(await result, DONE);
  t.same([told, calls()], [[], 1]);
});

t.test("a call of the home that is pending is made again too", async (t) => {
  const pending = { status: "pending", request_id: 4, expires_in_s: 300, entities: [] };
  const { clock, result, told } = script({ ok: true, value: pending }, DONE);
  await pass(clock, seconds(5));
  t.same(await result, DONE);
  t.match(told, [{ id: 4 }]);
});

t.test(
  "the call is made again, after the pause that the runtime asks for, until it is answered",
  async (t) => {
    const { clock, result, told, calls } = script(needed(3), needed(3), DONE);
    await pass(clock, seconds(1));
    t.equal(calls(), 1);
    await pass(clock, seconds(1));
    t.equal(calls(), 2);
    await pass(clock, seconds(2));
    t.same(await result, DONE);
    t.same(told, [{ id: 3, until: "08:05 UTC" }], "the person is told once");
  },
);

t.test("another request is told of too", async (t) => {
  const { clock, result, told } = script(needed(3), needed(7), DONE);
  await pass(clock, seconds(2));
  await pass(clock, seconds(2));
  await result;
  t.same(
    told.map(({ id }) => id),
    [3, 7],
  );
});

t.test("a runtime that never comes to an end is given up a minute after its own time", async (t) => {
  const { clock, result, calls } = script(needed(3));
  for (let passed = 0; passed < 7 * 30; passed += 1) await pass(clock, seconds(2));
  t.match(await result, { ok: false, error: { code: "APPROVAL_NEEDED" } });
  t.equal(calls(), 2 + minutes(6) / seconds(2));
});

t.test("a refusal without the request's particulars is not waited for", async (t) => {
  const bare = needed(3, { id: "three" });
  t.same(await script(bare).result, bare);
});

t.test("who gives up is let go at once", async (t) => {
  const { result, stop } = script(needed(3));
  await turn();
  stop.abort(new Error("Ctrl-C"));
  await t.rejects(result, { message: "Ctrl-C" });
});
