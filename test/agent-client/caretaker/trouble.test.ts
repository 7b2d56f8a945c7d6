import t from "tap";
import { fail, inTurn, ok } from "../scripted-runtime.js";
import { budget, care, light, note, soil } from "./rig.js";

const refuse = (reason: string) => ok({ proceed: false, reason });
const cleared = ok({ proceed: true });

const FAULTY = () =>
  fail("PROBE_FAULT", {
    message:
      "the probe of basil cannot be read: 2.9 V. For a person: plug it in (PROBE_DISCONNECTED): later (PROBE_FAULT)",
    details: {
      cause: "PROBE_DISCONNECTED",
      remedy: "plug it in",
      last_good: {
        value: 18_000,
        percent: 35,
        timestamp: "2026-06-01T11:00:00.000Z",
        noise: 12,
        quality: "stale",
      },
    },
  });

t.test(
  "a status refused for its figures is corrected from fresh reads, and the plan then carried out",
  async (t) => {
    const { deeds, status, outcome, runtime } = await care({
      answers: {
        read_moisture: inTurn(soil(30, 18_000)(), soil(36, 17_500)()),
        get_water_usage_24h: inTurn(budget(0)(), budget(25)()),
        write_plant_status: inTurn(refuse("water_24h is 0, but the ledger counts 25 ml."), cleared),
      },
    });
    t.match(status, { sensor_reading: 17_500, water_24h: 25 });
    t.strictSame(deeds, ["water 19", "water 19"]);
    t.equal(runtime.argsOf("write_plant_status").length, 2);
    t.equal(outcome.completed, true);
  },
);

t.test("under a hold it writes an empty plan, does nothing, and tells the person", async (t) => {
  const { deeds, status, messages, outcome } = await care({
    answers: {
      read_moisture: soil(30),
      get_light_status: light(0),
      write_plant_status: inTurn(
        refuse("The plant is on hold (repotting): plan without water and light."),
        cleared,
      ),
    },
  });
  t.strictSame(deeds, []);
  t.strictSame(status.next_action_sequence, []);
  t.equal(status.reasoning, "rather dry: no water, the runtime objects");
  t.equal(messages.length, 1);
  t.match(messages[0], /a hold keeps me.*on hold \(repotting\).*tendril resume/);
  t.equal(outcome.completed, true);
});

t.test(
  "what is not fitted or kept off by a sensor is no news to the person: the runtime or they know",
  async (t) => {
    const { deeds, messages, outcome } = await care({
      answers: {
        read_moisture: soil(30),
        get_light_status: light(0, { can_activate: false }),
        capture_photo: () => fail("NOT_FITTED", { message: "basil has no camera (NOT_FITTED)" }),
        dispense_water: () => fail("TANK_EMPTY", { message: 'the tank "can" is empty (TANK_EMPTY)' }),
      },
    });
    t.match(deeds, [/^water/]);
    t.strictSame(messages, []);
    t.equal(outcome.completed, true);
  },
);

t.test("a locked pump leaves the light", async (t) => {
  const { deeds, messages } = await care({
    answers: {
      read_moisture: soil(30),
      get_light_status: light(0),
      write_plant_status: inTurn(
        refuse("There is a fault, NO_RESPONSE: the plant does not respond to water. Plan without water."),
        cleared,
      ),
    },
  });
  t.strictSame(deeds, ["light 60"]);
  t.match(messages, [/the soil did not get wetter: tube, tank or probe/]);
});

t.test("a reason it cannot read makes the last attempt an empty plan", async (t) => {
  const { runtime, deeds, outcome } = await care({
    answers: {
      read_moisture: soil(30),
      write_plant_status: inTurn(refuse("Nope."), refuse("Nope."), cleared),
    },
  });
  const plans = runtime
    .argsOf("write_plant_status")
    .map(({ next_action_sequence: plan }) => (Array.isArray(plan) ? plan.length : -1));
  t.strictSame(plans, [2, 2, 0]);
  t.strictSame(deeds, []);
  t.equal(outcome.completed, true);
});

