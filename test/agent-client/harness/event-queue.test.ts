import t from "tap";
import { EventQueue } from "../../../agent-client/harness/simulation.js";
import type { EpochMillis, Millis } from "../../../drivers/units.js";

const at = (instant: number) => instant as EpochMillis;
const every = (length: number) => length as Millis;

/** What runs, and when, up to an instant; time moves to each in turn, or by `lasting` further. */
async function played(
  queue: EventQueue,
  log: string[],
  until: number,
  lasting: Readonly<Record<string, number>> = {},
) {
  let now = 0;
  const seen: string[] = [];
  for (let due = queue.take(at(now), at(until)); due; due = queue.take(at(now), at(until))) {
    now = Math.max(now, due.at);
    await due.run();
    seen.push(`${now} ${log.at(-1)}`);
    now += lasting[log.at(-1) ?? ""] ?? 0;
  }
  return seen;
}

function queueWithLog() {
  const log: string[] = [];
  const does = (name: string) => async () => void log.push(name);
  return { queue: new EventQueue(), log, does };
}

t.test(
  "at one instant single events come first, then rounds, each in the order in which they were added",
  async (t) => {
    const { queue, log, does } = queueWithLog();
    queue.regularly(at(10), every(10), does("sample"));
    queue.regularly(at(10), every(20), does("care"));
    queue.once({ at: at(10), run: does("first") });
    queue.once({ at: at(10), run: does("second") });
    queue.once({ at: at(5), run: does("earlier") });
    t.same(await played(queue, log, 20), [
      "5 earlier",
      "10 first",
      "10 second",
      "10 sample",
      "10 care",
      "20 sample",
    ]);
  },
);

t.test("rounds that a power cut passed over are left out, and the rest stay on their beat", async (t) => {
  const { queue, log, does } = queueWithLog();
  queue.regularly(at(0), every(10), does("sample"));
  queue.once({ at: at(15), run: does("cut") });
  t.same(await played(queue, log, 60, { cut: 28 }), [
    "0 sample",
    "10 sample",
    "15 cut",
    "50 sample",
    "60 sample",
  ]);
});

t.test("an event that time has passed over happens late, not never", async (t) => {
  const { queue, log, does } = queueWithLog();
  queue.once({ at: at(15), run: does("cut") });
  queue.once({ at: at(20), run: does("message") });
  t.same(await played(queue, log, 60, { cut: 28 }), ["15 cut", "43 message"]);
});

t.test("what lies beyond the end is never taken", async (t) => {
  const { queue, log, does } = queueWithLog();
  queue.once({ at: at(11), run: does("event") });
  queue.regularly(at(0), every(100), does("round"));
  t.same(await played(queue, log, 10), ["0 round"]);
  t.equal(new EventQueue().take(at(0), at(10)), undefined, "and an empty queue has nothing");
});
