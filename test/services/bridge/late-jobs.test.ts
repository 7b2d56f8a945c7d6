import t, { type Test } from "tap";
import { z } from "zod";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { seconds } from "../../../drivers/units.js";
import { defineAdapter } from "../../../runtime/bridge/adapter.js";
import { JOB_LOG } from "../../../runtime/services/bridge/job.js";
import { CallAge } from "../../../runtime/tools/late-calls.js";
import { BridgeOfTest } from "../../bridge-of-test.js";
import { type Lateness, type Rig, rigFor } from "../../rig.js";
import { HomeHouse } from "../home/home-house.js";

const AGENT = { token: "agent.attic" } as const;
const HUMAN = { as: "human" } as const;

/** What leaves the house behind a line of a journal. */
interface Sent {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
  open(t: Test): Promise<Sending>;
}

interface Sending {
  readonly rig: Rig;
  /** How much has left the house. */
  went(): number;
}

/** A bridge whose adapter answers every job with `result`, and a runtime that needs it. */
async function opened(t: Test, config: string, what: string, result: object): Promise<Sending> {
  const rig = await rigFor(t, { config, peopleToo: true });
  let went = 0;
  const open = () => ({
    [what]: async () => {
      went += 1;
      return { ...result };
    },
  });
  const adapter = defineAdapter({ name: what, key: what, config: z.object({}), secrets: () => [], open });
  const bridge = new BridgeOfTest(rig, adapter, {});
  t.teardown(() => bridge.leave());
  return { rig, went: () => went };
}

const ALL: readonly Sent[] = [
  {
    name: "sendEmail",
    args: { to: "shop@example.com", subject: "Soil", body: "Ten litres, please." },
    open: (t) =>
      opened(t, "mail: { allow: [shop@example.com], per_day: 1 }", "send", {
        ...{ message_id: "<1@home.example>", server: "smtp.example.com" },
      }),
  },
  {
    name: "call_ha_service",
    args: { domain: "light", service: "turn_on", entity_id: "light.kitchen_lights" },
    open: async (t) => {
      const { rig, home } = await HomeHouse.start(t, undefined, { peopleToo: true });
      return { rig, went: () => home.calls.length };
    },
  },
  {
    name: "search_web",
    args: { query: "basil yellow leaves" },
    open: (t) => opened(t, "web: { search: duckduckgo }", "search", { results: [] }),
  },
];

const late = (rig: Rig, { name, args }: Sent, lateness: Lateness) =>
  rig.late(() => rig.call(name, args, AGENT), lateness);

for (const sent of ALL) {
  t.test(
    `${sent.name} that waited too long for the disk sends nothing, and can be asked again`,
    async (t) => {
      const { rig, went } = await sent.open(t);
      t.match(await late(rig, sent, { wait: 30 }), {
        ok: false,
        error: { code: "TOO_LATE", retryable: true },
      });
      t.equal(went(), 0);
      t.ok((await rig.call(sent.name, sent.args, AGENT)).ok);
      t.equal(went(), 1);
    },
  );

  t.test(`${sent.name} that a slow card delays for some seconds is sent`, async (t) => {
    const { rig, went } = await sent.open(t);
    t.match(await late(rig, sent, { wait: 4 }), { ok: true });
    t.equal(went(), 1);
  });

  for (const [code, lines, meanwhile] of [
    ["PAUSED", 1, (rig: Rig) => rig.call("pause_agents", { paused: true }, HUMAN)],
    ["UNAUTHORIZED", 0, (rig: Rig) => rig.revokeToken(AGENT.token)],
  ] as const)
    t.test(
      `${sent.name} that was forbidden while it waited for the disk sends nothing: ${code}`,
      async (t) => {
        const { rig, went } = await sent.open(t);
        t.match(await late(rig, sent, { wait: 3, lines, meanwhile }), { ok: false, error: { code } });
        t.equal(went(), 0);
        const jobs = rig.core.house.journal(JOB_LOG);
        for await (const { state } of jobs.all())
          t.equal(state, "failed", "nobody doubts it at the next start");
      },
    );
}

t.test(
  "a lock that has its yes stays locked if the disk hangs behind that yes, though the home is read again",
  async (t) => {
    const house = await HomeHouse.start(t, undefined, { peopleToo: true });
    const { rig, home } = house;
    const args = { domain: "lock", service: "unlock", entity_id: "lock.front_door" };
    const { request_id = 0 } = await house.service(args);
    const answer = rig.call("call_ha_service", args);
    let release = () => {};
    rig.duringNextWrite(async () => {
      release = rig.disk.hang();
    });
    await house.answer(request_id);
    await rig.disk.until((awaited) => awaited > 0);
    await rig.pass(seconds(30));
    release();
    t.match(await answer, { ok: false, error: { code: "TOO_LATE" } });
    t.same(home.calls, []);
  },
);

t.test("what a call waits for outside does not count as held up, also if it fails", async (t) => {
  const clock = new SimulatedClock();
  const age = new CallAge(clock);
  const answered = age.outside(clock.sleep(seconds(20)));
  await clock.advance(seconds(20));
  await answered;
  await clock.advance(seconds(9));
  await t.rejects(age.outside(Promise.reject(new Error("no"))), /no/);
  age.assertFresh();
  await clock.advance(seconds(2));
  t.throws(() => age.assertFresh(), { code: "TOO_LATE" });
});
