import t from "tap";
import { BoundedModel } from "../../../agent-client/models/bounded.js";
import type { Message, Model } from "../../../agent-client/models/model.js";
import type { FailureKind } from "../../../agent-client/models/model-error.js";
import { RetryingModel } from "../../../agent-client/models/retrying.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { minutes, seconds } from "../../../drivers/units.js";
import { never, OPENING } from "./conversations.js";
import { DONE, failure, Spoken } from "./spoken.js";

const settle = () => new Promise((resolve) => setImmediate(resolve));

function patient(model: Spoken, clock = new SimulatedClock()) {
  const waits: number[] = [];
  const onWait = (_: Error, wait: number) => waits.push(wait);
  return {
    model: new RetryingModel(model, { clock, random: () => 0, patience: minutes(2), onWait }),
    waits,
    clock,
  };
}

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

t.test("a server that is away for a while is asked again, with growing waits", async (t) => {
  const spoken = new Spoken("m", [failure("away"), failure("broken"), failure("away"), DONE]);
  const { model, waits, clock } = patient(spoken);
  t.equal(await passing(clock, model.respond(OPENING, [], never)), DONE);
  t.strictSame(waits, [200, 400, 800]);
});

t.test("patience ends two minutes after the first question, with the last reason", async (t) => {
  const { model, waits, clock } = patient(new Spoken("m", [failure("away", "gone")]));
  await t.rejects(passing(clock, model.respond(OPENING, [], never)), { name: "ModelError", message: "gone" });
  const waited = waits.reduce((sum, wait) => sum + wait, 0);
  t.ok(waited > minutes(1) && waited <= minutes(2), `${waited} ms`);
});

t.test("what time does not mend is not asked again", async (t) => {
  for (const kind of ["person", "cycle", "limit"] satisfies FailureKind[]) {
    const spoken = new Spoken("m", [failure(kind)]);
    await t.rejects(patient(spoken).model.respond(OPENING, [], never), { name: "ModelError", kind });
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

t.test(
  "time that went by in asking counts: what failed after two minutes is not asked for again",
  async (t) => {
    const clock = new SimulatedClock();
    const slow = new Spoken("m", [
      () => clock.advance(minutes(3)).then(() => Promise.reject(failure("broken"))),
    ]);
    await t.rejects(patient(slow, clock).model.respond(OPENING, [], never), {
      name: "ModelError",
      kind: "broken",
    });
    t.equal(slow.asked, 1);
  },
);

/** Asks a model for a reply in a cycle that began `began` ago; how long it took to fail, how, and what was said meanwhile. */
async function bounded(model: Model, began = minutes(0)) {
  const clock = new SimulatedClock();
  const slow: number[] = [];
  const onSlow = () => slow.push(clock.monotonic());
  const bounds = { reply: minutes(10), cycle: minutes(25) };
  const within = new BoundedModel({ ...model, respond: respondingAfter(model) }, { bounds, clock, onSlow });
  await within.respond(OPENING, [], never).catch(() => undefined);
  await clock.advance(began);
  const from = clock.monotonic();
  const failed = await passing(clock, within.respond(AFTER, [], never)).catch((error: unknown) => error);
  return { failed, took: clock.monotonic() - from, slow: slow.map((at) => at - from) };
}

/** The first question is answered at once. */
function respondingAfter(model: Model): Model["respond"] {
  return (conversation, ...rest) =>
    conversation === OPENING ? Promise.resolve(DONE) : model.respond(conversation, ...rest);
}

const AFTER: readonly Message[] = [...OPENING, { role: "assistant", content: "", toolCalls: [] }];

function hanging() {
  const heard: AbortSignal[] = [];
  const respond: Model["respond"] = (_, __, signal) => {
    heard.push(signal);
    return new Promise(() => undefined);
  };
  return { name: "m", respond, heard };
}

t.test(
  "a model that never answers has failed after its time, and what it asked is told to stop",
  async (t) => {
    const model = hanging();
    const { failed, took, slow } = await bounded(model);
    t.match(failed, {
      name: "ModelError",
      kind: "cycle",
      message: /^m did not answer within 10 minutes: .*--reply-within$/,
    });
    t.ok(model.heard[0]?.aborted);
    t.ok(took >= minutes(10) && took <= minutes(10) + seconds(2), `${took} ms`);
    t.strictSame(slow, [5000], "somebody who watches has heard once that it takes a while");
  },
);

t.test("a cycle ends in its time, however quick its single replies are", async (t) => {
  const { failed, took } = await bounded(hanging(), minutes(20));
  t.match(failed, {
    kind: "cycle",
    message: /^m was not done with a cycle within 25 minutes: .*--cycle-within$/,
  });
  t.ok(took >= minutes(5) && took <= minutes(5) + seconds(2), `${took} ms`);
  const late = new Spoken("m", [DONE]);
  t.match((await bounded(late, minutes(26))).failed, { message: /25 minutes/ });
  t.equal(late.asked, 0, "beyond it the model is not asked");
});
