import t from "tap";
import type { AskOptions, Model } from "../../../agent-client/models/model.js";
import { type FailureKind, ModelError } from "../../../agent-client/models/model-error.js";
import { RetryingModel } from "../../../agent-client/models/retrying-model.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { type Millis, millis, minutes, seconds } from "../../../drivers/units.js";
import { never, OPENING } from "./conversations.js";
import { DONE, failure, Spoken } from "./spoken.js";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Lets time pass until `pending` is settled. */
async function passing<T>(clock: SimulatedClock, pending: Promise<T>): Promise<T> {
  let over = false;
  void pending.catch(() => undefined).finally(() => (over = true));
  while (!over) {
    await settle();
    await clock.advance(seconds(1));
  }
  return pending;
}

function patient(model: Model, clock = new SimulatedClock()) {
  const [waits, slow]: [number[], number[]] = [[], []];
  const asked = new RetryingModel(model, {
    bounds: { reply: minutes(10), cycle: minutes(25) },
    retryFor: minutes(2),
    clock,
    random: () => 0,
    onSlow: () => slow.push(clock.monotonic()),
    onWait: (_, wait) => waits.push(wait),
  });
  const ask = (options?: AskOptions) => passing(clock, asked.respond(OPENING, [], never, options));
  return { model: asked, ask, waits, slow, clock };
}

t.test("a server that is away for a while is asked again, with growing waits", async (t) => {
  const { ask, waits } = patient(
    new Spoken("m", [failure("away"), failure("broken"), failure("away"), DONE]),
  );
  t.equal(await ask(), DONE);
  t.strictSame(waits, [200, 400, 800]);
});

t.test("replies that break off or are none are asked for again three times, not for minutes", async (t) => {
  const replies = Array.from({ length: 9 }, () => failure("broken"));
  const { ask, waits } = patient(new Spoken("m", replies));
  await t.rejects(ask(), { name: "ModelError", kind: "broken" });
  t.strictSame(waits, [200, 400, 800]);
});

t.test("it is asked again for two minutes, and then the last reason is told", async (t) => {
  const { ask, waits } = patient(new Spoken("m", [failure("away", "gone")]));
  await t.rejects(ask(), { name: "ModelError", message: "gone" });
  const waited = waits.reduce((sum, wait) => sum + wait, 0);
  t.ok(waited > minutes(1) && waited <= minutes(2), `${waited} ms`);
});

t.test("what time does not mend is not asked again", async (t) => {
  for (const kind of ["person", "cycle", "limit"] satisfies FailureKind[]) {
    const spoken = new Spoken("m", [failure(kind)]);
    await t.rejects(patient(spoken).ask(), { name: "ModelError", kind });
    t.equal(spoken.asked, 1, kind);
  }
});

t.test("a stop ends the wait at once", async (t) => {
  const stop = new AbortController();
  const { model } = patient(new Spoken("m", [failure("away")]));
  const pending = model.respond(OPENING, [], stop.signal);
  await settle();
  stop.abort(new Error("stopped"));
  await t.rejects(pending, { message: "stopped" });
});

t.test("what failed two minutes after the question is not asked again", async (t) => {
  const clock = new SimulatedClock();
  const slow = new Spoken("m", [
    () => clock.advance(minutes(3)).then(() => Promise.reject(failure("broken"))),
  ]);
  await t.rejects(patient(slow, clock).ask(), { name: "ModelError", kind: "broken" });
  t.equal(slow.asked, 1);
});

t.test(
  "a cycle that begins by asking once fails at the first failure, and is patient after a reply",
  async (t) => {
    const spoken = new Spoken("m", [failure("away"), DONE, failure("away"), DONE]);
    const { model, ask, waits } = patient(spoken);
    model.beginCycle({ asksOnce: true });
    await t.rejects(ask(), { name: "ModelError", kind: "away" });
    model.beginCycle({ asksOnce: true });
    await ask();
    t.strictSame(waits, []);
    await ask();
    t.strictSame(waits, [200]);
  },
);

