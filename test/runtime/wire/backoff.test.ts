import t from "tap";
import { exponentialBackoff } from "../../../runtime/wire/program.js";

const first = (count: number, random: () => number) => {
  const waits = exponentialBackoff(random);
  return Array.from({ length: count }, () => waits.next().value);
};

t.test("waits double up to half a minute", (t) => {
  t.strictSame(
    first(10, () => 0),
    [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000],
  );
  t.end();
});

t.test("chance shortens each wait by up to half", (t) => {
  t.strictSame(
    first(3, () => 0.5),
    [150, 300, 600],
  );
  t.ok(first(3, () => 0.999999).every((wait, index) => wait > 100 * 2 ** index));
  t.end();
});
