import { join } from "node:path";
import t from "tap";
import { readRecording, withoutGaps } from "../../../drivers/bench/replay.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { openBoard } from "../../../drivers/open-board.js";
import { type EpochMillis, hours, millilitres, millis, minutes, seconds } from "../../../drivers/units.js";
import { BASIL, benchRig, hardware } from "../bench-rig.js";

/** An evening with one watering, a night without rows, a morning. */
const FILE = join(process.cwd(), "test/fixtures/real-plant/soil.csv");
const REPLAY = { file: FILE, zone: "+02:00" };
const rows = readRecording(FILE, REPLAY.zone);
/** One count of the ADC at ±4.096 V. */
const LSB = 0.000125;

const rigAt = (t: Parameters<typeof benchRig>[0], time: string) => {
  const clock = new SimulatedClock(time);
  return benchRig(t, { clock, replay: REPLAY });
};

t.test(
  "at every row's time the probe reads the recording's volts through the chip's registers, within a count",
  async (t) => {
    const { clock, probe } = await rigAt(t, "2025-09-15T15:07:00Z");
    t.equal(rows.length, 393);
    let [worst, read] = [0, 0];
    for (const row of rows) {
      await clock.advance(millis(row.at - clock.now()));
      worst = Math.max(worst, Math.abs((await probe.read()).level - row.volts));
      read += 1;
    }
    t.equal(read, rows.length);
    t.ok(worst <= LSB, `at most ${worst} V apart`);
  },
);

t.test("the watering of that evening is seen: from bone-dry to moist within minutes", async (t) => {
  const { clock, probe } = await rigAt(t, "2025-09-15T15:25:00Z");
  const before = await probe.read();
  await clock.advance(minutes(10));
  const after = await probe.read();
  t.match([before.percent, after.percent], [4.3, 74.1]);
});

t.test(
  "a gap of the recording is known as one; without its gaps the recording goes on at once",
  async (t) => {
    const { bench } = await rigAt(t, "2025-09-15T20:30:00Z");
    const gap = bench.recordingGap();
    const [from, until] = [gap?.from ?? 0, gap?.until ?? 0].map((at) => new Date(at).toISOString());
    t.match([from, until], ["2025-09-15T19:59:00.000Z", "2025-09-16T04:00:00.000Z"]);
    t.equal((await rigAt(t, "2025-09-15T15:27:00Z")).bench.recordingGap(), undefined);
    const shorter = withoutGaps(rows);
    t.equal(shorter.length, rows.length);
    const steps = shorter.slice(1).map((row, at) => row.at - (shorter[at]?.at ?? 0));
    t.ok(Math.max(...steps) <= minutes(5) && Math.min(...steps) > 0, "in order, and nowhere apart");
    t.same(
      shorter.map(({ volts }) => volts),
      rows.map(({ volts }) => volts),
    );
  },
);

t.test("between two rows the earlier one holds", async (t) => {
  const { clock, probe } = await rigAt(t, "2025-09-15T15:27:00Z");
  const { raw } = await probe.read();
  await clock.advance(seconds(59));
  t.match(await probe.read(), { raw, noise: 1 });
});

t.test("more than five minutes without a row are an unplugged probe, until the next row", async (t) => {
  const { clock, probe } = await rigAt(t, "2025-09-15T19:59:00Z");
  await clock.advance(minutes(4));
  t.match(await probe.read(), { raw: 13_232 });
  await clock.advance(minutes(1));
  await t.rejects(probe.read(), { code: "PROBE_DISCONNECTED" });
  await clock.advance(hours(7));
  await t.rejects(probe.read(), { code: "PROBE_DISCONNECTED" });
  await clock.advance(minutes(56));
  t.match(await probe.read(), { raw: 13_736 });
});

t.test("doses run the pump and move nothing", async (t) => {
  const { clock, probe, pump, bench } = await rigAt(t, "2025-09-15T18:00:00Z");
  const dose = pump.dispense(millilitres(25));
  await clock.advance(minutes(10));
  t.match(await dose, { ml: 25, outcome: "elapsed" });
  t.equal(bench.pumpEdges("basil").length, 2);
  t.match(await probe.read(), { raw: 13_104 }, "as recorded");
});

t.test("it ends a minute after the last row, and says so", async (t) => {
  const { clock, board, probe } = await rigAt(t, "2025-09-16T05:38:00Z");
  let ended = false;
  void board.replayEnded?.then(() => {
    ended = true;
  });
  await clock.advance(minutes(1.9));
  t.equal(ended, false);
  t.match(await probe.read(), { raw: 13_792 }, "the last row is there to be read");
  await clock.advance(minutes(0.1));
  t.equal(ended, true);
});

t.test("the bench's own clock starts at the first row", async (t) => {
  const options = { speed: 60, seed: 1, replay: REPLAY, start: 0 as EpochMillis };
  const board = await openBoard({ kind: "bench", plants: [BASIL] }, options);
  t.teardown(() => board.close());
  const late = board.clock.now() - Date.parse("2025-09-15T15:07:00Z");
  t.ok(late >= 0 && late < 60_000, `${late} ms`);
  t.match(await hardware(board.plants, "basil").probe.read(), { raw: 21_512 });
});

t.test("a bench without a recording has no end of it", async (t) => {
  const { board } = await benchRig(t);
  t.equal(board.replayEnded, undefined);
});
