import { readFileSync } from "node:fs";
import t from "tap";

t.test("the labels", async (t) => {
  t.equal(readFileSync("/sys/class/gpio/gpiochip512/label", "utf8"), "expander\n");
});
