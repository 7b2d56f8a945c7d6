import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, millis, minutes } from "../../../drivers/units.js";
import {
  admitUnanswered,
  judgeResponse,
  type PouredDose,
  type SoilReading,
} from "../../../runtime/safety/response.js";
import { stampOf } from "../../../runtime/safety/stamp.js";

/** A pot: readings and doses in simulated time. */
class Pot {
  readonly clock = new SimulatedClock();
  readonly doses: PouredDose[] = [];
  readonly readings: SoilReading[] = [];

  async after(wait: number, { ml, percent }: { ml?: number; percent?: number } = {}): Promise<this> {
    await this.clock.advance(millis(wait));
    if (ml !== undefined) this.doses.push({ ml, stamp: stampOf(this.clock) });
    if (percent !== undefined) this.readings.push({ percent, noise: 2, stamp: stampOf(this.clock) });
    return this;
  }

  /** A dose that knows of the one before it, as the runtime's doses do. */
  pourNext(ml: number): void {
    const previous = this.doses.at(-1)?.stamp;
    this.doses.push({ ml, stamp: stampOf(this.clock), ...(previous && { previous }) });
  }

  judge() {
    return judgeResponse({ doses: this.doses, readings: this.readings, now: stampOf(this.clock) });
  }

  /** Baseline 30 %, then three doses of 20 ml five minutes apart. */
  static async watered(): Promise<Pot> {
    const pot = new Pot();
    for (const percent of [29, 30, 31]) await pot.after(minutes(1), { percent });
    for (let i = 0; i < 3; i += 1) await pot.after(minutes(5), { ml: 20 });
    return pot;
  }
}

t.test("60 ml that leave the soil unmoved are noticed once they had time to sink in", async (t) => {
  const pot = await Pot.watered();
  await pot.after(millis(minutes(15) - 1), { percent: 31 });
  t.match(pot.judge(), { verdict: "fine" }, "the last dose has not settled");
  await pot.after(1, { percent: 31 });
  t.match(pot.judge(), {
    verdict: "unresponsive",
    what: /60 ml.* 30.0 % to 31.0 % at best \(noise ± 2.0 %\)/,
  });
});

t.test("a rise above the noise band is an answer, at the band's edge it is not", async (t) => {
  const pot = await Pot.watered();
  await pot.after(minutes(20), { percent: 32 });
  t.match(pot.judge(), { verdict: "unresponsive" });
  await pot.after(minutes(1), { percent: 32.1 });
  t.match(pot.judge(), { verdict: "cannot judge", answered: undefined }, "one reading alone is no answer");
  await pot.after(minutes(1), { percent: 32.1 });
  t.match(pot.judge(), { verdict: "fine", answered: pot.doses[2] });
});

t.test("an answer counts though the soil has dried again since", async (t) => {
  const pot = await Pot.watered();
  for (const percent of [45, 44]) await pot.after(minutes(2), { percent });
  await pot.after(minutes(60), { percent: 30 });
  t.match(pot.judge(), { verdict: "fine" });
});

t.test("the rise that a dose has brought is no answer to the dose after it", async (t) => {
  const pot = new Pot();
  for (const percent of [30, 30, 30]) await pot.after(minutes(1), { percent });
  for (let dose = 0; dose < 4; dose += 1) {
    await pot.after(minutes(1));
    pot.pourNext(25);
    await pot.after(millis(1000), { percent: 36 });
  }
  for (let i = 0; i < 16; i += 1) await pot.after(minutes(1), { percent: 36 });
  const { answered, silent } = pot.judge();
  t.equal(answered, pot.doses[0]);
  t.equal(silent.size, 3);
});

t.test("doses that each bring a rise of their own are each answered", async (t) => {
  const pot = new Pot();
  let percent = 30;
  for (let dose = 0; dose < 4; dose += 1) {
    await pot.after(minutes(1), { percent });
    pot.pourNext(25);
    percent += 4;
  }
  for (let i = 0; i < 2; i += 1) await pot.after(minutes(1), { percent });
  t.equal(pot.judge().answered, pot.doses[3]);
});