t.test(
  "after two corrections it gives up, acts on nothing, says so, and the cycle is incomplete",
  async (t) => {
    const { runtime, deeds, messages, outcome } = await care({
      answers: { read_moisture: soil(30), write_plant_status: () => refuse("Never.") },
    });
    t.equal(runtime.argsOf("write_plant_status").length, 3);
    t.strictSame(deeds, []);
    t.match(messages, [/refused every status I wrote.*Never\./]);
    t.match(outcome, { completed: false, reason: "the model stopped without a cleared plant status" });
  },
);

t.test("an error of write_plant_status counts as a refusal", async (t) => {
  const { runtime, outcome } = await care({
    answers: { write_plant_status: inTurn(fail("STORE_FAILED"), cleared) },
  });
  t.equal(runtime.argsOf("write_plant_status").length, 2);
  t.equal(outcome.completed, true);
});

t.test("a faulty probe: the last good reading, no water, light all the same, a message", async (t) => {
  const { status, deeds, messages, outcome } = await care({
    answers: { read_moisture: FAULTY, get_light_status: light(0) },
  });
  t.match(status, {
    sensor_reading: 18_000,
    plant_state: "unknown",
    reasoning: "moisture unknown: no water while the probe is faulty, 60 min of light",
  });
  t.strictSame(deeds, ["light 60"]);
  t.match(messages, [
    /no good reading\. Please plug it in \(PROBE_DISCONNECTED\)\. The last good one was 35\.0 % at 2026-06-01T11:00.*pour no water/,
  ]);
  t.equal(outcome.completed, true);
});

t.test("a stale reading counts as a faulty probe", async (t) => {
  const stale = () =>
    ok({ value: 18_000, timestamp: "2026-06-01T11:00:00.000Z", percent: 20, noise: 1, quality: "stale" });
  const { status, deeds } = await care({ answers: { read_moisture: stale } });
  t.strictSame(deeds, []);
  t.match(status, { sensor_reading: 18_000, plant_state: "unknown" });
});

t.test("a probe that never answered: no made-up figure, no status, a message", async (t) => {
  const { runtime, messages, outcome } = await care({
    answers: { read_moisture: () => fail("PROBE_FAULT", { details: { last_good: null } }) },
  });
  t.strictSame(runtime.argsOf("write_plant_status"), []);
  t.match(messages, [/There has been no good one yet/, /could not learn any moisture reading/]);
  t.equal(outcome.completed, false);
});

t.test("a budget that is spent while the soil is dry is told", async (t) => {
  const { messages, deeds } = await care({
    answers: { read_moisture: soil(20), get_water_usage_24h: budget(495) },
  });
  t.strictSame(deeds, []);
  t.match(messages, [/the soil is at 20\.0 %, but 495 ml were given in 24 hours and the limit leaves 5 ml/]);
  t.strictSame(
    (await care({ answers: { get_water_usage_24h: budget(495) } })).messages,
    [],
    "moist soil needs none",
  );
});

const LOCKED =
  "basil is locked: the soil has given no answer to 50 ml: a person has to look at tube, tank and probe, then clear the fault (`tendril clear`) (NO_RESPONSE)";

t.test("a pump locked in the middle of the watering is told", async (t) => {
  const { deeds, messages, note } = await care({
    answers: {
      read_moisture: soil(20),
      dispense_water: inTurn(
        ok({ dispensed: 25, remaining_24h: 435, timestamp: "2026-06-01T12:31:00.000Z" }),
        fail("NO_RESPONSE", { message: LOCKED }),
      ),
    },
  });
  t.strictSame(deeds, ["water 25", "water 25"]);
  t.equal(messages.length, 1);
  t.match(
    messages[0],
    /at fault\. basil is locked: the soil has given no answer to 50 ml\. Please look, then clear the fault; until then/,
    "without the code, and without the same request in the runtime's words",
  );
  t.match(note, /^- told no-response\/plant: 2026-06-01T12:30/m);
});

