import t from "tap";
import { Log } from "../../../agent-client/cycle/log.js";
import { withoutSecrets } from "../../../agent-client/run-log/log-files.js";
import type { Price } from "../../../agent-client/spending/limits.js";
import { budget, care, light, note, soil } from "../caretaker/rig.js";
import { fail, inTurn, ok, type Script } from "../scripted-runtime.js";

const timed = (name: string) => ({ call: { id: "1", name, arguments: {} }, took: 0 });

const shown = async (script: Script) => (await care(script)).log;

t.test("a cycle of watering and light reads like this", async (t) => {
  const answers = {
    read_moisture: soil(36.25),
    get_light_status: light(0),
    turn_on_light: () => fail("LIGHT_COOLDOWN", { retry_after_s: 690 }),
  };
  t.equal(
    await shown({ answers }),
    `12:30  cycle 1   moisture 36.3 % (raw 17 812)  water 24 h: 40/500 ml  light off
       decided     a little dry: 2 doses of 18 ml, 60 min of light
       did         dispense_water 18 ml → 440 ml left
       did         dispense_water 18 ml → 440 ml left
       refused     turn_on_light: LIGHT_COOLDOWN, 12 min left
       completed   15 calls in 0.0 s
`,
  );
});

t.test("a refused status, a correction and a message read like this", async (t) => {
  const reason =
    "The plant is on hold (we are on holiday and the neighbour waters by hand until Sunday): plan without water and light.";
  const answers = {
    read_moisture: soil(30),
    write_plant_status: inTurn(ok({ proceed: false, reason }), ok({ proceed: true })),
  };
  t.equal(
    await shown({ answers }),
    `12:30  cycle 1   moisture 30.0 % (raw 17 812)  water 24 h: 40/500 ml  light off
       decided     rather dry: 2 doses of 25 ml
       refused     write_plant_status: The plant is on hold (we are on holiday
                   and the neighbour waters by hand until Sunday): plan without
                   water and light.
       decided     rather dry: no water, the runtime objects
       did         send_message_to_human: Your plant: it needs care, but a hold
                   keeps me from giving it. The plant is on hold (we are on
                   holiday and the neighbour waters by hand until Sunday). Lift
                   it with \`tendril resume\` when you want me to go on.
       completed   17 calls in 0.0 s
`,
  );
});

t.test("a faulty probe and an incomplete cycle read like this", async (t) => {
  const answers = {
    read_moisture: () =>
      fail("PROBE_FAULT", { message: "the probe of basil cannot be read: plug it in (PROBE_FAULT)" }),
    fetch_notes: note(
      "## The caretaker's own notes\n- told probe-fault/plant: 2026-06-01T12:00:00.000Z\n- told no-figures/plant: 2026-06-01T12:00:00.000Z",
    ),
    get_water_usage_24h: budget(37.26),
  };
  t.equal(
    await shown({ answers }),
    `12:30  cycle 1   moisture unknown  water 24 h: 37.3/500 ml  light off
       failed      read_moisture: PROBE_FAULT, the probe of basil cannot be
                   read: plug it in
       incomplete  the model stopped without a cleared plant status (10 calls in
                   5 rounds)
`,
  );
});

t.test(
  "times are those of the house, and readings that do not fit beside the title stand below",
  async (t) => {
    const lines: string[] = [];
    const cycle = new Log({ write: (text) => lines.push(text) }, {}).cycle(108, "tomato-on-the-sill");
    const now = { timestamp: "2026-11-23T23:30:00.000Z", zone: "Asia/Kathmandu" };
    cycle.answered("get_current_time", {}, ok(now), timed("get_current_time"));
    for (const [tool, answer] of Object.entries({ read_moisture: soil(36), get_water_usage_24h: budget(0) }))
      cycle.answered(tool, {}, answer(), timed(tool));
    const lit = { duration_minutes: 60, off_at: "2026-11-24T00:30:00.000Z" };
    cycle.answered("turn_on_light", {}, ok(lit), timed("turn_on_light"));
    t.equal(
      lines.join(""),
      `05:15  cycle 108 · tomato-on-the-sill
       moisture 36.0 % (raw 17 812)  water 24 h: 0/500 ml
       did         turn_on_light 60 min → off at 06:15
`,
    );
  },
);

t.test("a plant is named where there are several, and so is a cycle in which nothing was read", (t) => {
  const lines: string[] = [];
  const cycle = new Log({ write: (text) => lines.push(text) }, {}).cycle(4, "basil");
  cycle.ended({
    completed: false,
    reason: "gone",
    rounds: 1,
    calls: 0,
    doses: 0,
    cleared: false,
    tokens: { input: 0, output: 0, cached: 0 },
    took: 0,
  });
  t.equal(lines.join(""), "--:--  cycle 4 · basil\n       incomplete  gone (0 calls in 1 round)\n");
  t.end();
});

