import t from "tap";
import { fail } from "../scripted-runtime.js";
import { care, light, note, past, soil } from "./rig.js";

const own = (...lines: readonly string[]) => note(["## The caretaker's own notes", ...lines].join("\n"));
const wobble = (ago: number) => 0.05 * Math.sin(ago);
const drying = (ago: number) => 55 + ago / 6 + wobble(ago);
const STUCK = past((ago) => 52 + wobble(ago));
const REVERSED = past((ago) => (ago > 30 ? 50 - (40 - ago) / 6 : 58 - ago / 6));

t.test(
  "a probe that says the same for a day and a half is told as stuck, once, and not believed",
  async (t) => {
    const first = await care({ answers: { ...STUCK, read_moisture: soil(52) } });
    t.match(first.messages, [/the moisture probe seems stuck: it has said 52\.0 %.*I pour no water/]);
    t.match(first.status, { plant_state: "unknown", sensor_reading: 17_812 });
    t.match(first.note, /^- soil plant: 2026-06-01T12:30:00\.000Z probe stuck$/m);
    const second = await care({ answers: { ...STUCK, fetch_notes: note(first.note) } });
    t.strictSame(second.messages, []);
  },
);

t.test("soil that dries is believed, however slowly", async (t) => {
  for (const percentADay of [10, 1, 0.4]) {
    const { messages, note } = await care({ answers: past((ago) => 52 + (ago * percentADay) / 24) });
    t.strictSame(messages, [], `${percentADay} % a day`);
    t.match(note, /probe trusted/);
  }
});

t.test("dust-dry soil may stand still: there the water that is poured tells", async (t) => {
  const { deeds, messages } = await care({ answers: { ...past(() => 24), read_moisture: soil(24) } });
  t.strictSame(messages, []);
  t.strictSame(deeds, ["water 25", "water 25"]);
});

t.test("a hole in the readings, or a dose, is no standing still", async (t) => {
  const holed = past((ago) => (ago > 10 && ago < 20 ? null : 52));
  t.strictSame((await care({ answers: holed })).messages, []);
  const poured = past(() => 52, [{ hoursAgo: 30, ml: 20 }]);
  t.strictSame((await care({ answers: poured })).messages, []);
});

t.test("soil that gets wetter by itself is told as a reversed probe, and gets no water", async (t) => {
  const { messages, deeds } = await care({ answers: { ...REVERSED, read_moisture: soil(20) } });
  t.match(messages, [/probe seems reversed or out of the soil/]);
  t.strictSame(deeds, []);
});

t.test("soil that gets drier right after water is a reversed probe", async (t) => {
  const answers = past((ago) => (ago > 4 ? 50 : 46) + wobble(ago), [{ hoursAgo: 4, ml: 40 }]);
  t.match((await care({ answers })).messages, [/probe seems reversed/]);
});

t.test("water by the person's hand, and its sinking in, is neither", async (t) => {
  const byHand = past((ago) => (ago > 20 ? 30 + (ago - 20) / 6 : 60 - (20 - ago) / 6));
  t.strictSame((await care({ answers: byHand })).messages, []);
});

t.test("once the probe moves as soil does it is believed again, and a relapse is news", async (t) => {
  const suspected = own(
    "- soil plant: 2026-06-01T12:00:00.000Z probe stuck, 5.0 ml a percent",
    "- told probe-stuck/plant: 2026-06-01T06:00:00.000Z",
  );
  const mended = past((ago) => (ago > 3 ? 52 : 36));
  const { deeds, note, messages } = await care({
    answers: { ...mended, read_moisture: soil(36), fetch_notes: suspected },
  });
  t.strictSame(messages, []);
  t.ok(deeds.length > 0, "it is watered at once");
  t.match(note, /probe trusted, 5\.0 ml a percent/);
  t.notMatch(note, /told probe-stuck/);
});

t.test("what a percent costs is learned from waterings, and used", async (t) => {
  const doses = [{ hoursAgo: 10, ml: 40 }];
  const history = past((ago) => (ago > 10 ? 36 : 41) + wobble(ago) / 5, doses);
  const { deeds, note } = await care({ answers: { ...history, read_moisture: soil(38) } });
  t.match(note, /probe trusted, 8\.\d ml a percent/);
  t.equal(deeds.length, 4, "100 ml, the most for a plant of unknown kind, in place of 34");
});

