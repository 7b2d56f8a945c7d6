import t from "tap";
import { gaussian, uniform } from "../../../drivers/bench/math.js";

const first = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

t.test("the numbers are those of Mulberry32", async (t) => {
  // By the C source of 2017, compiled and run with x = 1.
  t.same(
    first(3, (n) => uniform(1, n) * 2 ** 32),
    [2693262067, 11749833, 2265367787],
  );
});

t.test("they are uniform or normal, and differ by seed", async (t) => {
  const values = first(20_000, (n) => gaussian(7, n));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  t.ok(Math.abs(mean) < 0.03 && Math.abs(deviation - 1) < 0.03, `${mean} ± ${deviation}`);
  t.ok(values.every(Number.isFinite));
  t.notSame(
    first(5, (n) => uniform(7, n)),
    first(5, (n) => uniform(8, n)),
  );
});