t.test("an answer that nobody can parse is asked for twice more, each time with another seed", async (t) => {
  const spoken = new Spoken("m", [failure("garbled", "not the peg-native format")]);
  await t.rejects(patient(spoken).ask(), {
    name: "ModelError",
    kind: "cycle",
    message: "not the peg-native format",
  });
  t.strictSame(spoken.options, [undefined, { seed: 2 }, { seed: 3 }]);
});

t.test(
  "another seed that helps gives the reply, and the next question has the first seed again",
  async (t) => {
    const spoken = new Spoken("m", [failure("garbled"), DONE]);
    const { ask } = patient(spoken);
    const schema = { type: "object" as const };
    t.equal(await ask({ schema, seed: 7 }), DONE);
    await ask({ schema, seed: 7 });
    t.strictSame(
      spoken.options.map((options) => options?.seed),
      [7, 8, 7],
    );
    t.ok(spoken.options.every((options) => options?.schema === schema));
  },
);

t.test(
  "a garbled answer of a slow computer is asked for again, until the cycle's time is over",
  async (t) => {
    const clock = new SimulatedClock();
    const spoken = new Spoken("m", [
      () => clock.advance(minutes(9)).then(() => Promise.reject(failure("garbled"))),
    ]);
    await t.rejects(patient(spoken, clock).ask(), { name: "ModelError", kind: "cycle" });
    t.equal(spoken.asked, 3);
  },
);

const busy = (retryAfter: Millis) => new ModelError("429", "away", { retryAfter });

t.test("a server is left alone for as long as it asks for", async (t) => {
  const { ask, waits } = patient(new Spoken("m", [busy(seconds(20)), busy(millis(100)), DONE]));
  t.equal(await ask(), DONE);
  t.strictSame(waits, [seconds(20), 400], "and never for less than the growing wait");
});

t.test("a server that asks for more than our patience is given up at once", async (t) => {
  const spoken = new Spoken("m", [busy(minutes(3))]);
  const { ask, waits } = patient(spoken);
  await t.rejects(ask(), { name: "ModelError", kind: "away" });
  t.equal(spoken.asked, 1);
  t.strictSame(waits, []);
});

function hanging() {
  const heard: AbortSignal[] = [];
  const respond: Model["respond"] = (_, __, signal) => {
    heard.push(signal);
    return new Promise(() => undefined);
  };
  return { name: "m", respond, heard };
}

t.test("a model that never answers has failed after its time, and the request is ended", async (t) => {
  const model = hanging();
  const { ask, slow, clock } = patient(model);
  await t.rejects(ask(), {
    name: "ModelError",
    kind: "cycle",
    message: /^m did not answer within 10 minutes: .*--reply-within$/,
  });
  const took = clock.monotonic();
  t.ok(model.heard[0]?.aborted);
  t.ok(took >= minutes(10) && took <= minutes(10) + seconds(2), `${took} ms`);
  t.strictSame(slow, [5000], "a person who watches has heard once that it takes a while");
});

/** Answers once, and then never. */
function stuck(): Model {
  const [first, then] = [new Spoken("m", [DONE]), hanging()];
  return { name: "m", respond: (...asked) => (first.asked === 0 ? first : then).respond(...asked) };
}

t.test("a cycle ends in its time, however quick its single replies are", async (t) => {
  const { model, ask, clock } = patient(stuck());
  model.beginCycle();
  await clock.advance(minutes(30)); // what passes before the first question does not count
  await ask();
  const began = clock.monotonic();
  await clock.advance(minutes(20));
  await t.rejects(ask(), {
    kind: "cycle",
    message: /^m was not done with a cycle within 25 minutes: .*--cycle-within$/,
  });
  const took = clock.monotonic() - began;
  t.ok(took >= minutes(25) - seconds(2) && took <= minutes(25) + seconds(2), `${took} ms`);
});

t.test("after the cycle's time the model is not asked, and the next cycle has its time anew", async (t) => {
  const spoken = new Spoken("m", [DONE]);
  const { model, ask, clock } = patient(spoken);
  await ask();
  await clock.advance(minutes(26));
  await t.rejects(ask(), { message: /25 minutes/ });
  t.equal(spoken.asked, 1);
  model.beginCycle();
  t.equal(await ask(), DONE);
});