t.test("a cycle that read tokens says how many, how many of them from the cache, and what they cost", (t) => {
  const shown = (price?: Price) => {
    const lines: string[] = [];
    const log = new Log({ write: (text) => lines.push(text) }, {}, undefined, price);
    const tokens = { input: 118_203, output: 1200, cached: 110_000 };
    const end = { completed: true, reason: "completed", rounds: 16, calls: 15, doses: 1, tokens, took: 9000 };
    log.cycle(1, undefined).ended({ ...end, cleared: true });
    return lines.at(-1);
  };
  const tokens = "       tokens      118 203 in (110 000 cached), 1 200 out";
  t.equal(shown(), `${tokens}\n`);
  t.equal(shown({ input: 0.4, output: 1.6, cached: 0.1 }), `${tokens}, cost 0.0162\n`);
  t.end();
});

t.test("colours and passing lines only on a terminal, and not with NO_COLOR", (t) => {
  const shownOn = (isTTY: boolean, env: Record<string, string>) => {
    const lines: string[] = [];
    const cycle = new Log({ write: (text) => lines.push(text), isTTY }, env).cycle(1, undefined);
    cycle.progress("dispense_water", { done: 5, total: 20 });
    cycle.answered(
      "dispense_water",
      { ml: 20 },
      ok({ dispensed: 20, remaining_24h: 400 }),
      timed("dispense_water"),
    );
    return lines.join("");
  };
  const plain = "--:--  cycle 1\n       did         dispense_water 20 ml → 400 ml left\n";
  t.equal(shownOn(false, {}), plain);
  t.equal(shownOn(true, { NO_COLOR: "1" }), plain);
  const live = shownOn(true, {});
  t.match(live, "\u001b[2K\r       \u001b[2mdispense_water 5 of 20");
  t.match(live, "\u001b[32mdid");
  t.end();
});

t.test("a link that opens a photo without a token, and a secret, are not shown", (t) => {
  const lines: string[] = [];
  const log = new Log(
    { write: (text) => lines.push(text), isTTY: true },
    {},
    withoutSecrets(["tok-1234567"]),
  );
  const url = "http://pi:8731/photos/1.jpg?expires=1780317000&signature=aGVsbG8";
  const taken = ok({ url, timestamp: "2026-06-01T12:30:00.000Z" });
  log.cycle(1, undefined).answered("capture_photo", {}, taken, timed("capture_photo"));
  log.line("waiting", `${url} refuses tok-1234567`, "yellow");
  log.text(url);
  log.pass(url);
  const shown = lines.join("");
  t.notMatch(shown, /aGVsbG8|tok-1234567/);
  t.equal(shown.split("signature=[secret]").length - 1, 3);
  t.match(shown, /capture_photo 12:30$/m);
  t.end();
});

t.test("text from elsewhere cannot steer the terminal", (t) => {
  const lines: string[] = [];
  const cycle = new Log({ write: (text) => lines.push(text) }, {}).cycle(1, undefined);
  cycle.answered(
    "write_plant_status",
    { reasoning: "fine\u001b[2J\u0007\nreally" },
    ok({ proceed: true }),
    timed("write_plant_status"),
  );
  t.equal(lines.at(-1), "       decided     fine [2J really\n");
  t.end();
});

t.test("a turn tells its time, and each deed of a tool with several operations", (t) => {
  const lines: string[] = [];
  const log = new Log({ write: (text: string) => lines.push(text) }, {}).turn(
    "conversation",
    "anna",
    "2026-06-01T12:30:00.000Z",
  );
  const did = (tool: string, args: object, value: unknown = {}) =>
    log.answered(tool, { ...args }, { ok: true, value }, timed(tool));
  did("list_tool", { operation: "get_lists" });
  did("list_tool", { operation: "add_item", list_name: "shopping", item_text: "perlite" });
  did("task_tool", { operation: "create_task", title: "mist the fern", time: "every other evening" });
  did("task_tool", { operation: "list_tasks", completed: false });
  did("recall_user_context", { topic: "fern" });
  t.equal(
    lines.join(""),
    `12:30  conversation · anna
       did         list_tool add_item: shopping, perlite
       did         task_tool create_task: mist the fern, every other evening
`,
  );
  t.end();
});

t.test("a time in a text is told by the clock of the house", (t) => {
  let written = "";
  const log = new Log({ write: (text: string) => (written += text) }, {});
  log.inZone("Europe/Berlin");
  log.line("waiting", "basil is cared for by agent until 2026-11-27T10:33:04.891Z", "yellow");
  t.equal(
    written.replace(/\s+/g, " "),
    " waiting basil is cared for by agent until 2026-11-27 11:33 Europe/Berlin ",
  );
  t.end();
});
