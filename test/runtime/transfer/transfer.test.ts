import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import t, { type Test } from "tap";
import { minutes } from "../../../drivers/units.js";
import { openStore } from "../../../runtime/store/store.js";
import { failsClearly, spawnTendril } from "../../run-tendril.js";
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

for (const format of ["csv", "jsonl"] as const)
  t.test(`an export as ${format} that is imported and exported again is the same, row by row`, async (t) => {
    const { folder, state } = await filled(t, 300);
    const [first, second] = [join(folder, `first.${format}`), join(folder, `second.${format}`)];
    t.match(await tendrilHere(["export", "--state", state, "--format", format, "--to", first]), {
      code: 0,
      err: "",
    });
    const bench = join(folder, "bench");
    t.match(await tendrilHere(["import", first, "--state", bench]), { code: 0, out: /^600 rows are in / });
    t.match(await tendrilHere(["export", "--state", bench, "--format", format, "--to", second]), { code: 0 });
    t.equal(await readFile(second, "utf8"), await readFile(first, "utf8"));
    t.notOk(existsSync(`${first}.part`));
    const [from, to] = await Promise.all([state, bench].map((each) => openStore({ folder: each })));
    t.same(await to?.readings.latest("basil", 999), await from?.readings.latest("basil", 999));
    const all = [ROOM, "air_temperature", 999] as const;
    t.same(await to?.measurements.latest(...all), await from?.measurements.latest(...all));
    await Promise.all([from?.close(), to?.close()]);
  });

t.test("an export is of the range, the plants and the quantities that are named", async (t) => {
  const { state } = await filled(t, 100);
  const range = ["--from", "2026-06-30T12:00:00Z", "--until", new Date(END).toISOString()];
  const { out } = await tendrilHere(["export", "--state", state, "--plant", "basil", ...range]);
  const lines = out.trim().split("\n");
  t.equal(lines[0], "time_utc,place,quantity,value,unit,quality,raw,noise,level");
  t.equal(lines.length, 1 + 35);
  t.ok(lines.slice(1).every((line) => /^2026-06-30T12:.*Z,basil,soil_moisture,/.test(line)));
  const air = await tendrilHere([
    "export",
    "--state",
    state,
    "--quantity",
    "air_temperature",
    "--format",
    "jsonl",
  ]);
  t.equal(air.out.trim().split("\n").length, 100);
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

const AIR = (value: string, quantity = "air_temperature", place = "attic") =>
  `2026-06-30T12:34:56.789Z,${place},${quantity},${value},°C,,,,\n`;
const SOIL_ROW = ({ place = "basil", value = "50", raw = "9", noise = "1", level = "1" }) =>
  `2026-06-30T12:34:56.789Z,${place},soil_moisture,${value},%,,${raw},${noise},${level}\n`;

t.test("a line that is no row refuses the whole import, by its number, and leaves nothing", async (t) => {
  const { folder, state } = await filled(t, 10);
  const file = join(folder, "rows.csv");
  await tendrilHere(["export", "--state", state, "--to", file]);
  const good = await readFile(file, "utf8");
  const bench = join(folder, "bench");
  for (const [bad, words] of [
    [`${good}2026-06-30T12:34:56.789Z,a,air_temperature,warm,°C,,,,\n`, /line 22: value.*IMPORT_INVALID/],
    [good.replace("°C", "°F"), /unit.*IMPORT_INVALID/],
    [good.replace("time_utc", "time"), /line 1: the header/],
    [`${good}"`, /within quotes/],
    ["", /line 1: the file is empty/],
    [`${good}${AIR("20").replace("2026", "9999")}`, /line 22: time_utc: must be from 1970 to 2099/],
    [`${good}${SOIL_ROW({}).replace("2026", "2100")}`, /line 22: time_utc: must be from 1970 to 2099/],
    [`${good}${SOIL_ROW({}).replace("2026", "1969")}`, /line 22: time_utc: must be from 1970 to 2099/],
    [`${good}${AIR("1e308")}`, /line 22: value: must be from -100 to 200/],
    [`${good}${AIR("-1e308")}`, /line 22: value: must be from -100 to 200/],
    [`${good}${AIR("Infinity")}`, /line 22: value/],
    [`${good}${AIR("20", "lux")}`, /line 22: quantity/],
    [`${good}${AIR("20", "air_temperature", "x".repeat(61))}`, /line 22: place/],
    [`${good}${AIR("20", "air_temperature", '""')}`, /line 22: place/],
    [`${good}${SOIL_ROW({ place: "Basil; DROP TABLE" })}`, /line 22: place: must be 1–32 of/],
    [`${good}${SOIL_ROW({ value: "1e308" })}`, /line 22: value: must be from -200 to 300/],
    [`${good}${SOIL_ROW({ raw: "1e308" })}`, /line 22: raw/],
    [`${good}${SOIL_ROW({ noise: "-1" })}`, /line 22: noise: must be from 0 to 65535/],
    [`${good}${SOIL_ROW({ level: "-1e308" })}`, /line 22: level: must be from -32768 to 65535/],
  ] as const) {
    await writeFile(file, bad);
    failsClearly(t, await tendrilHere(["import", file, "--state", bench]), words);
    t.notOk(existsSync(bench));
    t.notOk(existsSync(`${bench}.importing`));
  }
  failsClearly(
    t,
    await tendrilHere(["import", file, "--state", state]),
    /is not empty, and nothing of it was changed: name a folder that is not there yet, with --state \(/,
  );
  for (const at of [bench, state]) {
    failsClearly(
      t,
      await tendrilHere(["import", join(folder, "no.csv"), "--state", at]),
      /no\.csv.*NOT_FOUND/,
    );
  }
});

t.test("an import that is killed leaves no state folder, and one that says what it is", async (t) => {
  const { folder, state } = await filled(t, 20_000);
  const file = join(folder, "rows.jsonl");
  await tendrilHere(["export", "--state", state, "--format", "jsonl", "--to", file]);
  const bench = join(folder, "bench");
  const { child, ended } = spawnTendril(["import", file, "--state", bench]);
  while (!existsSync(`${bench}.importing`)) await setImmediate();
  child.kill("SIGKILL");
  await once(child, "exit");
  await ended;
  t.notOk(existsSync(bench));
  failsClearly(
    t,
    await tendrilHere(["import", file, "--state", bench]),
    /was cut off.*bench\.importing.*IMPORT_REFUSED/,
  );
});

t.test("an empty folder may be imported into", async (t) => {
  const { folder, state } = await filled(t, 3);
  const file = join(folder, "rows.csv");
  await tendrilHere(["export", "--state", state, "--to", file]);
  const bench = join(folder, "bench");
  await mkdir(bench);
  t.match(await tendrilHere(["import", file, "--state", bench]), { code: 0 });
});
