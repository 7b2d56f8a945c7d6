import t, { type Test } from "tap";
import type { Bounds } from "../../../agent-client/models/retrying-model.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, type Millis, minutes, seconds } from "../../../drivers/units.js";
import { completes } from "../models/fake-openai.js";
import { type Answering, FakeServer, inOrder } from "../models/fake-server.js";
import { simulated } from "./short-run.js";

const BOUNDS = { reply: minutes(10), cycle: minutes(25) } satisfies Bounds;

/**
 * Two cycles of a model behind a server that answers so; what was shown meanwhile. Time passes only while the agent waits: as long as it
 * is patient where the server says nothing, a second before it asks again. An answer is on its way in no time.
 */
async function run(t: Test, answering: Answering) {
  const clock = new SimulatedClock();
  let passing = Promise.resolve();
  const passes = (time: Millis) => {
    passing = passing.then(() => clock.advance(time));
  };
  const server = new FakeServer("/v1/chat/completions", (...asked) => {
    const answer = answering(...asked);
    if (answer === "silence") passes(BOUNDS.reply);
    return answer;
  });
  const before = process.env.OPENAI_BASE_URL;
  process.env.OPENAI_BASE_URL = `${await server.listen(t)}/v1`;
  t.teardown(() => {
    if (before === undefined) delete process.env.OPENAI_BASE_URL;
    else process.env.OPENAI_BASE_URL = before;
  });
  const [passed, said]: [string[], string[]] = [[], []];
  const pass = (text: string) => passed.push(text);
  const say = (text: string) => {
    said.push(text);
    passes(seconds(1));
  };
  const result = await simulated(
    { model: "openai:x", days: 1, every: hours(12) },
    { patience: { bounds: BOUNDS, clock, pass, say } },
  );
  return { result, server, passed, said };
}

t.test("a simulation gives a model that never answers as long as the agent does, and says so", async (t) => {
  const { result, passed } = await run(t, () => "silence");
  t.equal(result.finished, true);
  t.match(
    result.cycles.map(({ reason }) => reason),
    [/^openai:x did not answer within 10 minutes/, /^openai:x did not answer within 10 minutes/],
  );
  t.strictSame(passed, ["waiting for openai:x…", "waiting for openai:x…"]);
});

const busy: Answering = () => ({ status: 503, body: { error: { message: "Loading model" } } });
const done = completes({ content: "Done." });

t.test(
  "a server that is busy for a while is asked again once it has answered, and that is said",
  async (t) => {
    const { result, said, server } = await run(t, inOrder(done, busy, done));
    t.equal(server.asked.length, 3);
    t.match(said, [/503.*asked again in 0\.\d s$/]);
    t.equal(result.cycles.length, 2);
  },
);

t.test("a server that has never answered is not waited for", async (t) => {
  const { said, server } = await run(t, busy);
  t.equal(server.asked.length, 2, "once in each cycle");
  t.strictSame(said, []);
});
