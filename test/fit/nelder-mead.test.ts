import t from "tap";
import { nelderMead } from "./nelder-mead.js";

t.test("the simplex finds the foot of Rosenbrock's valley", async (t) => {
  const valley = ([x = 0, y = 0]: readonly number[]) => (1 - x) ** 2 + 100 * (y - x ** 2) ** 2;
  const { point, cost } = nelderMead(valley, [-1.2, 1], 0.5, 200);
  t.ok(cost < 1e-8 && point.every((value) => Math.abs(value - 1) < 1e-3), `${point}`);
});
