import t from "tap";
import { ok } from "../scripted-runtime.js";
import { at, care, note } from "./rig.js";

interface Shot {
  readonly timestamp: string;
  readonly dark?: boolean;
}
const album = (...photos: readonly Shot[]) => ({
  get_recent_photos: () => ok({ count: photos.length, photos }),
});
const shot = (dark: boolean, day: number, hour = "12") => ({
  timestamp: `2026-05-${day}T${hour}:00:00.000Z`,
  dark,
});
const taken = (dark: boolean) => ({
  capture_photo: () => ok({ url: "", timestamp: "2026-06-01T12:30:00.000Z", light_on: false, dark }),
});

t.test("one photo a day, at midday", async (t) => {
  const shoots = async (now: string, ...photos: readonly string[]) => {
    const answers = { get_current_time: at(now), ...album(...photos.map((timestamp) => ({ timestamp }))) };
    return (await care({ answers })).deeds.includes("photo");
  };
  const noon = "2026-06-01T12:30:00.000Z";
  t.equal(await shoots(noon), true, "never photographed");
  t.equal(await shoots(noon, "2026-06-01T06:30:00.000Z"), true, "only in the morning");
  t.equal(await shoots(noon, "2026-06-01T10:30:00.000Z"), false, "at midday already");
  t.equal(
    await shoots("2026-06-01T18:00:00.000Z", "2026-05-31T20:00:00.000Z"),
    true,
    "22 hours ago: at any hour of the day",
  );
  t.equal(await shoots("2026-06-01T18:00:00.000Z", noon), false);
  t.equal(await shoots("2026-06-01T05:00:00.000Z", "2026-05-29T12:00:00.000Z"), false, "not by night");
});

const BRIGHT = [shot(false, 29), shot(false, 30)];

t.test("two dark middays after bright ones are told, once", async (t) => {
  const answers = { ...album(...BRIGHT, shot(true, 31)), ...taken(true) };
  const first = await care({ answers });
  t.match(first.messages, [/the camera's photos of two days are dark at midday/]);
  const second = await care({ answers: { ...answers, fetch_notes: note(first.note) } });
  t.strictSame(second.messages, []);
});

t.test(
  "one dark midday, dark mornings and evenings, and a room that is always dark are nothing to tell",
  async (t) => {
    const quiet = async (photos: readonly Shot[], dark: boolean) => {
      t.strictSame((await care({ answers: { ...album(...photos), ...taken(dark) } })).messages, []);
    };
    await quiet(BRIGHT, true);
    await quiet([...BRIGHT, shot(true, 31, "07"), shot(true, 31, "18")], true);
    await quiet([shot(true, 29), shot(true, 30), shot(true, 31)], true);
  },
);

t.test(
  "whoever was told is reminded after a day also when no bright photo is left to compare with",
  async (t) => {
    const dark = [29, 30, 31].map((day) => shot(true, day));
    const told = note("## The caretaker's own notes\n- told camera-dark/plant: 2026-05-31T12:00:00.000Z");
    const { messages } = await care({ answers: { ...album(...dark), ...taken(true), fetch_notes: told } });
    t.equal(messages.length, 1);
  },
);

t.test("a bright midday settles it", async (t) => {
  const told = note("## The caretaker's own notes\n- told camera-dark/plant: 2026-06-01T06:00:00.000Z");
  const answers = { ...album(...BRIGHT, shot(true, 31)), ...taken(false), fetch_notes: told };
  const cared = await care({ answers });
  t.strictSame(cared.messages, []);
  t.notMatch(cared.note, /camera-dark/);
});
