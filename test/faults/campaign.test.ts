import t, { type Test } from "tap";
import { LightLedger } from "../../runtime/services/light/ledger.js";
import { WaterLedger } from "../../runtime/services/water/ledger.js";
import { Pots } from "../../runtime/services/water/pots.js";
import { campaign } from "./campaign/campaign.js";
import { brokenLight, brokenWater, mostIn24h } from "./campaign/judge.js";

/** As many as a minute of `npm test` has room for; `npm run test:faults` lives 20,000 and more. */
const LIVES = 400;
/** In so many lives each of the mistakes below shows. */
const ENOUGH = 400;

t.test(
  "no life of crashes, full disks, wrong clocks and renamed plants breaks the water limit or the light's rest",
  async (t) => {
    const { broken, lives, doses, stretches, kills, refusals } = await campaign(1, LIVES);
    t.same(broken, []);
    t.equal(lives, LIVES);
    t.ok(
      doses > 4 * LIVES && kills > 2 * LIVES && stretches > LIVES / 4,
      `${doses} doses, ${kills} kills, ${stretches} lit`,
    );
    for (const code of [
      "BUDGET_EXCEEDED",
      "LEDGER_UNAVAILABLE",
      "DOSE_UNCERTAIN",
      "CANCELLED",
      "LIGHT_COOLDOWN",
    ])
      t.ok(refusals.has(code), `the lives came up against ${code}`);
  },
);

/** Puts something wrong in the place of a method until the test ends. */
function spoil<T extends object, K extends keyof T>(t: Test, target: T, method: K, wrong: T[K]): void {
  const right = target[method];
  target[method] = wrong;
  t.teardown(() => {
    target[method] = right;
  });
}

t.test("the campaign catches a ledger that forgives what a crash left open", async (t) => {
  const { settle } = WaterLedger.prototype;
  spoil(t, WaterLedger.prototype, "settle", function (this: WaterLedger, of, ml, outcome, onFor) {
    return settle.call(this, of, outcome === "uncertain" && onFor === null ? 0 : ml, outcome, onFor);
  });
  t.ok((await campaign(1, ENOUGH, 1)).broken.length > 0);
});

t.test("the campaign catches a ledger that knows a pot by its plant's id alone", async (t) => {
  spoil(t, Pots.prototype, "counts", (id, line) => line.record.plant === id);
  t.ok((await campaign(1, ENOUGH, 1)).broken.length > 0);
});

t.test("the campaign catches a light that does not rest after a crash", async (t) => {
  const { status } = LightLedger.prototype;
  spoil(t, LightLedger.prototype, "status", function (this: LightLedger, plant) {
    const known = status.call(this, plant);
    return known.status === "on" ? known : { ...known, can_activate: true, minutes_until_available: 0 };
  });
  t.ok((await campaign(1, ENOUGH, 1)).broken.length > 0);
});

t.test(
  "the judge adds up what flowed in the fullest 24 hours, to the end of a pulse that reaches out of them",
  async (t) => {
    const hour = 3_600_000;
    const pulse = (from: number) => ({ from, to: from + 10_000 });
    t.equal(mostIn24h([pulse(0), pulse(24 * hour)], 1), 10, "a day apart");
    t.equal(mostIn24h([pulse(0), pulse(24 * hour - 10_000)], 1), 20, "just within");
    t.equal(mostIn24h([pulse(0), pulse(24 * hour - 4000)], 1), 14, "reaching out");
    t.match(brokenWater("pot", [pulse(0), pulse(hour)], 1, 19), [/20.000 ml in 24 h, 19 are allowed/]);
    t.same(brokenWater("pot", [pulse(0), pulse(hour)], 1, 20), []);
    t.match(
      brokenLight("pot", [
        { from: 0, to: hour },
        { from: 1.4 * hour, to: 2 * hour },
      ]),
      [/after 24.000 min/],
    );
  },
);