t.test("any other failure of an action is told under its code", async (t) => {
  const { messages, note } = await care({
    answers: { read_moisture: soil(20), dispense_water: () => fail("LEDGER_UNAVAILABLE") },
  });
  t.match(messages, [/dispense_water failed/]);
  t.match(note, /^- told ledger_unavailable\/plant: /m);
});

t.test("what the person was told is not said again within a day, and again after it", async (t) => {
  const told = (timestamp: string) =>
    note(`## The caretaker's own notes\n- told probe-fault/plant: ${timestamp}`);
  const recent = await care({
    answers: { read_moisture: FAULTY, fetch_notes: told("2026-05-31T12:31:00.000Z") },
  });
  t.strictSame(recent.messages, []);
  t.match(recent.note, /^- told probe-fault\/plant: 2026-05-31T12:31/m, "and stays remembered");
  const old = await care({
    answers: { read_moisture: FAULTY, fetch_notes: told("2026-05-31T12:30:00.000Z") },
  });
  t.equal(old.messages.length, 1);
});

t.test("a problem that is over is forgotten, so that it is news when it comes back", async (t) => {
  const answers = {
    fetch_notes: note(
      "## The caretaker's own notes\n- told probe-fault/plant: 2026-06-01T12:00:00.000Z\n- told hold/plant: 2026-06-01T12:00:00.000Z",
    ),
  };
  const cared = await care({ answers });
  t.notMatch(cared.note, /probe-fault/);
  t.match(cared.note, /told hold/, "nothing showed the hold to be lifted");
});

t.test("a message that could not be sent does not count as told", async (t) => {
  const { note, runtime } = await care({
    answers: { read_moisture: FAULTY, send_message_to_human: () => fail("STORE_FAILED") },
  });
  t.equal(runtime.argsOf("send_message_to_human").length, 1, "and is not tried again in this cycle");
  t.notMatch(note, /told/);
});

const letter = (message_id: string, timestamp: string, content: string) => ({
  message_id,
  timestamp,
  content,
  in_reply_to: null,
});
const INBOX = () =>
  ok({
    messages: [
      letter("12", "2026-06-01T12:20:00.000Z", "More water, please!"),
      letter("11", "2026-06-01T12:10:00.000Z", "How is it?"),
      letter("9", "2026-05-31T12:29:00.000Z", "An old one"),
    ],
  });

t.test("new messages are answered, oldest first, each once", async (t) => {
  const first = await care({ answers: { list_messages_from_human: INBOX } });
  const replies = first.runtime.argsOf("send_message_to_human");
  t.strictSame(
    replies.map(({ in_reply_to }) => in_reply_to),
    ["11", "12"],
  );
  t.match(
    first.messages[1],
    /I have read: "More water, please!".*cannot follow free text.*moist enough at 60\.0 %/s,
  );
  t.match(first.note, /^- answered: 12, 11$/m);
  t.strictSame(
    first.runtime.argsOf("log_action").map(({ type }) => type),
    ["alert", "alert"],
  );
  const second = await care({ answers: { list_messages_from_human: INBOX, fetch_notes: note(first.note) } });
  t.strictSame(second.messages, []);
});

t.test("when the runtime tells nothing at all it does nothing, and the cycle ends incomplete", async (t) => {
  const down = () => fail("INTERNAL");
  const reads = [
    "get_current_time",
    "read_moisture",
    "get_water_usage_24h",
    "get_light_status",
    "fetch_notes",
  ];
  const { deeds, outcome } = await care({ answers: Object.fromEntries(reads.map((tool) => [tool, down])) });
  t.strictSame(deeds, []);
  t.equal(outcome.completed, false);
});
