import t from "tap";
import { type Sample, thin } from "../../../../agent-client/harness/report/chart.js";

const samples = (count: number, value: (n: number) => number | null): Sample[] =>
  Array.from({ length: count }, (_, n) => [n, value(n)]);

t.test("a short line keeps every sample", async (t) => {
  const all = samples(20, (n) => n * n);
  t.same(thin(all, 10), [all]);
});

t.test("a long line keeps its peaks, at their own times, and its ends", async (t) => {
  const spikes = new Map([
    [0, 7],
    [1234, 99],
    [1235, -4],
    [7777, 60],
    [8759, 8],
  ]);
  const points = thin(
    samples(8760, (n) => spikes.get(n) ?? 20),
    100,
  ).flat();
  for (const [at, value] of spikes)
    t.ok(
      points.some((point) => point[0] === at && point[1] === value),
      `${at}`,
    );
  t.ok(points.length <= 200, `${points.length} points`);
  t.same(
    points.map(([at]) => at),
    points.map(([at]) => at).sort((a, b) => a - b),
    "in order of time",
  );
});

t.test("a gap breaks the line, also where it is shorter than a column", async (t) => {
  t.same(
    thin(
      samples(5, (n) => (n === 2 ? null : 1)),
      100,
    ),
    [
      [
        [0, 1],
        [1, 1],
      ],
      [
        [3, 1],
        [4, 1],
      ],
    ],
  );
  t.equal(
    thin(
      samples(8760, (n) => (n === 4321 ? null : n)),
      100,
    ).length,
    2,
  );
});

t.test("a line without a value is no line, and gaps at its ends leave nothing behind", async (t) => {
  t.same(
    thin(
      samples(9, () => null),
      100,
    ),
    [],
  );
  t.same(thin([], 100), []);
  t.same(
    thin(
      samples(4, (n) => (n === 1 ? 5 : null)),
      100,
    ),
    [[[1, 5]]],
  );
});
