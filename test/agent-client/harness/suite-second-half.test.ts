import t from "tap";
import { promiseOrder, whereWaterDecides } from "./suite-order.js";

for (const scenario of whereWaterDecides(1, 2)) {
  t.test(`${scenario.name}: the caretaker is best, and both fools fare clearly worse`, async (t) =>
    promiseOrder(t, scenario),
  );
}
