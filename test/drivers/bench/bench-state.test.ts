import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { BenchStateFile } from "../../../drivers/bench/bench-state.js";
import { BenchSaver, boot } from "../../../drivers/bench/boot.js";
import { speciesNamed } from "../../../drivers/bench/species.js";
import { freshPlant } from "../../../drivers/bench/virtual-plant.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { openBoard } from "../../../drivers/open-board.js";
import { type EpochMillis, hours, millilitres, minutes, seconds } from "../../../drivers/units.js";
import { BASIL, hardware } from "../bench-rig.js";

const REPLAY = { file: join(process.cwd(), "test/fixtures/real-plant/soil.csv"), zone: "UTC" };
const CONFIG = { kind: "bench" as const, plants: [BASIL] };
const open = (stateFolder: string, clock = new SimulatedClock()) =>
  openBoard(CONFIG, { stateFolder, clock, speed: 1, seed: 1 });
const PLANT = freshPlant(speciesNamed("basil"));
const stored = (folder: string) => JSON.parse(readFileSync(join(folder, "bench.json"), "utf8"));

t.test(
  "a bench that was closed goes on where it was: its clock, its plants, its count of boots",
  async (t) => {
    const folder = t.testdir();
    const options = {
      stateFolder: folder,
      speed: 60,
      seed: 1,
      start: Date.parse("2026-03-01T12:00:00Z") as EpochMillis,
    };
    const first = await openBoard(CONFIG, options);
    t.match(first.clock.bootId, /^bench-boot-1-/);
    await first.clock.sleep(seconds(5));
    await first.close();
    const closedAt = first.clock.now();
    const second = await openBoard(CONFIG, options);
    t.teardown(() => second.close());
    const gap = second.clock.now() - closedAt;
    t.ok(gap > -10_000 && gap < 60_000, `goes on ${gap} ms from where it was`);
    t.match(second.clock.bootId, /^bench-boot-2-/);
    t.ok(second.clock.monotonic() < 60_000, "monotonic time starts anew");
  },
);

t.test(
  "water that was poured is in the soil after a restart, and the plant has lived through the time between",
  async (t) => {
    const folder = t.testdir();
    const clock = new SimulatedClock();
    const first = await open(folder, clock);
    void hardware(first.plants, "basil").pump.dispense(millilitres(25));
    await clock.advance(minutes(10));
    const moisture = first.bench.moisture("basil");
    await first.close();
    const second = await open(folder, clock);
    t.equal(second.bench.moisture("basil"), moisture);
    await second.close();
    clock.reboot({ downtime: hours(24) });
    const third = await open(folder, clock);
    t.ok(third.bench.moisture("basil") < moisture - 5, "a day without water");
    await third.close();
  },
);

t.test("every edge of a relay is saved as it happens", async (t) => {
  const folder = t.testdir();
  const clock = new SimulatedClock();
  const board = await open(folder, clock);
  t.teardown(() => board.close());
  await clock.advance(minutes(30));
  void hardware(board.plants, "basil").light.pulse(minutes(30));
  await untilSaved(folder, clock);
  t.pass("switched on");
  await clock.advance(minutes(30)); // and no further: a save tells the time at which it is written
  await untilSaved(folder, clock);
  t.pass("switched off by its own timer");
});

/** Waits until the file holds the present instant; tap's own time limit is the bound. */
async function untilSaved(folder: string, clock: SimulatedClock): Promise<void> {
  while (stored(folder).wall !== clock.now()) await new Promise((resolve) => setImmediate(resolve));
}

t.test(
  "where nothing happens it is saved every five seconds of real time, and its clock always covers them",
  async (t) => {
    const folder = t.testdir();
    const [clock, real] = [new SimulatedClock(), new SimulatedClock()];
    const options = { stateFolder: folder, clock, speed: 60, seed: 1 };
    const file = new BenchStateFile(folder);
    const saver = new BenchSaver(file, await boot(options), new Map(), 60, real);
    await saver.begin();
    let writes = 0;
    for (let second = 1, last = stored(folder).wall; second <= 60; second += 1) {
      await clock.advance(minutes(1));
      await real.advance(seconds(1));
      await file.load(); // its turn comes after a save
      if (second % 5 === 0)
        while (stored(folder).wall === last) await new Promise((resolve) => setImmediate(resolve));
      const { wall } = stored(folder);
      if (wall !== last) writes += 1;
      last = wall;
      t.ok(wall > clock.now(), "after a kill no time comes twice");
    }
    t.equal(writes, 12);
    await saver.end();
    t.equal(stored(folder).wall, clock.now());
  },
);