t.test("a dose that no reading parts from the one before it is not answered by the same rise", async (t) => {
  const pot = new Pot();
  await pot.after(minutes(1), { percent: 30 });
  for (let dose = 0; dose < 3; dose += 1) {
    await pot.after(minutes(1));
    pot.pourNext(20);
  }
  for (let i = 0; i < 20; i += 1) await pot.after(minutes(1), { percent: 45 });
  const { answered, silent } = pot.judge();
  t.equal(answered, pot.doses[0]);
  t.equal(silent.size, 0, "nor known to have no answer");
});

t.test("how wet the soil was hours before the water does not hide its answer", async (t) => {
  const pot = new Pot();
  for (let percent = 60; percent >= 30; percent -= 1) await pot.after(minutes(10), { percent });
  for (let i = 0; i < 3; i += 1) await pot.after(minutes(5), { ml: 20 });
  for (const percent of [38, 38]) await pot.after(minutes(20), { percent });
  t.match(pot.judge(), { verdict: "fine" });
});

t.test("less water than the rule asks for is not judged", async (t) => {
  const pot = new Pot();
  await pot.after(0, { percent: 30 });
  await pot.after(minutes(5), { ml: 25 });
  await pot.after(minutes(5), { ml: 25 });
  await pot.after(minutes(30), { percent: 30 });
  t.match(pot.judge(), { verdict: "fine" });
});

t.test(
  "doses without an answer add up, however far apart within a day: nobody floods a floor in small portions",
  async (t) => {
    const pot = new Pot();
    for (let i = 0; i < 2; i += 1) {
      await pot.after(hours(5), { percent: 30 });
      await pot.after(minutes(1), { ml: 25 });
      await pot.after(minutes(20), { percent: 30 });
    }
    t.match(pot.judge(), { verdict: "fine" }, "50 ml are less than the rule's 60");
    await pot.after(hours(5), { percent: 28 });
    await pot.after(minutes(1), { ml: 10 });
    await pot.after(minutes(20), { percent: 28 });
    t.match(pot.judge(), { verdict: "unresponsive", what: /60 ml/ });
  },
);

t.test("an answer settles all that was poured before it, and it is named", async (t) => {
  const pot = new Pot();
  await pot.after(0, { percent: 30 });
  for (const percent of [30, 30, 36, 34, 33]) {
    await pot.after(minutes(1), { ml: 25 });
    for (const wait of [10, 10]) await pot.after(minutes(wait), { percent });
    await pot.after(hours(3), { percent: percent - 1 });
  }
  t.match(pot.judge(), { verdict: "fine", answered: pot.doses[2] });
});

t.test("what was seen to get no answer stays so when the readings that showed it are gone", async (t) => {
  const pot = await Pot.watered();
  await pot.after(minutes(20), { percent: 30 });
  const { silent } = pot.judge();
  t.equal(silent.size, 3);
  const doses = pot.doses.map((dose) => ({ ...dose, silent: silent.has(dose) }));
  const later = judgeResponse({ doses, readings: pot.readings.slice(-1), now: stampOf(pot.clock) });
  t.match(later, { verdict: "unresponsive" });
});

t.test(
  "what cooling soil or slow noise moves a probe by is no answer, however quiet its conversions are",
  async (t) => {
    const pot = await Pot.watered();
    await pot.after(minutes(90), { percent: 30.4 });
    await pot.after(minutes(1), { percent: 30.5 });
    const readings = pot.readings.map((reading) => ({ ...reading, noise: 0.01 }));
    const verdict = judgeResponse({ doses: pot.doses, readings, now: stampOf(pot.clock) });
    t.match(verdict, { verdict: "unresponsive" });
    for (let i = 0; i < 2; i += 1) await pot.after(minutes(1), { percent: 30.6 });
    const more = pot.readings.map((reading) => ({ ...reading, noise: 0.01 }));
    const answered = judgeResponse({ doses: pot.doses, readings: more, now: stampOf(pot.clock) });
    t.match(answered, { verdict: "fine", answered: pot.doses[2] }, "more than half a percent is one");
  },
);

t.test(
  "one reading alone is no answer, nor a rise that comes more than three hours after the water",
  async (t) => {
    const alone = await Pot.watered();
    await alone.after(minutes(20), { percent: 45 });
    t.match(alone.judge(), { answered: undefined });
    const late = await Pot.watered();
    for (const wait of [20, 1]) await late.after(minutes(wait), { percent: 30 });
    for (const wait of [160, 1]) await late.after(minutes(wait), { percent: 45 });
    t.match(late.judge(), { verdict: "unresponsive", answered: undefined });
    const inTime = await Pot.watered();
    for (let i = 0; i < 21; i += 1) await inTime.after(minutes(1), { percent: 30 });
    for (const wait of [158, 1]) await inTime.after(minutes(wait), { percent: 45 });
    t.match(inTime.judge(), { verdict: "fine", answered: inTime.doses[2] });
  },
);

