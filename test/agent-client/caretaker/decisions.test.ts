import t from "tap";
import { fail } from "../scripted-runtime.js";
import { at, budget, care, light, note, soil } from "./rig.js";

t.test("what the caretaker does in each situation", async (t) => {
  const table = [
    { title: "moist and lit: nothing", answers: {}, deeds: [], state: "healthy" },
    {
      title: "a little dry: two doses toward 55 %",
      answers: { read_moisture: soil(36.2) },
      deeds: ["water 18", "water 18"],
      state: "healthy",
    },
    {
      title: "just under the line: two doses",
      answers: { read_moisture: soil(39.9) },
      deeds: ["water 15", "water 15"],
      state: "healthy",
    },
    { title: "at the line: no water", answers: { read_moisture: soil(40) }, deeds: [], state: "healthy" },
    {
      title: "rather dry: 25 + 25, the most in a cycle",
      answers: { read_moisture: soil(30) },
      deeds: ["water 25", "water 25"],
      state: "stressed",
    },
    {
      title: "very dry: no more than 50 ml all the same",
      answers: { read_moisture: soil(2) },
      deeds: ["water 25", "water 25"],
      state: "critical",
    },
    { title: "too wet: no water", answers: { read_moisture: soil(97) }, deeds: [], state: "stressed" },
    {
      title: "little budget left: one dose that fits",
      answers: { read_moisture: soil(20), get_water_usage_24h: budget(478) },
      deeds: ["water 22"],
      state: "concerning",
    },
    {
      title: "a fraction of a millilitre is not asked for",
      answers: { read_moisture: soil(20), get_water_usage_24h: budget(478.5) },
      deeds: ["water 21"],
      state: "concerning",
    },
    {
      title: "no budget left: no water",
      answers: { read_moisture: soil(20), get_water_usage_24h: budget(491) },
      deeds: [],
      state: "concerning",
    },
    {
      title: "dark so far: an hour of light",
      answers: { get_light_status: light(0) },
      deeds: ["light 60"],
      state: "healthy",
    },
    {
      title: "nearly lit enough: the rest",
      answers: { get_light_status: light(205) },
      deeds: ["light 35"],
      state: "healthy",
    },
    {
      title: "less than the least light missing: none",
      answers: { get_light_status: light(211) },
      deeds: [],
      state: "healthy",
    },
    {
      title: "resting light: none",
      answers: { get_light_status: light(0, { can_activate: false }) },
      deeds: [],
      state: "healthy",
    },
    {
      title: "light on already: none",
      answers: { get_light_status: light(0, { status: "on" }) },
      deeds: [],
      state: "healthy",
    },
    {
      title: "before six: no light, no photo",
      answers: { get_current_time: at("2026-06-02T05:59:00.000Z"), get_light_status: light(0) },
      deeds: [],
      state: "healthy",
    },
    {
      title: "in the evening: no light beyond eight",
      answers: { get_current_time: at("2026-06-01T19:20:00.000Z"), get_light_status: light(0) },
      deeds: ["light 40"],
      state: "healthy",
    },
    {
      title: "too late for the least light: none",
      answers: { get_current_time: at("2026-06-01T19:31:00.000Z"), get_light_status: light(0) },
      deeds: [],
      state: "healthy",
    },
    {
      title: "dry and dark: water first",
      answers: { read_moisture: soil(30), get_light_status: light(0) },
      deeds: ["water 25", "water 25", "light 60"],
      state: "stressed",
    },
  ];
  for (const { title, answers, deeds, state } of table) {
    t.test(title, async (t) => {
      const cared = await care({ answers });
      t.strictSame(cared.deeds, deeds);
      t.equal(cared.status.plant_state, state);
      t.equal(cared.outcome.completed, true, cared.outcome.reason);
    });
  }
});