t.test("closing switches everything off first, and ends what was running", async (t) => {
  const clock = new SimulatedClock();
  const board = await open(t.testdir(), clock);
  const { pump, light } = hardware(board.plants, "basil");
  const [dose, shine] = [pump.dispense(millilitres(25)), light.pulse(minutes(60))];
  await clock.advance(seconds(2));
  await board.close();
  t.match(await dose, { ml: 3, outcome: "ended" });
  t.match(await shine, { onFor: 2000, outcome: "ended" });
});

t.test("plants that are not configured any more keep their place in the file", async (t) => {
  const folder = t.testdir();
  const mint = { ...BASIL, id: "mint", probe: { ...BASIL.probe, channel: 1 as const } };
  const both = await openBoard(
    { kind: "bench", plants: [BASIL, mint] },
    { stateFolder: folder, clock: new SimulatedClock(), speed: 1, seed: 1 },
  );
  await both.close();
  await (await open(folder)).close();
  t.match(Object.keys(stored(folder).plants), ["basil", "mint"]);
});

t.test("a broken state file is refused by name and left as it is", async (t) => {
  const valid = { version: 1, boots: 1, wall: 1_770_000_000_000, recording: null, plants: {} };
  const withPlant = (plant: object) => ({ ...valid, plants: { basil: { at: 1, plant } } });
  const broken: Record<string, string> = {
    empty: "",
    zeros: "\0".repeat(200),
    torn: JSON.stringify(valid).slice(0, 30),
    "another version": JSON.stringify({ ...valid, version: 2 }),
    "no boots": JSON.stringify({ ...valid, boots: 0 }),
    "an unknown key": JSON.stringify({ ...valid, speed: 60 }),
    "negative water": JSON.stringify(withPlant({ ...PLANT, bound: -1 })),
    "a plant without its vigour": JSON.stringify(withPlant({ ...PLANT, vigour: undefined })),
    "a turgor above 1": JSON.stringify(withPlant({ ...PLANT, turgor: 1.1 })),
    "a clock far ahead of its plant": JSON.stringify({ ...withPlant(PLANT), wall: 3_600_000_000_000_000 }),
    "a plant with an unknown part": JSON.stringify(withPlant({ ...PLANT, flowers: 3 })),
  };
  for (const [name, text] of Object.entries(broken)) {
    const folder = t.testdir({ "bench.json": text });
    await t.rejects(
      open(folder),
      { code: "BENCH_STATE_INVALID", message: new RegExp(join(folder, "bench.json")) },
      name,
    );
    t.equal(readFileSync(join(folder, "bench.json"), "utf8"), text);
  }
  const folder = t.testdir();
  t.equal(spawnSync("mkfifo", [join(folder, "bench.json")]).status, 0);
  await t.rejects(open(folder), { code: "BENCH_STATE_INVALID" }, "a pipe");
});

t.test(
  "a recording has its own time: a folder of a bench without it, or with another, is refused",
  async (t) => {
    const folder = t.testdir();
    await (await open(folder)).close();
    const replaying = () =>
      openBoard(CONFIG, {
        stateFolder: folder,
        clock: new SimulatedClock(),
        speed: 1,
        seed: 1,
        replay: REPLAY,
      });
    await t.rejects(replaying(), {
      code: "BENCH_STATE_INVALID",
      message: /replays no recording.*soil\.csv from 2025-09-15/,
    });
  },
);

t.test("a replay goes on where it was, and is over where it was over", async (t) => {
  const folder = t.testdir();
  const options = { stateFolder: folder, speed: 60, seed: 1, replay: REPLAY };
  const clock = new SimulatedClock("2025-09-16T07:40:00Z");
  const first = await openBoard(CONFIG, { ...options, clock });
  await first.close();
  const second = await openBoard(CONFIG, options);
  t.teardown(() => second.close());
  t.ok(second.clock.now() >= Date.parse("2025-09-16T07:40:00Z"));
  let over = false;
  void second.replayEnded?.then(() => {
    over = true;
  });
  await second.clock.sleep(seconds(3));
  t.equal(over, true);
});

