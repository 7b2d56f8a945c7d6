import t from "tap";
import { minutes, seconds } from "../../drivers/units.js";
import { approvals } from "../../runtime/services/approvals/approvals.js";
import { AgentInRig } from "../agent-in-rig.js";
import { type CallOptions, type Result, type Rig, type RigOptions, rigFor } from "../rig.js";
import { HUMAN, TWO_PLANTS } from "./proper-answer.js";

const SERVER = "server: { calls_per_second: 100000 }";
const ALWAYS = `${SERVER}\nconfirm: { dispense_water: always }`;
const PER_CYCLE = `${SERVER}\nconfirm: { dispense_water: once per cycle, turn_on_light: once_per_cycle }`;
const BY_CLIENT = `${ALWAYS}\nconfirm_by: client`;

type Teardown = { teardown(fn: () => Promise<void>): unknown };

const thirsty = async (t: Teardown, config = ALWAYS, options: RigOptions = {}): Promise<Rig> => {
  const rig = await rigFor(t, { config, peopleToo: true, hydration: 40, ...options });
  await rig.status([{ action: "water", value: 100 }]);
  return rig;
};

const water = (ml = 20) => ["dispense_water", { ml }] as const;

/** Asks; the number of the request. */
async function asks(rig: Rig, ml = 20, options: CallOptions = {}): Promise<number> {
  const { code, details } = await rig.refused(...water(ml), options);
  if (code !== "APPROVAL_NEEDED") throw new Error(code);
  return Number(details?.id);
}

const answers = (rig: Rig, id: number, approve: boolean) =>
  rig.call("answer_approval", { id, approve }, HUMAN);

/** The call again, which waits, and meanwhile something else. */
async function meanwhile(rig: Rig, ml: number, other: () => Promise<unknown>): Promise<Result> {
  const pending = rig.during(...water(ml));
  await other();
  return pending;
}

/** The call again, until it is told once more that it waits. */
async function answersAgain(rig: Rig): Promise<Result> {
  const waiting = await waits(rig, () => rig.call(...water()));
  await rig.pass(seconds(20));
  return waiting.call;
}

/** A call that waits for its answer; resolves once it does. */
async function waits<T>(rig: Rig, call: () => Promise<T>): Promise<{ readonly call: Promise<T> }> {
  const { after } = rig.clock;
  const begun = new Promise<void>((resolve) => {
    rig.clock.after = (duration, fn) => {
      if (duration === seconds(20)) resolve();
      return after.call(rig.clock, duration, fn);
    };
  });
  const pending = call();
  await begun;
  rig.clock.after = after;
  return { call: pending };
}

const code = (result: Result) => (result.ok ? "done" : result.error.code);

const letters = async (rig: Rig) =>
  ((await rig.get("list_messages_from_agent", {}, HUMAN)).messages as { content: string }[]).map(
    ({ content }) => content,
  );

const poured = async (rig: Rig) => (await rig.get("get_water_usage_24h")).used_ml;

t.test("without `confirm` nobody is asked", async (t) => {
  const rig = await thirsty(t, SERVER);
  await rig.water(20);
  t.same((await rig.get("list_approvals", {}, HUMAN)).approvals, []);
});

t.test(
  "nothing is poured before a person's yes, and the person gets one letter with all that counts",
  async (t) => {
    const rig = await thirsty(t);
    const error = await rig.refused(...water());
    t.match(error, { code: "APPROVAL_NEEDED", retryable: true, retry_after_s: 2 });
    t.match(error.details, { id: Number, expires_at: String, expires_in_s: 300 });
    t.match(error.message, /agent wants to pour 20 ml for Basil .*tendril approve \d/);
    t.equal(await poured(rig), 0);
    await answersAgain(rig);
    const [letter, ...more] = await letters(rig);
    t.match(letter, /agent wants to pour 20 ml for Basil \(request \d+, until \d\d:\d\d UTC\)/);
    t.same(more, [], "asked twice, told once");
  },
);

