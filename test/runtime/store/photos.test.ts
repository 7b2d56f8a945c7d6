import { join } from "node:path";
import t, { type Test } from "tap";
import { hours } from "../../../drivers/units.js";
import { openStore } from "../../../runtime/store/store.js";

const END = Date.parse("2026-06-30T12:00:00.000Z");
const photo = (n: number, plant = "a") => ({
  plant,
  at: END - hours(10 - n),
  file: `${plant}-${n}.jpg`,
  light_on: n % 2 === 1,
  dark: n === 2,
  width: 640,
  height: 480,
  bytes: n * 1000,
});

async function open(t: Test) {
  const store = await openStore({ folder: join(t.testdir(), "state"), relaxed: true });
  t.teardown(() => store.close());
  for (const n of [1, 2, 3, 4]) await store.photos.add(photo(n));
  await store.photos.add(photo(4, "b"));
  return store.photos;
}

t.test("photos come back as they were added, chronological from the end", async (t) => {
  const photos = await open(t);
  t.same(await photos.recent(2, 0, "a"), [
    { id: 3, ...photo(3) },
    { id: 4, ...photo(4) },
  ]);
  t.same(
    (await photos.recent(2, 3, "a")).map(({ id }) => id),
    [1],
  );
  t.same(await photos.recent(2, 4, "a"), []);
});

t.test("a photo is found by its plant and instant", async (t) => {
  const photos = await open(t);
  t.same(await photos.byTimestamp("b", photo(4).at), { id: 5, ...photo(4, "b") });
  t.equal(await photos.byTimestamp("a", photo(4).at + 1), undefined);
});

t.test("history gives whole photos, and figures over their fields", async (t) => {
  const photos = await open(t);
  const query = { hours: 12, samplesPerHour: 0.042, endMs: END, plant: "a" };
  t.match(await photos.history({ ...query, aggregation: "last" }), {
    items: [{ id: 4, ...photo(4) }],
    coverage: { records: 4 },
  });
  t.match(await photos.history({ ...query, aggregation: "sum", valueField: "bytes" }), {
    items: [{ value: 10_000, count: 4 }],
  });
  await t.rejects(photos.history({ ...query, aggregation: "sum", valueField: "size" }), {
    code: "UNKNOWN_FIELD",
    message: /bytes/,
  });
  const { plant: _, ...everywhere } = query;
  t.match(await photos.history({ ...everywhere, aggregation: "count" }), { items: [{ value: 5 }] });
});

t.test("beyond a limit the oldest pictures go first, and their records stay", async (t) => {
  const photos = await open(t);
  t.same(await photos.beyond(14_000), []);
  t.same(await photos.beyond(13_000), [{ id: 1, file: "a-1.jpg" }]);
  t.same(
    (await photos.beyond(10_999)).map(({ id }) => id),
    [1, 2, 3],
    "4 and 4 kB fit, with 3 more they do not",
  );
  await photos.forgetFile(1);
  t.same(await photos.beyond(13_000), []);
  t.match(await photos.recent(1, 3, "a"), [{ id: 1, file: null, bytes: 1000 }]);
});
