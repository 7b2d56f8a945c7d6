import t from "tap";
import { DriverError, type DriverErrorCode } from "../../drivers/errors.js";
import type { PulsedOutput } from "../../drivers/ports.js";
import { millis, seconds } from "../../drivers/units.js";
import { rigFor } from "../rig.js";
import { refit, withOutput } from "./refit.js";

const HUMAN = { as: "human" } as const;

/** An output whose pulses are rejected, before they began or after. */
const failing = (code: DriverErrorCode, begun: boolean): PulsedOutput => ({
  ceiling: millis(3_600_000),
  pulse: async (_, onEdge) => {
    if (begun) onEdge?.(millis(0));
    throw new DriverError(code, "the relay of basil");
  },
  end: async () => undefined,
  isOn: () => false,
  latestEnd: (duration) => duration,
});

const BEFORE: readonly DriverErrorCode[] = [
  "PULSE_INHIBITED",
  "PULSE_BUSY",
  "PULSE_STALE",
  "PULSE_TOO_LONG",
  "PULSE_INVALID",
  "GUARD_LOST",
  "INTERLOCK_LOST",
  "INTERLOCK_FAULT",
  "INTERLOCK_LIMITS",
  "INTERLOCK_BUDGET",
  "INTERLOCK_REST",
  "INTERLOCK_REFUSED",
  "INTERLOCK_PORT",
  "PACKAGE_UNAVAILABLE",
];

for (const code of BEFORE) {
  t.test(
    `${code} says that nothing was switched: nothing is charged, and the caller is told so`,
    async (t) => {
      const rig = await rigFor(t);
      withOutput(t, rig, failing(code, false));
      const once = { ...HUMAN, key: "once" };
      for (let attempt = 0; attempt < 2; attempt += 1)
        t.equal((await rig.refused("dispense_water", { ml: 20 }, once)).code, code, "the key stays free");
      t.match(await rig.get("get_water_usage_24h"), { used_ml: 0 });
      t.equal((await rig.refused("turn_on_light", { minutes: 30 }, HUMAN)).code, code);
      t.match(await rig.get("get_light_status"), { status: "off", last_on: null, can_activate: true });
    },
  );
}

t.test("what nothing was switched for is not taken from an agent's plan", async (t) => {
  const rig = await rigFor(t);
  await rig.status([
    { action: "water", value: 20 },
    { action: "light", value: 30 },
  ]);
  const restore = withOutput(t, rig, failing("PULSE_INHIBITED", false));
  await rig.refused("dispense_water", { ml: 20 });
  await rig.refused("turn_on_light", { minutes: 30 });
  restore();
  await rig.water(20);
  await rig.get("turn_on_light", { minutes: 30 });
});

const UNSURE = [
  ["PIN_FAILED", false],
  ["GUARD_LOST", true],
  ["PULSE_INHIBITED", true],
  ["RELAY_WELDED", false],
] as const;

for (const [code, begun] of UNSURE) {
  t.test(
    `${code} ${begun ? "after the relay was on" : "may come with the relay on"}: all is charged`,
    async (t) => {
      const rig = await rigFor(t);
      withOutput(t, rig, failing(code, begun));
      t.equal((await rig.refused("dispense_water", { ml: 20 }, HUMAN)).code, "DOSE_UNCERTAIN");
      t.match(await rig.get("get_water_usage_24h"), { used_ml: 20 });
      await rig.call("turn_on_light", { minutes: 30 }, HUMAN);
      await rig.pass(seconds(1));
      t.match(await rig.get("get_light_status"), { can_activate: false, minutes_until_available: 30 });
    },
  );
}

t.test("a plant without pump, light or camera says so, and how to get one", async (t) => {
  const rig = await rigFor(t);
  refit(t, rig, ({ probe }) => ({ probe }));
  const calls = [
    ["dispense_water", { ml: 20 }, /basil has no pump \(plants\[0\]\.pump\.output\)/],
    ["turn_on_light", { minutes: 30 }, /basil has no grow light \(plants\[0\]\.light\.output\)/],
    ["capture_photo", {}, /basil has no camera/],
  ] as const;
  for (const [tool, args, message] of calls)
    t.match(await rig.refused(tool, args, HUMAN), { code: "NOT_FITTED", retryable: false, message }, tool);
  t.match(await rig.get("get_water_usage_24h"), { used_ml: 0, events: 0 });
});

t.test(
  "a plant without a light: nobody is invited to light it, and reading and switching off go on",
  async (t) => {
    const rig = await rigFor(t);
    refit(t, rig, ({ probe, pump }) => ({ probe, ...(pump && { pump }) }));
    t.match(await rig.get("get_light_status"), { status: "off", can_activate: false, last_on: null });
    t.match(await rig.get("turn_off_light"), { status: "off", was_on: false });
    t.match(await rig.get("get_overview", {}, HUMAN), {
      plants: [{ fitted: { pump: true, light: false, camera: false }, light: { status: "off" } }],
    });
    await rig.get("stop_all");
    await rig.water(20, HUMAN);
  },
);

t.test("a status that plans with what is not fitted is refused, one without is cleared", async (t) => {
  const rig = await rigFor(t);
  refit(t, rig, ({ probe }) => ({ probe }));
  const both = [
    { action: "water", value: 20 },
    { action: "light", value: 30 },
  ];
  t.match(await rig.status(both), {
    proceed: false,
    reason: /no pump: plan without water\. The plant has no grow light: plan without light\./,
  });
  t.same(await rig.status([{ action: "observe" }]), { proceed: true });
});

t.test("how the board ends its outputs is in the log from the start", async (t) => {
  const rig = await rigFor(t);
  t.ok(
    rig.log.some((line) =>
      line.startsWith("info simulated hardware: pins in the configuration are not used"),
    ),
  );
});