t.test("a yes lets exactly one such call pass", async (t) => {
  const rig = await thirsty(t);
  t.ok((await answers(rig, await asks(rig), true)).ok);
  await rig.water(20);
  t.equal((await rig.refused(...water())).code, "APPROVAL_NEEDED", "the next one needs its own");
  t.equal(await poured(rig), 20);
});

t.test("a call that waits goes on at the yes, and no later", async (t) => {
  const rig = await thirsty(t);
  const id = await asks(rig);
  t.equal(code(await meanwhile(rig, 20, () => answers(rig, id, true))), "done");
  t.equal(await poured(rig), 20);
});

t.test("a call waits 20 s and is told again what it waits for", async (t) => {
  const rig = await thirsty(t);
  const id = await asks(rig);
  for (const _ of ["as often", "as it", "asks", "again"]) {
    const waiting = await waits(rig, () => rig.call(...water()));
    let over = false;
    void waiting.call.then(() => (over = true));
    await rig.pass(seconds(19));
    t.notOk(over);
    await rig.pass(seconds(1));
    t.match(await waiting.call, { ok: false, error: { code: "APPROVAL_NEEDED", details: { id } } });
  }
});

t.test("a yes counts once it is on the disk, and not if its request has ended by then", async (t) => {
  const rig = await thirsty(t);
  const id = await asks(rig);
  const release = rig.fillDisk();
  t.match(await answers(rig, id, true), { ok: false, error: { code: "STORE_FAILED" } });
  release();
  t.match(rig.core.get(approvals).pending(), [{ id }], "it still waits for its answer");
  rig.duringNextWrite(() => rig.get("stop_all"));
  t.match(await answers(rig, id, true), { ok: false, error: { code: "UNKNOWN_APPROVAL" } });
  t.equal((await rig.refused(...water())).code, "APPROVAL_DENIED");
});

t.test("nobody is asked for a token that may be revoked", async (t) => {
  const rig = await thirsty(t);
  rig.tokensUnread = true;
  t.equal((await rig.refused(...water())).code, "TOKENS_UNREAD");
  t.same(rig.core.get(approvals).pending(), []);
});

t.test("a yes is for these arguments, this plant and this agent alone", async (t) => {
  const rig = await thirsty(t, `${TWO_PLANTS}\nconfirm: { dispense_water: always }`);
  await rig.status([{ action: "water", value: 20 }], { plant: "cactus1" });
  await answers(rig, await asks(rig), true);
  for (const [what, args, options] of [
    ["another dose", { ml: 21 }, {}],
    ["another plant", { ml: 20, plant: "cactus1" }, {}],
  ] as const)
    t.equal((await rig.refused("dispense_water", args, options)).code, "APPROVAL_NEEDED", what);
  t.equal((await rig.refused(...water(), { token: "other" })).code, "NO_CYCLE", "another token");
  t.equal((await rig.refused(...water(), { instance: "other" })).code, "NO_CYCLE", "another agent");
  await rig.during("dispense_water", { ml: 20, plant: "basil" });
  t.equal(await poured(rig), 20);
});

t.test("a no is final for the cycle's time, also after another status", async (t) => {
  const rig = await thirsty(t);
  const id = await asks(rig);
  t.equal(code(await meanwhile(rig, 20, () => answers(rig, id, false))), "APPROVAL_DENIED");
  await rig.status([{ action: "water", value: 100 }]);
  const again = await rig.refused(...water());
  t.match(again, { code: "APPROVAL_DENIED", retryable: false, details: { id } });
  t.equal((await letters(rig)).length, 1, "the person is left in peace");
  await rig.pass(minutes(30));
  await rig.status([{ action: "water", value: 100 }]);
  t.equal((await rig.refused(...water())).code, "APPROVAL_NEEDED", "a later cycle may ask");
});

