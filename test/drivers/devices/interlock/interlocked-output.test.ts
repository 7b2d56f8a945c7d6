import t from "tap";
import { BenchPulse } from "../../../../drivers/bench/bench-relay.js";
import { SimulatedClock } from "../../../../drivers/clock/simulated-clock.js";
import { InterlockPanel } from "../../../../drivers/devices/interlock/panel.js";
import { DriverError, type DriverErrorCode, switchedNothing } from "../../../../drivers/errors.js";
import type { PulsedOutput, PulseReport } from "../../../../drivers/ports.js";
import { type Millis, millis, seconds } from "../../../../drivers/units.js";
import { pulsedOutputContract } from "../../pulsed-output-contract.js";
import { ScriptedInterlock } from "./scripted-interlock.js";

/** The guard's relay, noting in the interlock's list when it goes on and off. */
function rig(inhibitor: () => string | undefined = () => undefined) {
  const clock = new SimulatedClock();
  const device = new ScriptedInterlock();
  const relay = new BenchPulse(
    {
      name: "basil-pump",
      ceiling: seconds(26),
      inhibitor,
      onEdge: () => void device.asked.push(`relay ${relay.known.edges.at(-1)?.level}`),
    },
    clock,
  );
  const panel = new InterlockPanel({ device, needs: { pumps: [] }, plants: ["basil"], clock });
  const troubles: DriverError[] = [];
  panel.watchTroubles((trouble) => void troubles.push(trouble));
  const output = panel.interlocked("basil-pump", "pump", relay);
  return { clock, device, relay, panel, output, troubles };
}

type Rig = ReturnType<typeof rig>;

/** What the interlock measured of the pulse in progress, or the last one. */
const measured = (device: ScriptedInterlock, live: number, on = live + 100) =>
  device.change({ pumpLive: millis(live), on: { pump: millis(on), light: millis(0) } });

/** Lets time pass in small steps, as what is waited for is only known on the way. */
async function pass({ clock }: Rig, time: Millis): Promise<void> {
  for (let left: number = time; left > 0; left -= 10) await clock.advance(millis(10));
}

/** Lets a pulse run to its end; the report, or the error. */
async function over(it: Rig, pulse: Promise<PulseReport>, time: Millis = seconds(10)) {
  const outcome = pulse.catch((error: DriverError) => error);
  await pass(it, time);
  return outcome;
}

t.test("keeps the contract of a pulsed output", async (t) => {
  pulsedOutputContract(t, () => {
    const { clock, device, relay } = rig();
    const noPause = Object.assign(Object.create(clock), { sleep: async () => undefined });
    const panel = new InterlockPanel({ device, needs: { pumps: [] }, plants: [], clock: noPause });
    device.during = (line) => {
      if (line !== "pump off") return;
      const [on, off] = relay.edges.slice(-2);
      measured(device, (off?.at ?? 0) - (on?.at ?? 0));
    };
    const output = panel.interlocked("basil-pump", "pump", relay);
    return { output, pass: (time) => clock.advance(time), beat: seconds(1), slack: millis(0) };
  });
});

t.test(
  "the interlock closes first, the node is looked at, the relay pulses, the interlock opens",
  async (t) => {
    const it = rig();
    measured(it.device, 4010);
    t.match(await over(it, it.output.pulse(seconds(4))), { onFor: 4010, outcome: "elapsed" });
    t.same(it.device.asked, ["status", "pump 4500", "status", "relay 1", "relay 0", "pump off"]);
  },
);

t.test("reported is the longer of what the guard and the interlock measured", async (t) => {
  for (const [live, onFor] of [
    [3950, 4000],
    [4900, 4900],
  ] as const) {
    const it = rig();
    measured(it.device, live);
    t.match(await over(it, it.output.pulse(seconds(4))), { onFor, outcome: "elapsed" });
  }
});

t.test("a pulse that the interlock cut short is not known to have been whole", async (t) => {
  for (const live of [0, 2000, 3850]) {
    const it = rig();
    measured(it.device, live);
    t.match(await over(it, it.output.pulse(seconds(4))), { onFor: 4000, outcome: "unknown" }, `${live} ms`);
  }
});