t.test("a spike of noise among the readings of three hours is no answer", async (t) => {
  const pot = await Pot.watered();
  for (let i = 0; i < 100; i += 1) await pot.after(minutes(1), { percent: i === 50 ? 40 : 30 });
  t.match(pot.judge(), { verdict: "unresponsive" });
});

t.test("water into soil that is full already gets no answer either", async (t) => {
  const pot = new Pot();
  await pot.after(0, { percent: 100 });
  for (let i = 0; i < 3; i += 1) await pot.after(minutes(1), { ml: 20 });
  await pot.after(minutes(20), { percent: 100 });
  t.match(pot.judge(), { verdict: "unresponsive" });
});

t.test("without a reading from before the doses there is no judgement", async (t) => {
  const pot = new Pot();
  for (let i = 0; i < 3; i += 1) await pot.after(minutes(5), { ml: 20 });
  await pot.after(minutes(20), { percent: 30 });
  t.match(pot.judge(), { verdict: "cannot judge", what: /no reading before/ });
});

t.test("without a reading from after the doses had settled there is no judgement", async (t) => {
  const pot = await Pot.watered();
  await pot.after(minutes(1), { percent: 30 });
  await pot.after(minutes(30));
  t.match(pot.judge(), { verdict: "cannot judge", what: /no reading after/ });
});

t.test("a single outlier before the doses does not move the baseline", async (t) => {
  const pot = new Pot();
  for (const percent of [30, 30, 90, 30, 30]) await pot.after(minutes(1), { percent });
  for (let i = 0; i < 3; i += 1) await pot.after(minutes(5), { ml: 20 });
  for (const percent of [40, 40]) await pot.after(minutes(20), { percent });
  t.match(pot.judge(), { verdict: "fine" });
});

t.test("a reading whose age cannot be proved is no evidence", async (t) => {
  const pot = await Pot.watered();
  await pot.after(minutes(20), { percent: 30 });
  const unknown = { percent: 80, noise: 2, stamp: { ...stampOf(pot.clock), boot: "stored", synced: false } };
  const readings = [...pot.readings, unknown];
  const verdict = judgeResponse({ doses: pot.doses, readings, now: stampOf(pot.clock) });
  t.match(verdict, { verdict: "unresponsive" });
});

t.test("a stricter rule can be configured", async (t) => {
  const pot = new Pot();
  await pot.after(0, { percent: 30 });
  await pot.after(minutes(5), { ml: 20 });
  await pot.after(minutes(6), { percent: 30 });
  const rule = { ml: 20, window: hours(1), settle: minutes(5) };
  const { doses, readings, clock } = pot;
  t.match(judgeResponse({ doses, readings, now: stampOf(clock), rule }), { verdict: "unresponsive" });
});

t.test("water without an answer and the dose asked are never more than the limit together", (t) => {
  const rule = { ml: 60, window: hours(3), settle: minutes(15) };
  const dose = (ml: number, waited: number) => ({ ml, waited: minutes(waited) });
  const admit = (ml: number, ...doses: ReturnType<typeof dose>[]) => admitUnanswered(doses, ml, rule);
  t.same(admit(25), { verdict: "admitted", unanswered: 0 });
  t.match(admit(10, dose(25, 0), dose(25, 0)), { verdict: "admitted", unanswered: 50 }, "60 is not more");
  t.match(admit(11, dose(25, 0), dose(25, 0)), { verdict: "too early", wait: minutes(15) });
  t.match(
    admit(25, dose(25, 360), dose(25, 14)),
    { verdict: "too early", wait: minutes(1) },
    "the newest counts",
  );
  t.match(admit(25, dose(25, 360), dose(25, 15)), { verdict: "no answer" }, "it had all of its time");
  t.match(admit(18, dose(54, 360)), { verdict: "no answer", unanswered: 54 });
  t.match(admit(20, dose(20.1, 1), dose(19.9, 1)), { verdict: "admitted" }, "binary fractions do not add up");
  t.end();
});