t.test("after three refusals of one tool nobody is asked for the next figure", async (t) => {
  const rig = await thirsty(t, `${TWO_PLANTS}\nconfirm: { dispense_water: always }`);
  for (const ml of [10, 11, 12]) await answers(rig, await asks(rig, ml), false);
  t.match(await rig.refused(...water(13)), { code: "APPROVAL_DENIED", message: /3 requests/ });
  t.equal((await letters(rig)).length, 3);
  await rig.status([{ action: "water", value: 20 }], { plant: "cactus1" });
  const other = await rig.refused("dispense_water", { ml: 20, plant: "cactus1" });
  t.equal(other.code, "APPROVAL_NEEDED", "another plant's water is another question");
});

t.test("at most three requests of a token wait at once", async (t) => {
  const rig = await thirsty(t);
  for (const ml of [10, 11, 12]) await asks(rig, ml);
  t.match(await rig.refused(...water(13)), { code: "RATE_LIMITED", retryable: true });
});

t.test("no answer counts as a no", async (t) => {
  const rig = await thirsty(t, `${ALWAYS}\nconfirm_within_minutes: 2`);
  const id = await asks(rig);
  await rig.pass(minutes(2));
  t.match(await rig.refused(...water()), { code: "APPROVAL_EXPIRED", retryable: false });
  t.match(await answers(rig, id, true), { ok: false, error: { code: "UNKNOWN_APPROVAL" } });
  t.equal(await poured(rig), 0);
});

t.test("a yes that is not used in time is gone", async (t) => {
  const rig = await thirsty(t);
  await answers(rig, await asks(rig), true);
  await rig.pass(minutes(5));
  t.equal((await rig.refused(...water())).code, "APPROVAL_NEEDED");
});

t.test("a request ends with its cycle", async (t) => {
  const rig = await thirsty(t, `${ALWAYS}\nconfirm_within_minutes: 30`);
  await rig.pass(minutes(10));
  const id = await asks(rig);
  await rig.pass(minutes(20));
  t.equal((await answers(rig, id, true)).ok, false);
});

for (const [state, approve] of [
  ["a request that waited", undefined],
  ["a yes that was not used", true],
] as const)
  t.test(`${state} does not survive the end of the process: it counts as a no`, async (t) => {
    const rig = await thirsty(t);
    const id = await asks(rig);
    if (approve) await answers(rig, id, approve);
    await rig.crash();
    await rig.open();
    await rig.status([{ action: "water", value: 100 }]);
    t.match(await rig.refused(...water()), { code: "APPROVAL_EXPIRED", message: /restarted/ });
    const [record] = (await rig.get("list_approvals", {}, HUMAN)).approvals as object[];
    t.match(record, { id, state: "expired", reason: /restarted/ });
    t.equal(await poured(rig), 0);
  });

t.test("a no survives a restart", async (t) => {
  const rig = await thirsty(t);
  await answers(rig, await asks(rig), false);
  await rig.crash();
  await rig.open();
  await rig.status([{ action: "water", value: 100 }]);
  t.equal((await rig.refused(...water())).code, "APPROVAL_DENIED");
});

t.test("stop_all and a hold refuse all that waits and take back every yes", async (t) => {
  for (const [tool, args] of [
    ["stop_all", {}],
    ["set_hold", { hold: true }],
  ] as const) {
    const rig = await thirsty(t);
    await answers(rig, await asks(rig, 10), true);
    const id = await asks(rig, 20);
    const waiting = await waits(rig, () => rig.call(...water()));
    await rig.get(tool, args, HUMAN);
    t.equal(code(await waiting.call), "APPROVAL_DENIED", tool);
    await rig.get("set_hold", { hold: false }, HUMAN);
    for (const ml of [10, 20]) t.equal((await rig.refused(...water(ml))).code, "APPROVAL_DENIED", tool);
    t.match(await answers(rig, id, true), { ok: false, error: { code: "UNKNOWN_APPROVAL" } });
  }
});

t.test("stop_all and a hold refuse a request that is just being written down", async (t) => {
  for (const [tool, args] of [["stop_all", {}] as const, ["set_hold", { hold: true }] as const]) {
    const rig = await thirsty(t);
    rig.duringNextWrite(() => rig.get(tool, args, HUMAN));
    await asks(rig);
    await rig.get("set_hold", { hold: false }, HUMAN);
    t.equal((await rig.refused(...water())).code, "APPROVAL_DENIED", tool);
  }
});

