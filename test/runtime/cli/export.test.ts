import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { minutes } from "../../../drivers/units.js";
import { openStore } from "../../../runtime/store/store.js";
import { failsClearly } from "../../run-tendril.js";
import { tendrilHere } from "../../tendril-here.js";

const END = Date.parse("2026-06-30T12:34:56.789Z");
/** SQLite reads each of these from a text as the number beside it. */
const HARD = [16.21825216161937, 60.02058948391144, 39.60761061851289];
const ROOM = 'living "room", upstairs';

async function filled(t: Test, count: number) {
  const folder = t.testdir();
  const state = join(folder, "state");
  const store = await openStore({ folder: state, relaxed: true });
  for (let n = 0; n < count; n += 1) {
    // late rows and equal times too: the order of arrival is kept
    const at = END - ((n * 7919) % count) * minutes(1);
    store.readings.add({
      plant: "basil",
      at,
      value: n,
      percent: HARD[n] ?? (n % 700) / 7,
      noise: Math.PI,
      level: 1 / 3,
    });
    const quality = n % 5 === 0 ? "doubtful" : null;
    store.measurements.add({
      place: ROOM,
      quantity: "air_temperature",
      at,
      value: (0.1 + 0.2 * n) % 90,
      quality,
    });
  }
  await store.close();
  return { folder, state };
}

t.test("an export has every row in the order of its arrival, to the last digit", async (t) => {
  const { folder, state } = await filled(t, 300);
  const file = join(folder, "rows.csv");
  t.match(await tendrilHere(["export", "--state", state, "--to", file]), { code: 0, err: "" });
  t.notOk(existsSync(`${file}.part`));
  const [header, ...lines] = (await readFile(file, "utf8")).trimEnd().split("\n");
  t.equal(header, "time_utc,place,quantity,value,unit,quality,raw,noise,level");
  const store = await openStore({ folder: state });
  const soil = await store.readings.latest("basil", 999);
  const air = await store.measurements.latest(ROOM, "air_temperature", 999);
  await store.close();
  const time = (at: number) => new Date(at).toISOString();
  t.same(lines, [
    ...soil.map(({ at, percent, value, noise, level }) =>
      [time(at), "basil", "soil_moisture", percent, "%", "", value, noise, level].join(),
    ),
    ...air.map(({ at, value, quality }) =>
      [
        time(at),
        '"living ""room"", upstairs"',
        "air_temperature",
        value,
        "°C",
        quality ?? "",
        "",
        "",
        "",
      ].join(),
    ),
  ]);
});

t.test("an export is of the range, the plants and the quantities that are named", async (t) => {
  const { state } = await filled(t, 100);
  const range = ["--from", "2026-06-30T12:00:00Z", "--until", new Date(END).toISOString()];
  const { out } = await tendrilHere(["export", "--state", state, "--plant", "basil", ...range]);
  const lines = out.trim().split("\n");
  t.equal(lines[0], "time_utc,place,quantity,value,unit,quality,raw,noise,level");
  t.equal(lines.length, 1 + 35);
  t.ok(lines.slice(1).every((line) => /^2026-06-30T12:.*Z,basil,soil_moisture,/.test(line)));
  const air = await tendrilHere(["export", "--state", state, "--quantity", "air_temperature"]);
  t.equal(air.out.trim().split("\n").length, 1 + 100);
  failsClearly(
    t,
    await tendrilHere(["export", "--state", state, "--quantity", "lux"]),
    /soil_moisture.*INVALID_ARGUMENT/,
  );
  failsClearly(t, await tendrilHere(["export", "--state", join(state, "none")]), /NOT_FOUND/);
  failsClearly(
    t,
    await tendrilHere(["export", "--state", state, "--from", "2026-06-30 12:00"]),
    /with its zone/,
  );
});