t.test(
  "the status carries the figures exactly as they were read, and the plan that is then carried out",
  async (t) => {
    const cared = await care({
      answers: {
        read_moisture: soil(31.7, 19_004),
        get_water_usage_24h: budget(37.5),
        get_light_status: light(123),
      },
    });
    t.strictSame(cared.status, {
      timestamp: "2026-06-01T12:30:00.000Z",
      sensor_reading: 19_004,
      water_24h: 37.5,
      light_today: 123,
      plant_state: "stressed",
      next_action_sequence: [
        { order: 1, action: "water", value: 23 },
        { order: 2, action: "water", value: 23 },
        { order: 3, action: "light", value: 60 },
      ],
      reasoning: "rather dry: 2 doses of 23 ml, 60 min of light",
    });
    t.strictSame(cared.deeds, ["water 23", "water 23", "light 60"]);
  },
);

t.test(
  "a cycle looks, thinks, writes the status, acts, logs each deed before the next, and saves its note",
  async (t) => {
    const { runtime, outcome } = await care({
      answers: { read_moisture: soil(36.2), get_light_status: light(0) },
    });
    t.strictSame(
      runtime.calls.map(({ name }) => name),
      [
        "get_current_time",
        "read_moisture",
        "get_water_usage_24h",
        "get_light_status",
        "list_messages_from_human",
        "fetch_notes",
        "get_recent_photos",
        "log_thought",
        "write_plant_status",
        "dispense_water",
        "log_action",
        "dispense_water",
        "log_action",
        "turn_on_light",
        "log_action",
        "save_notes",
      ],
    );
    t.strictSame(
      runtime.argsOf("log_action").map(({ type }) => type),
      ["water", "water", "light"],
    );
    t.match(outcome, { rounds: 8, calls: 16, doses: 2, completed: true });
  },
);

t.test("a quiet cycle logs that it looked", async (t) => {
  const { runtime } = await care();
  t.strictSame(runtime.argsOf("log_action"), [
    {
      type: "observe",
      details: {
        plant: "plant",
        value: 17_812,
        percent: 60,
        timestamp: "2026-06-01T12:30:00.000Z",
        quality: "ok",
      },
    },
  ]);
});

t.test("the same answers always get the same calls", async (t) => {
  const script = { answers: { read_moisture: soil(22), get_light_status: light(10) } };
  t.strictSame((await care(script)).runtime.calls, (await care(script)).runtime.calls);
});

t.test("with several plants it names the one in its prompt, to the tools that ask which", async (t) => {
  const { runtime, note } = await care(
    { plants: ["basil", "mint"], answers: { read_moisture: soil(36.2) } },
    "Plant 1: mint",
  );
  const named = runtime.calls.filter(({ args }) => args.plant === "mint").map(({ name }) => name);
  t.strictSame([...new Set(named)].sort(), [
    "dispense_water",
    "get_light_status",
    "get_recent_photos",
    "get_water_usage_24h",
    "read_moisture",
    "write_plant_status",
  ]);
  t.match(note, /^- plant mint: /m);
});

t.test("a refused dose ends the watering, the light is still given", async (t) => {
  const answers = {
    read_moisture: soil(20),
    get_light_status: light(0),
    dispense_water: () => fail("PUMP_BUSY", { retry_after_s: 20 }),
  };
  const cared = await care({ answers });
  t.strictSame(cared.deeds, ["water 25", "light 60"]);
  t.strictSame(cared.messages, [], "a busy pump is not worth a message");
  t.equal(cared.outcome.doses, 0);
});

t.test("its note keeps what others wrote, before and after its own lines", async (t) => {
  const before = "# From Ann\nFertilise on Fridays.";
  const first = await care({ answers: { fetch_notes: note(before) } });
  const second = await care({ answers: { fetch_notes: note(`${first.note}\nAppended by a model.`) } });
  t.equal(
    second.note,
    `# From Ann\nFertilise on Fridays.\n\nAppended by a model.\n\n## The caretaker's own notes\n- plant plant: 2026-06-01T12:30:00.000Z moisture 60.0 %, 0 ml, 0 min of light`,
  );
});

t.test("a note that cannot be read is not overwritten", async (t) => {
  const { runtime, outcome } = await care({ answers: { fetch_notes: () => fail("STORE_FAILED") } });
  t.strictSame(runtime.argsOf("save_notes"), []);
  t.equal(outcome.completed, true);
});