t.test("a request that is just being written down can be answered: lists show it already", async (t) => {
  const rig = await thirsty(t);
  let answer: Promise<Result> | undefined;
  rig.duringNextWrite(async () => {
    answer = answers(rig, 1, true);
  });
  const call = rig.during(...water());
  t.match(await call.then(() => answer), { ok: true });
});

t.test("a yes that is just being used up is still taken back by stop_all", async (t) => {
  const rig = await thirsty(t);
  await answers(rig, await asks(rig), true);
  rig.duringNextWrite(() => rig.get("stop_all"));
  t.equal((await rig.refused(...water())).code, "APPROVAL_DENIED");
  t.equal(await poured(rig), 0);
});

t.test("a stop that comes after the yes, or beside it, ends the call that waited", async (t) => {
  await t.test("the pump's, while the key is being written", async (t) => {
    const rig = await thirsty(t);
    await answers(rig, await asks(rig), true);
    rig.duringNextWrite(async () => rig.duringNextWrite(() => rig.get("stop_all")));
    const dose = await rig.during(...water(), { key: "dose" });
    t.match(dose, { ok: false, error: { code: "CANCELLED" } });
    t.equal(await poured(rig), 0);
  });
  await t.test("the light's, before the yes", async (t) => {
    const rig = await thirsty(t, `${SERVER}\nconfirm: { turn_on_light: always }`);
    await rig.status([{ action: "light", value: 30 }]);
    const light = ["turn_on_light", { minutes: 30 }] as const;
    const { details } = await rig.refused(...light);
    const waiting = await waits(rig, () => rig.call(...light));
    await rig.get("turn_off_light");
    await answers(rig, Number(details?.id), true);
    t.equal(code(await waiting.call), "CANCELLED");
    t.same(rig.bench.lightEdges("basil"), []);
  });
});

t.test("a no to a call that is in no cycle counts, however late it comes", async (t) => {
  const config = `${SERVER}\nconfirm: { save_notes: always }\nconfirm_within_minutes: 30\ncycle: { max_age_minutes: 5 }`;
  const rig = await rigFor(t, { config, peopleToo: true });
  const call = ["save_notes", { content: "the pot was moved" }] as const;
  const { details } = await rig.refused(...call);
  await rig.pass(minutes(10));
  const waiting = await waits(rig, () => rig.call(...call));
  await answers(rig, Number(details?.id), false);
  t.equal(code(await waiting.call), "APPROVAL_DENIED");
  t.equal(code(await rig.call(...call)), "APPROVAL_DENIED", "and the next one too");
});

t.test("a call that waits when its cycle ends is over, and nobody is asked for it anew", async (t) => {
  const rig = await thirsty(t);
  await rig.pass(minutes(26));
  const id = await asks(rig);
  await rig.pass(seconds(230));
  const waiting = await waits(rig, () => rig.call(...water()));
  await rig.pass(seconds(10));
  t.equal(code(await waiting.call), "APPROVAL_EXPIRED");
  const { approvals } = await rig.get("list_approvals", {}, HUMAN);
  t.same(
    (approvals as { id: number }[]).map((each) => each.id),
    [id],
  );
});

t.test("a hold of another plant leaves a request alone", async (t) => {
  const rig = await thirsty(t, `${TWO_PLANTS}\nconfirm: { dispense_water: always }`);
  const id = await asks(rig);
  await rig.get("set_hold", { hold: true, plant: "cactus1" }, HUMAN);
  t.ok((await answers(rig, id, true)).ok);
});

