import t from "tap";
import { seconds } from "../../drivers/units.js";
import { isoUtc } from "../../runtime/tools/iso-time.js";
import { type CallOptions, type Lateness, type Rig, type RigOptions, rigFor } from "../rig.js";
import { HUMAN } from "./proper-answer.js";

const AGENT = { token: "agent.attic" } as const;

type Teardown = { teardown(fn: () => Promise<void>): unknown };

interface Order {
  readonly name: string;
  readonly args: Readonly<Record<string, number>>;
  readonly planned: { readonly action: string; readonly value: number };
  /** How often pump or lamp went on. */
  readonly switched: (rig: Rig) => number;
}

const ons = (edges: readonly { readonly level: number }[]) => edges.filter(({ level }) => level === 1).length;

const ORDERS: readonly Order[] = [
  {
    name: "dispense_water",
    args: { ml: 20 },
    planned: { action: "water", value: 100 },
    switched: (rig) => ons(rig.bench.pumpEdges("basil")),
  },
  {
    name: "turn_on_light",
    args: { minutes: 30 },
    planned: { action: "light", value: 120 },
    switched: (rig) => ons(rig.bench.lightEdges("basil")),
  },
];

async function planned(t: Teardown, { planned }: Pick<Order, "planned">, options: RigOptions = {}) {
  const rig = await rigFor(t, { peopleToo: true, hydration: 30, ...options });
  await rig.status([planned], {}, AGENT);
  return rig;
}

const late = (
  rig: Rig,
  { name, args }: Order,
  { wait, meanwhile, lines, ...options }: CallOptions & Lateness,
) => rig.late(() => rig.during(name, args, { ...AGENT, ...options }), { wait, meanwhile, lines });

t.test(
  "an order that waited too long for the disk is not carried out: it says so, and costs nothing",
  async (t) => {
    for (const order of ORDERS)
      for (const key of [undefined, "k"]) {
        const rig = await planned(t, order);
        const answer = await late(rig, order, { wait: 30, ...(key && { key }) });
        const message = /held up for 30 s/;
        t.match(answer, { ok: false, error: { code: "TOO_LATE", retryable: true, message } }, order.name);
        t.equal(order.switched(rig), 0, order.name);
        t.equal((await rig.get("get_water_usage_24h")).used_ml, 0);
        t.match(await rig.get("get_light_status"), { light_today: 0, last_on: null, can_activate: true });
        t.ok((await rig.during(order.name, order.args, { ...AGENT, ...(key && { key }) })).ok, "asked again");
      }
  },
);

t.test("an order that somebody switched off while it waited says so, and not to ask again", async (t) => {
  for (const order of ORDERS) {
    const rig = await planned(t, order);
    const answer = await late(rig, order, { wait: 30, meanwhile: () => rig.call("stop_all"), lines: 1 });
    t.match(answer, { error: { code: "CANCELLED" } }, order.name);
    t.equal(order.switched(rig), 0, order.name);
  }
});

t.test("a person's order that waited too long is not carried out either", async (t) => {
  for (const order of ORDERS) {
    const rig = await planned(t, order);
    t.match(await late(rig, order, { wait: 30, ...HUMAN, token: "human" }), { error: { code: "TOO_LATE" } });
    t.equal(order.switched(rig), 0, order.name);
  }
});

t.test("an order that a slow card delays for some seconds is carried out", async (t) => {
  for (const order of ORDERS) {
    const rig = await planned(t, order);
    t.match(await late(rig, order, { wait: 4 }), { ok: true }, order.name);
    t.equal(order.switched(rig), 1, order.name);
  }
});

t.test(
  "a light counts as lit from when it went on, not from an order that waited for the disk",
  async (t) => {
    const [, order] = ORDERS as readonly [Order, Order];
    const rig = await planned(t, order);
    const ordered = rig.clock.now();
    t.ok((await late(rig, order, { wait: 8 })).ok);
    const last_on = isoUtc(ordered + 8000);
    t.match(await rig.get("get_light_status"), { status: "on", last_on, minutes_until_available: 60 });
    await rig.pass(seconds(55));
    t.match(await rig.get("get_light_status"), { status: "on", last_on, light_today: 0 });
    await rig.call("turn_off_light");
    t.match(await rig.get("get_light_status"), { status: "off", last_on, light_today: 0 });
    await rig.restart();
    t.match(await rig.get("get_light_status"), { last_on: isoUtc(ordered), light_today: 1 }, "rather more");
  },
);

t.test("what is forbidden while an order waits for the disk stops it", async (t) => {
  for (const order of ORDERS)
    for (const [code, lines, meanwhile] of [
      ["PAUSED", 1, (rig: Rig) => rig.call("pause_agents", { paused: true }, HUMAN)],
      ["CYCLE_EXPIRED", 1, (rig: Rig) => rig.call("release_care", {}, AGENT)],
      ["CYCLE_EXPIRED", 1, (rig: Rig) => rig.status([order.planned], {}, AGENT)],
      ["UNAUTHORIZED", 0, (rig: Rig) => rig.revokeToken(AGENT.token)],
      [
        "TOKENS_UNREAD",
        0,
        (rig: Rig) => {
          rig.tokensUnread = true;
        },
      ],
      ["HOLD", 1, (rig: Rig) => rig.call("set_hold", { hold: true }, HUMAN)],
    ] as const) {
      const rig = await planned(t, order);
      t.match(await late(rig, order, { wait: 3, lines, meanwhile }), { ok: false, error: { code } }, code);
      t.equal(order.switched(rig), 0, `${order.name} ${code}`);
    }
});

t.test("an order whose turn is over by then switches nothing on", async (t) => {
  for (const order of ORDERS) {
    const rig = await rigFor(t, { peopleToo: true, hydration: 30 });
    const { turn_id } = await rig.get("begin_turn", { kind: "care" }, AGENT);
    const turn = { ...AGENT, turn: turn_id as string };
    await rig.status([order.planned], {}, turn);
    const meanwhile = () => rig.call("end_turn", {}, turn);
    const answer = await late(rig, order, { ...turn, wait: 3, meanwhile });
    t.match(answer, { ok: false, error: { code: "TURN_OVER" } }, order.name);
    t.equal(order.switched(rig), 0, order.name);
  }
});

t.test(
  "what else waits for the disk with its key is not done for a token that is gone by then",
  async (t) => {
    const rig = await rigFor(t, { peopleToo: true });
    const call = () =>
      rig.call("log_action", { type: "observe", details: { seen: "it" } }, { ...AGENT, key: "k" });
    const answer = await rig.late(call, { wait: 3, meanwhile: () => rig.revokeToken(AGENT.token) });
    t.match(answer, { ok: false, error: { code: "UNAUTHORIZED" } });
    t.notMatch(JSON.stringify(await rig.get("get_recent_actions")), /seen/);
  },
);

t.test("who writes on a channel has no token, and what they ask for is carried out", async (t) => {
  const rig = await rigFor(t, { hydration: 30 });
  rig.revokeToken("anna@telegram");
  const answer = await rig.core.house.callTool({
    name: "turn_on_light",
    arguments: { minutes: 30 },
    identity: { name: "anna@telegram", role: "human" },
    signal: () => new AbortController().signal,
    progress: () => undefined,
  });
  t.notOk(answer.isError);
});