t.test(
  "where nothing can be written the bench does not open; where it stops, closing says so, relays off",
  async (t) => {
    const folder = t.testdir({ taken: "a file, not a folder" });
    await t.rejects(open(join(folder, "taken")), { code: /BENCH_STATE_(FAILED|INVALID)/ });
    const clock = new SimulatedClock();
    const board = await open(folder, clock);
    mkdirSync(join(folder, "bench.json.new"));
    const { pump } = hardware(board.plants, "basil");
    const dose = pump.dispense(millilitres(25));
    await clock.advance(seconds(1));
    await t.rejects(board.close(), { code: "BENCH_STATE_FAILED", message: /bench\.json cannot be written/ });
    t.match(await dose, { outcome: "ended", onFor: 1000 });
  },
);

t.test("saves do not overtake each other, and leave no other file behind", async (t) => {
  const folder = t.testdir();
  const file = new BenchStateFile(folder);
  const state = (boots: number) => ({
    version: 1 as const,
    boots,
    wall: 0 as EpochMillis,
    recording: null,
    plants: {},
  });
  await Promise.all(Array.from({ length: 20 }, (_, index) => file.save(() => state(index + 1))));
  t.match(await file.load(), { boots: 20 });
  t.equal(existsSync(join(folder, "bench.json.new")), false);
});

t.test("where another species stands now, it is a new plant; the same one goes on", async (t) => {
  const folder = t.testdir();
  const clock = new SimulatedClock();
  const first = await open(folder, clock);
  await clock.advance(hours(30));
  const worn = first.bench.truth("basil");
  await first.close();
  const fern = { ...BASIL, species: "Boston fern" };
  const options = { stateFolder: folder, clock, speed: 1, seed: 1 };
  const same = await openBoard(CONFIG, options);
  t.match(same.bench.truth("basil"), worn);
  await same.close();
  const other = await openBoard({ kind: "bench", plants: [fern] }, options);
  t.match(other.bench.truth("basil"), { hydration: 100, water: { lost: 0 } });
  await other.close();
});

const DAY = hours(24);
const T0 = Date.parse("2026-03-01T12:00:00Z") as EpochMillis;

/** The clock of a bench that is opened and closed again. */
async function clockOf(stateFolder: string, stateUsed: boolean, start = T0) {
  const board = await openBoard(CONFIG, { stateFolder, stateUsed, speed: 1, seed: 1, start });
  const seen = { synchronised: board.clock.synchronised(), now: board.clock.now() };
  await board.close();
  return { ...seen, explanation: board.explanation.join("\n") };
}

t.test(
  "a bench without its state is new in a new folder, and has lost its clock in a used one",
  async (t) => {
    const folder = t.testdir();
    t.match(await clockOf(folder, false), { synchronised: true });
    t.match(await clockOf(folder, true), { synchronised: true }, "its state is there");
    rmSync(join(folder, "bench.json"));
    t.match(await clockOf(folder, true), {
      synchronised: false,
      explanation: /lost with bench\.json: until 2026-03-02T12:00/,
    });
    t.match(await clockOf(folder, true), { synchronised: false }, "also after the next start");
  },
);

t.test(
  "a clock that was lost counts again after a day of the bench's own time, over all its starts",
  async (t) => {
    const folder = t.testdir();
    await clockOf(folder, true);
    const at = (wall: number) =>
      writeFileSync(join(folder, "bench.json"), JSON.stringify({ ...stored(folder), wall }));
    at(T0 + DAY - 60_000);
    t.match(await clockOf(folder, true), { synchronised: false });
    at(T0 + DAY);
    t.match(await clockOf(folder, true), { synchronised: true });
    t.notOk("unprovedUntil" in stored(folder), "and is not spoken of any more");
  },
);

t.test("a clock that is lost again begins its day anew", async (t) => {
  const folder = t.testdir();
  await clockOf(folder, true);
  rmSync(join(folder, "bench.json"));
  t.match(await clockOf(folder, true, (T0 + 2 * DAY) as EpochMillis), { synchronised: false });
  t.equal(stored(folder).unprovedUntil, T0 + 3 * DAY);
});