t.test("after the yes every rule still binds", async (t) => {
  await t.test("a hold", async (t) => {
    const rig = await thirsty(t);
    await answers(rig, await asks(rig), true);
    await rig.get("set_hold", { hold: true }, HUMAN);
    t.equal((await rig.refused(...water())).code, "HOLD");
  });
  await t.test("a budget that somebody else has used up meanwhile", async (t) => {
    const rig = await thirsty(t, `${ALWAYS}\nwater: { daily_limit_ml: 30 }`);
    await rig.status([{ action: "water", value: 30 }]);
    const id = await asks(rig);
    await rig.water(25, HUMAN);
    await answers(rig, id, true);
    t.equal((await rig.refused(...water())).code, "BUDGET_EXCEEDED");
    t.equal(await poured(rig), 25);
  });
  await t.test("the gate", async (t) => {
    const rig = await thirsty(t);
    await answers(rig, await asks(rig), true);
    await rig.status([], { water_24h: 99 });
    t.equal((await rig.refused(...water())).code, "CYCLE_REFUSED");
  });
});

t.test("nobody is asked for what would be refused in any case", async (t) => {
  const rig = await rigFor(t, { config: ALWAYS, peopleToo: true });
  t.equal((await rig.refused(...water())).code, "NO_CYCLE");
  await rig.status([{ action: "water", value: 10 }]);
  t.equal((await rig.refused(...water())).code, "PLAN_EXCEEDED");
  t.equal((await rig.refused("dispense_water", { ml: 5 })).code, "INVALID_ARGUMENT");
  t.same(await letters(rig), []);
});

t.test(
  "once_per_cycle: a yes holds for this tool until the cycle ends, and not a moment longer",
  async (t) => {
    const rig = await thirsty(t, PER_CYCLE);
    await answers(rig, await asks(rig), true);
    await rig.water(20);
    await rig.water(15);
    await rig.status([{ action: "water", value: 50 }]);
    t.equal((await rig.refused(...water())).code, "APPROVAL_NEEDED", "a new cycle is asked for anew");
  },
);

