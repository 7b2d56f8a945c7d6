import t from "tap";
import { type HealthParts, healthProblems } from "../../../runtime/service/service-manager.js";

const WELL: HealthParts = {
  board: { isGuarded: () => true },
  store: { assertHealthy: async () => undefined },
  sampling: { isLate: () => false },
};

t.test("a runtime with guard, rounds and store is well", async (t) => {
  t.same(await healthProblems(WELL), []);
});

t.test("each of them is told of by itself", async (t) => {
  const full = { assertHealthy: () => Promise.reject(new Error("the disk is full")) };
  const none = { board: { isGuarded: () => false }, store: full, sampling: { isLate: () => true } };
  t.same(await healthProblems(none), [
    "no guard has the relays",
    "no round of the probes has ended in time",
    "the disk is full",
  ]);
});
