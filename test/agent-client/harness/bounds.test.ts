import t, { type Test } from "tap";
import type { Bounds } from "../../../agent-client/models/retrying-model.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, minutes, seconds } from "../../../drivers/units.js";
import { completes } from "../models/fake-openai.js";
import { type Answering, FakeServer, inOrder } from "../models/fake-server.js";
import { simulated } from "./short-run.js";

const BOUNDS: Bounds = { reply: minutes(10), cycle: minutes(25) };

/** Two cycles of a model behind a server that answers so, at real times that pass by themselves; what was shown meanwhile. */
async function run(t: Test, answering: Answering) {
  const server = new FakeServer("/v1/chat/completions", answering);
  const before = process.env.OPENAI_BASE_URL;
  process.env.OPENAI_BASE_URL = `${await server.listen(t)}/v1`;
  t.teardown(() => {
    if (before === undefined) delete process.env.OPENAI_BASE_URL;
    else process.env.OPENAI_BASE_URL = before;
  });
  const clock = new SimulatedClock();
  const [passed, said]: [string[], string[]] = [[], []];
  const pass = (text: string) => passed.push(text);
  const say = (text: string) => said.push(text);
  let over = false;
  const running = simulated(
    { model: "openai:x", days: 1, every: hours(12) },
    { patience: { bounds: BOUNDS, clock, pass, say } },
  ).finally(() => (over = true));
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    // as long as nobody is asked, nobody waits
    if (server.asked.length > 0) await clock.advance(seconds(1));
  }
  return { result: await running, server, passed, said };
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