t.test("an interlock that is silent at the end, or has begun anew: the outcome is unknown", async (t) => {
  const silent = rig();
  measured(silent.device, 4000);
  silent.device.during = (line) => {
    if (line === "pump off") silent.device.present = false;
  };
  t.match(await over(silent, silent.output.pulse(seconds(4))), { onFor: 4000, outcome: "unknown" });
  const restarted = rig();
  measured(restarted.device, 4000);
  restarted.device.during = (line) => {
    if (line === "pump off") restarted.device.change({ order: { pump: 0, light: 0 } });
  };
  t.match(await over(restarted, restarted.output.pulse(seconds(4))), { onFor: 4000, outcome: "unknown" });
});

t.test("what is ended early is as sure as the guard, also without the interlock", async (t) => {
  const it = rig();
  const pulse = it.output.pulse(seconds(4));
  await pass(it, seconds(1));
  it.device.present = false;
  await it.output.end();
  t.match(await over(it, pulse), { onFor: 930, outcome: "ended" });
});

for (const code of [
  "INTERLOCK_REFUSED",
  "INTERLOCK_BUDGET",
  "INTERLOCK_FAULT",
  "INTERLOCK_LOST",
] satisfies DriverErrorCode[])
  t.test(`${code} in answer to the request: the relay stays off, and the next may try`, async (t) => {
    const it = rig();
    it.device.refusal = new DriverError(code, "the interlock");
    const error = await over(it, it.output.pulse(seconds(4)));
    t.match(error, { code });
    t.ok(switchedNothing(error));
    t.notOk(it.device.asked.includes("relay 1"));
    it.device.refusal = undefined;
    measured(it.device, 4000);
    t.match(await over(it, it.output.pulse(seconds(4))), { outcome: "elapsed" });
  });

t.test("an interlock that is out is not even asked", async (t) => {
  const cases: [DriverErrorCode, (device: ScriptedInterlock) => void][] = [
    ["INTERLOCK_LOST", (device) => device.lose()],
    ["INTERLOCK_FAULT", (device) => device.change({ faults: ["no heartbeat"] })],
    ["INTERLOCK_FAULT", (device) => device.change({ stopPressed: true })],
    [
      "INTERLOCK_LIMITS",
      (device) => {
        device.limits = { ...device.limits, budget: seconds(700) };
      },
    ],
  ];
  for (const [code, spoil] of cases) {
    const it = rig();
    spoil(it.device);
    t.match(await over(it, it.output.pulse(seconds(4))), { code });
    t.notOk(
      it.device.asked.some((line) => line.startsWith("pump 4")),
      code,
    );
  }
});

t.test("a pump's rest is waited out; a longer one is refused with what is left", async (t) => {
  const it = rig();
  measured(it.device, 1000);
  it.device.change({ rest: { pump: seconds(9), light: seconds(0) } });
  const pulse = it.output.pulse(seconds(1));
  await pass(it, seconds(8));
  t.same(it.device.asked, ["status"]);
  it.device.change({ rest: { pump: seconds(0), light: seconds(0) } });
  t.match(await over(it, pulse), { outcome: "elapsed" });
  it.device.change({ rest: { pump: seconds(300), light: seconds(0) } });
  t.match(await over(it, it.output.pulse(seconds(1))), { code: "INTERLOCK_REST", message: /300 s more/ });
});

t.test(
  "a node that is live with the relay off: the relay is welded, the interlock opens, and it is told",
  async (t) => {
    const it = rig();
    it.device.change({ live: { pump: true, light: false } });
    const error = await over(it, it.output.pulse(seconds(4)));
    t.match(error, { code: "RELAY_WELDED" });
    t.notOk(switchedNothing(error), "the pump ran meanwhile: that counts");
    t.same(it.device.asked, ["status", "pump 4500", "status", "pump off"]);
    t.match(it.troubles, [{ code: "RELAY_WELDED" }]);
  },
);

t.test(
  "a relay that is refused by the guard opens the interlock again, and nothing was switched",
  async (t) => {
    const it = rig(() => "stop button");
    const error = await over(it, it.output.pulse(seconds(4)));
    t.match(error, { code: "PULSE_INHIBITED" });
    t.equal(it.device.asked.at(-1), "pump off");
  },
);

