import t from "tap";
import { nearestNames } from "../../../runtime/wire/schema-keys.js";

const TOOLS = [
  "read_moisture",
  "dispense_water",
  "turn_on_light",
  "turn_off_light",
  "list_tasks",
  "log_thought",
];

t.test("a slip of the pen finds the name that was meant first, in any case", async (t) => {
  for (const [slip, meant] of [
    ["read_moistures", "read_moisture"],
    ["dispence_water", "dispense_water"],
    ["turn_off_lihgt", "turn_off_light"],
    ["ListTasks", "list_tasks"],
  ] as const)
    t.equal(nearestNames(slip, TOOLS, 3)[0], meant);
});

t.test("as many are named as are asked for, and no more than there are", async (t) => {
  t.equal(nearestNames("water", TOOLS, 3).length, 3);
  t.strictSame(nearestNames("water", ["one"], 3), ["one"]);
  t.strictSame(nearestNames("water", [], 3), []);
});

t.test(
  "names that are as near stand in their own order, also for no name and for a very long one",
  async (t) => {
    t.strictSame(nearestNames("", ["bbb", "aaa", "cc"], 3), ["cc", "bbb", "aaa"]);
    t.equal(nearestNames("x".repeat(1_000_000), TOOLS, 3).length, 3);
  },
);
