import t from "tap";
import { HurriedModel } from "../../../agent-client/models/hurried.js";
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

t.test("patience ends after two minutes of it, with the last reason", async (t) => {
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

t.test("a probe is given up after its time, and what it asked is told to stop", async (t) => {
  const clock = new SimulatedClock();
  let heard: AbortSignal | undefined;
  const hanging = {
    name: "m",
    respond: (_: unknown, __: unknown, signal: AbortSignal) => {
      heard = signal;
      return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  };
  const pending = new HurriedModel(hanging, clock, minutes(15)).respond(OPENING, [], never);
  await t.rejects(passing(clock, pending), {
    name: "ModelError",
    kind: "broken",
    message: "m did not answer within 15 minutes",
  });
  t.ok(heard?.aborted);
  t.ok(clock.monotonic() >= minutes(15));
});