t.test("a guard that says it switched nothing is not believed against a live node", async (t) => {
  const it = rig(() => "stop button");
  measured(it.device, 700);
  t.match(await over(it, it.output.pulse(seconds(4))), { onFor: 700, outcome: "unknown" });
});

/** Where `end()` may come between the call and the edge. */
for (const [when, line, time] of [
  ["while the rest is asked for", "status", 1],
  ["while the request is on its way", "pump 4500", 1],
  ["while the node is looked at", "status", 2],
] as const)
  t.test(`an end ${when}: the relay never goes on, and the interlock is open`, async (t) => {
    const it = rig();
    let said = 0;
    it.device.during = (order) => {
      if (order === line && ++said === time) void it.output.end();
    };
    t.match(await over(it, it.output.pulse(seconds(4))), { onFor: 0, outcome: "ended" });
    t.notOk(it.device.asked.includes("relay 1"));
    t.equal(it.device.asked.at(-1), "pump off");
  });

t.test("an end while the contact settles: the relay never goes on", async (t) => {
  const it = rig();
  const pulse = it.output.pulse(seconds(4));
  await pass(it, millis(20));
  await it.output.end();
  t.match(await over(it, pulse), { onFor: 0, outcome: "ended" });
  t.notOk(it.device.asked.includes("relay 1"));
});

t.test("an end in the very turn in which the contact has settled: the relay never goes on", async (t) => {
  const it = rig();
  const endSoon = () => queueMicrotask(() => void it.output.end());
  t.match(await over(it, it.output.pulse(seconds(4), undefined, endSoon)), { onFor: 0, outcome: "ended" });
  t.notOk(it.device.asked.includes("relay 1"));
  t.equal(it.device.asked.at(-1), "pump off");
});

t.test("end() switches the relay off first, and waits for no interlock", async (t) => {
  const it = rig();
  const pulse = it.output.pulse(seconds(4));
  await pass(it, seconds(1));
  it.device.during = () => new Promise(() => undefined);
  await it.output.end();
  t.equal(it.relay.isOn(), false);
  t.same(it.device.asked.slice(-2), ["relay 0", "pump off"]);
  void pulse;
});

t.test("an interlock that fails amid a pulse takes the relay with it, at once", async (t) => {
  for (const fail of [
    (device: ScriptedInterlock) => device.lose(),
    (device: ScriptedInterlock) => device.change({ faults: ["no heartbeat while the pump ran"] }),
    (device: ScriptedInterlock) => device.change({ stopPressed: true }),
  ]) {
    const it = rig();
    const pulse = it.output.pulse(seconds(4));
    await pass(it, seconds(1));
    fail(it.device);
    t.equal(it.relay.isOn(), false);
    t.match(await over(it, pulse), { onFor: 930, outcome: "ended" });
  }
});

t.test(
  "two pumps behind one interlock: one at a time, and the end of one is none of the other's",
  async (t) => {
    const it = rig();
    const other = it.panel.interlocked(
      "fern-pump",
      "pump",
      new BenchPulse({ name: "fern", ceiling: seconds(26) }, it.clock),
    );
    measured(it.device, 4000);
    const pulse = it.output.pulse(seconds(4));
    await pass(it, seconds(1));
    await t.rejects(other.pulse(seconds(1)), {
      code: "PULSE_BUSY",
      message: /fern-pump waits: basil-pump is on behind the same interlock/,
    });
    await other.end();
    t.notOk(it.device.asked.includes("pump off"));
    t.match(await over(it, pulse), { outcome: "elapsed" });
    t.match(await over(it, other.pulse(seconds(1))), { onFor: 4000 });
  },
);

t.test("where every process is dead the interlock ends what the line does not", async (t) => {
  const { panel } = rig();
  const latestEnd = (end: number) => () => millis(end);
  const line = (end: number): PulsedOutput =>
    Object.assign(new BenchPulse({ name: "x", ceiling: seconds(26) }, new SimulatedClock()), {
      latestEnd: latestEnd(end),
    });
  t.equal(panel.interlocked("x", "pump", line(Number.POSITIVE_INFINITY)).latestEnd(seconds(20)), 21_500);
  t.equal(panel.interlocked("x", "pump", line(20_100)).latestEnd(seconds(20)), 20_100);
});