t.test("a cycle of water into a pot of unknown size stays small, whatever the plant", async (t) => {
  const answers = { read_moisture: soil(5), get_light_status: light(300) };
  const { deeds } = await care({ answers }, "Plant 0: P (tomato)");
  t.strictSame(deeds, ["water 25", "water 25"]);
});

t.test("what is learned keeps within bounds and moves by a quarter at most", async (t) => {
  const learned = async (rise: number, before: string) => {
    const history = past((ago) => (ago > 5 ? 40 : 40 + rise), [{ hoursAgo: 5, ml: 100 }]);
    const fetch_notes = own(`- soil plant: 2026-05-31T12:00:00.000Z probe trusted${before}`);
    const { note } = await care({ answers: { ...history, fetch_notes } });
    return /, ([\d.]+) ml a percent/.exec(note)?.[1];
  };
  t.equal(await learned(1.1, ""), "20.0", "at most 20");
  t.equal(await learned(100, ""), "1.0", "at least 1");
  t.equal(await learned(10, ", 4.0 ml a percent"), "5.0", "a quarter up");
  t.equal(await learned(25, ", 8.0 ml a percent"), "6.4", "a quarter down");
  t.equal(await learned(0, ", 4.0 ml a percent"), "4.0", "a tube off teaches nothing");
  t.equal(await learned(0, ", 900 ml a percent"), "20.0", "nor does what others write in the note");
});

t.test("it looks back twice a day, and in every cycle under suspicion", async (t) => {
  const looks = async (...lines: readonly string[]) => {
    const { runtime } = await care({ answers: { ...past(drying), fetch_notes: own(...lines) } });
    return runtime.argsOf("get_moisture_history").length;
  };
  const soilAt = (timestamp: string, words = "trusted, 5.0 ml a percent") =>
    `- soil plant: ${timestamp} probe ${words}`;
  t.equal(await looks(), 1, "never before");
  t.equal(await looks(soilAt("2026-06-01T00:31:00.000Z")), 0, "less than 12 hours ago");
  t.equal(await looks(soilAt("2026-06-01T00:30:00.000Z")), 1, "12 hours ago");
  t.equal(await looks(soilAt("2026-06-02T00:30:00.000Z")), 1, "the clock was set back");
  t.equal(await looks(soilAt("2026-06-01T12:00:00.000Z", "stuck")), 1, "under suspicion");
  t.equal(await looks(soilAt("2026-06-01T12:00:00.000Z", "nonsense")), 1, "a line that cannot be read");
  const poured = "- plant plant: 2026-06-01T06:30:00.000Z moisture 36.0 %, 36 ml, 0 min of light";
  t.equal(await looks(soilAt("2026-06-01T06:30:00.000Z", "trusted"), poured), 1, "after the first water");
});

t.test("histories that are refused leave what was known", async (t) => {
  const fetch_notes = own("- soil plant: 2026-05-31T00:00:00.000Z probe trusted, 5.0 ml a percent");
  const down = {
    get_moisture_history: () => fail("STORE_FAILED"),
    get_water_history: () => fail("STORE_FAILED"),
  };
  const { note, deeds, outcome } = await care({ answers: { ...down, fetch_notes, read_moisture: soil(39) } });
  t.match(note, /- soil plant: 2026-05-31T00:00:00\.000Z probe trusted, 5\.0 ml a percent/);
  t.equal(deeds.length, 4, "16 % at 5 ml");
  t.equal(outcome.completed, true);
});

t.test("water that is still sinking in is waited for, twenty minutes and no longer", async (t) => {
  const after = async (timestamp: string, percent: number) => {
    const fetch_notes = own(`- plant plant: ${timestamp} moisture 36.0 %, 36 ml, 0 min of light`);
    return care({ answers: { fetch_notes, read_moisture: soil(percent) } });
  };
  const waiting = await after("2026-06-01T12:15:00.000Z", 36.2);
  t.strictSame(waiting.deeds, []);
  t.match(waiting.status, { reasoning: "a little dry: no water before the last dose has sunk in" });
  t.equal((await after("2026-06-01T12:15:00.000Z", 38)).deeds.length, 2, "it has risen, and not enough");
  t.equal((await after("2026-06-01T12:10:00.000Z", 36.2)).deeds.length, 2, "twenty minutes ago");
});