t.test("once_per_cycle: who is asked is told how far a yes goes, and what is planned in all", async (t) => {
  const rig = await thirsty(t, PER_CYCLE);
  await rig.status([
    { action: "water", value: 20 },
    { action: "water", value: 25 },
    { action: "light", value: 60 },
  ]);
  const told =
    /pour 20 ml for Basil; an approval is valid for all it pours on Basil in this cycle, 45 ml planned \(/;
  t.match((await rig.refused(...water())).message, told);
  t.match((await letters(rig))[0], told);
  const light = await rig.refused("turn_on_light", { minutes: 60 });
  t.match(light.message, /; an approval is valid for all light of Basil in this cycle, 60 min planned \(/);
  const listed = (await rig.get("list_approvals", {}, HUMAN)).approvals;
  t.match(listed, [{}, { scope: "all it pours on Basil in this cycle, 45 ml planned" }]);
});

t.test("once_per_cycle: the yes ends with the cycle's time and is for its own tool", async (t) => {
  const rig = await thirsty(t, PER_CYCLE);
  await rig.status([
    { action: "water", value: 50 },
    { action: "light", value: 60 },
  ]);
  await answers(rig, await asks(rig), true);
  t.equal((await rig.refused("turn_on_light", { minutes: 60 })).code, "APPROVAL_NEEDED");
  await rig.pass(minutes(29));
  await rig.water(20);
  await rig.pass(minutes(1));
  t.equal((await rig.refused(...water())).code, "CYCLE_EXPIRED");
});

t.test("a person can take back a yes that is not used up", async (t) => {
  const rig = await thirsty(t, PER_CYCLE);
  const id = await asks(rig);
  await answers(rig, id, true);
  await rig.water(20);
  t.ok((await answers(rig, id, false)).ok);
  t.equal((await rig.refused(...water())).code, "APPROVAL_DENIED");
});

t.test("people are not asked, and agents cannot answer", async (t) => {
  const rig = await thirsty(t);
  await rig.water(20, HUMAN);
  const id = await asks(rig);
  for (const as of ["agent", "observer"] as const)
    for (const [tool, args] of [
      ["answer_approval", { id, approve: true }],
      ["list_approvals", {}],
    ] as const)
      t.equal((await rig.refused(tool, args, { as })).code, "FORBIDDEN");
  t.equal(await poured(rig), 20);
});

t.test("a yes is on disk as used before the pump moves", async (t) => {
  const rig = await thirsty(t);
  await answers(rig, await asks(rig), true);
  const heal = rig.fillDisk();
  t.equal((await rig.refused(...water())).code, "STORE_FAILED");
  heal();
  t.equal((await rig.refused(...water())).code, "APPROVAL_NEEDED", "the yes is gone all the same");
  t.equal(await poured(rig), 0);
});

t.test("two calls cannot share one yes", async (t) => {
  const rig = await thirsty(t);
  await answers(rig, await asks(rig), true);
  const [one, other] = await Promise.all([rig.during(...water()), rig.call(...water())]);
  t.same([code(one), code(other)].sort(), ["APPROVAL_NEEDED", "done"]);
  t.equal(await poured(rig), 20);
});

t.test("a key is not used up by waiting, and is by what follows", async (t) => {
  const rig = await thirsty(t);
  const key = "one";
  const id = await asks(rig, 20, { key });
  const first = rig.during(...water(), { key });
  const second = rig.call(...water(), { key });
  await answers(rig, id, true);
  t.same([code(await first), code(await second)], ["done", "done"], "both wait for the same dose");
  t.same(
    await rig.get(...water(), { key }),
    ((await first) as { value: object }).value,
    "and so does a third",
  );
  t.equal(await poured(rig), 20);
});

t.test("a key that waited when the process died is still free", async (t) => {
  const rig = await thirsty(t);
  await asks(rig, 20, { key: "one" });
  await waits(rig, () => rig.call(...water(), { key: "one" }));
  await rig.crash();
  await rig.open();
  await rig.pass(minutes(31));
  await rig.status([{ action: "water", value: 50 }]);
  t.equal((await rig.refused(...water(), { key: "one" })).code, "APPROVAL_NEEDED", "and not OUTCOME_UNKNOWN");
});

t.test("whoever stops waiting is let go, and the request stays", async (t) => {
  const rig = await thirsty(t);
  const id = await asks(rig);
  const stop = new AbortController();
  const waiting = await waits(rig, () => rig.call(...water(), { signal: stop.signal }));
  stop.abort();
  t.equal(code(await waiting.call), "APPROVAL_NEEDED");
  t.ok((await answers(rig, id, true)).ok);
});

t.test("what waits is in the agenda and in the overview, and listeners hear of it", async (t) => {
  const rig = await thirsty(t);
  let told = 0;
  rig.core.house.watchAgenda(() => (told += 1));
  const id = await asks(rig);
  t.equal(told, 1);
  t.match(
    ((await rig.core.house.agenda({ name: "agent", role: "agent" })) as { approvals: object[] }).approvals,
    [{ id, tool: "dispense_water", words: "pour 20 ml" }],
  );
  t.match((await rig.get("get_overview", {}, HUMAN)).approvals, [{ id, arguments: { ml: 20 } }]);
  await answers(rig, id, false);
  t.equal(told, 2);
  t.same(
    ((await rig.core.house.agenda({ name: "agent", role: "agent" })) as { approvals: object[] }).approvals,
    [],
  );
});

t.test("a client that can be asked gets the question once; its yes alone is not enough", async (t) => {
  const rig = await thirsty(t);
  const question = await rig.callOrAsk(...water());
  if (!("message" in question)) throw new Error("no question");
  t.match(question.message, /agent wants to pour 20 ml for Basil .* a yes only when a person/);
  const yes = { state: question.state, answer: "yes" } as const;
  const waiting = await waits(rig, () => rig.callOrAsk(...water(), yes));
  await rig.pass(seconds(20));
  t.match(await waiting.call, { ok: false, error: { code: "APPROVAL_NEEDED" } }, "no second form");
  t.equal(await poured(rig), 0);
});

t.test("confirm_by: client: the asking client's yes is enough", async (t) => {
  const rig = await thirsty(t, BY_CLIENT);
  const question = await rig.callOrAsk(...water());
  if (!("message" in question)) throw new Error("no question");
  const dialogue = { state: question.state, answer: "yes" } as const;
  const answer = rig.callOrAsk(...water(), dialogue);
  while ((await poured(rig)) === 0) await rig.pass(seconds(0));
  await rig.pass(seconds(15));
  t.match(await answer, { ok: true, value: { dispensed: 20 } });
  t.match(await rig.callOrAsk(...water(), dialogue), { error: { code: "APPROVAL_EXPIRED" } }, "no replay");
  t.equal(await poured(rig), 20);
});

t.test("whoever asks may take it back: its no counts at once", async (t) => {
  const rig = await thirsty(t);
  const question = await rig.callOrAsk(...water());
  if (!("message" in question)) throw new Error("no question");
  const no = { state: question.state, answer: "no" } as const;
  t.match(await rig.callOrAsk(...water(), no), { error: { code: "APPROVAL_DENIED", message: /own client/ } });
});

t.test("a state that was made up, or is another call's, answers nothing", async (t) => {
  const rig = await thirsty(t, BY_CLIENT);
  const id = await asks(rig, 20);
  for (const [state, ml] of [
    ["999", 20],
    ["not a number", 20],
    [String(id), 21],
  ] as const)
    t.match(await rig.callOrAsk(...water(ml), { state, answer: "yes" }), {
      error: { code: "APPROVAL_EXPIRED" },
    });
  const [first] = (await rig.get("list_approvals", {}, HUMAN)).approvals as object[];
  t.match(first, { id, state: "pending" });
  t.equal(await poured(rig), 0);
});

t.test("a caretaker that is told no ends its cycle, and does not write to the person about it", async (t) => {
  const rig = await rigFor(t, {
    config: ALWAYS,
    peopleToo: true,
    hydration: 20,
    start: "2026-06-01T12:00:00.000Z",
  });
  const agent = new AgentInRig(rig);
  let done = false;
  const turn = agent.turn().finally(() => {
    done = true;
  });
  while (!done) {
    for (const { id } of rig.core.get(approvals).pending()) await answers(rig, id, false);
    const isOver = (await letters(rig)).length > 0; // the agent pauses before it calls again
    await rig.pass(seconds(isOver ? 1 : 0));
  }
  t.equal(await turn, true, agent.story);
  t.match(agent.story, /refused +dispense_water: APPROVAL_DENIED/);
  for (const letter of await letters(rig)) t.notMatch(letter, /APPROVAL_DENIED/);
  t.equal(await poured(rig), 0);
});

t.test("the time in which a person thinks about a yes does not make a dose late", async (t) => {
  const rig = await thirsty(t);
  const id = await asks(rig);
  const waiting = await waits(rig, () => rig.during(...water()));
  await rig.pass(seconds(18));
  await answers(rig, id, true);
  t.equal(code(await waiting.call), "done");
});

t.test(
  "requests end with their token: its call waits no longer, and nobody can say yes to them",
  async (t) => {
    const rig = await thirsty(t);
    const id = await asks(rig);
    const waiting = await waits(rig, () => rig.call(...water()));
    rig.revokeToken("agent");
    t.match(await waiting.call, { error: { code: "APPROVAL_DENIED", message: /its token is gone/ } });
    t.match(await rig.get("list_approvals", {}, HUMAN), { approvals: [{ id, state: "denied" }] });
    t.same((await rig.get("get_overview", {}, HUMAN)).approvals, []);
    t.equal(code(await answers(rig, id, true)), "UNKNOWN_APPROVAL");
    t.equal((await rig.get("get_water_usage_24h", {}, HUMAN)).used_ml, 0);
  },
);

t.test("a yes that is being used up when its token goes switches nothing on", async (t) => {
  const rig = await thirsty(t);
  await answers(rig, await asks(rig), true);
  rig.duringNextWrite(async () => rig.revokeToken("agent"));
  t.equal(code(await rig.call(...water())), "APPROVAL_DENIED");
  t.equal((await rig.get("get_water_usage_24h", {}, HUMAN)).used_ml, 0);
});
