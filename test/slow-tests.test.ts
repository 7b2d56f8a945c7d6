import { fileURLToPath } from "node:url";
import t from "tap";
import { SlowTests } from "./slow-tests.js";

const slow = new SlowTests(fileURLToPath(new URL("..", import.meta.url)));

t.test("a test that starts a process is not among the fast ones, also where a helper does it", async (t) => {
  for (const path of ["runtime/store/kill", "cli-running", "clients/every-tool", "drivers/bench/kill"])
    t.ok(slow.has(`test/${path}.test.js`), path);
});

t.test("a test that simulates days, lives of faults or chips is not among the fast ones", async (t) => {
  for (const path of ["agent-client/harness/events", "faults/sequences", "firmware/doses", "scenarios/week"])
    t.ok(slow.has(`test/${path}.test.js`), path);
});

t.test("every other test is a fast one", async (t) => {
  for (const path of ["architecture", "contract/water", "services/time/contract", "agent-client/connect"])
    t.notOk(slow.has(`test/${path}${path.endsWith("contract") ? "" : ".test"}.js`), path);
});
