import t from "tap";
import type {
  AlarmScore,
  CycleRecord,
  PlantScore,
  RefusalRecord,
} from "../../../agent-client/harness/result.js";
import {
  type PlantCourse,
  type RunCourse,
  scorePlant,
  scoreRun,
} from "../../../agent-client/harness/scoring.js";
import { hours } from "../../../drivers/units.js";
import { START } from "./short-run.js";

const hour = (number: number) => new Date(START + hours(number)).toISOString();

const course = (hydration: readonly number[], more: Partial<PlantCourse> = {}): PlantCourse => ({
  good: { from: 40, to: 80 },
  hourly: {
    at: hydration.map((_, index) => hour(index)),
    hydration,
    health: hydration.map(() => 90),
    vigour: hydration.map(() => 80),
  },
  doses: [],
  water: { need: 0, drained: 0 },
  ...more,
});

const dose = (at: number, ml: number) => ({ at: hour(at), ml, arrived: ml });

t.test(
  "days in range are the share of the hours within the species' range, both ends included",
  async (t) => {
    t.equal(scorePlant(course([80, 60, 40, 39.9])).inRange, 75);
    t.equal(scorePlant(course([20, 20, 81, 90])).inRange, 0, "too dry and too wet are both outside");
  },
);

t.test("freshly watered hours do not count until the soil is in range", async (t) => {
  t.equal(scorePlant(course([100, 95, 81, 80, 60])).inRange, 100);
  t.equal(scorePlant(course([100, 95, 90])).inRange, 100, "also where it never dries in so short a time");
  t.equal(scorePlant(course([100, 80, 90, 60])).inRange, 66.7, "once in range, too wet is too wet");
});

t.test("who pours into freshly watered soil is charged with the hours from there on", async (t) => {
  t.equal(scorePlant(course([100, 95, 98, 60], { doses: [dose(1.5, 25)] })).inRange, 50);
});

t.test("water used stands beside the need, what ran out below beside both", async (t) => {
  const { water } = scorePlant(
    course([60], { doses: [dose(0, 25), dose(1, 12.34)], water: { need: 30.06, drained: 1.26 } }),
  );
  t.same(water, { given: 37.3, need: 30.1, drained: 1.3 });
});

t.test("a plant whose vigour ends at 0 is dead; one without hours scores no NaN", async (t) => {
  const dead = course([10, 5]);
  t.equal(scorePlant({ ...dead, hourly: { ...dead.hourly, vigour: [10, 0] } }).alive, false);
  const { vigour, health, inRange } = scorePlant(course([]));
  for (const figure of [vigour, health, inRange]) t.ok(figure >= 0 && figure <= 100, String(figure));
});

const plant = (more: Partial<PlantScore> = {}): PlantScore => ({
  vigour: 90,
  health: 90,
  inRange: 70,
  alive: true,
  water: { given: 100, need: 100, drained: 0 },
  ...more,
});
const run = (more: Partial<RunCourse> = {}) =>
  scoreRun({
    plants: [plant()],
    alarms: [],
    unanswered: 0,
    needless: 0,
    cycles: [],
    refusals: [],
    end: hour(100),
    ...more,
  });
const points = (more: Partial<RunCourse>) => run(more).deductions.map((deduction) => deduction.points);

const alarm = (toldAfterHours: number | null, since = 0): AlarmScore => ({
  trouble: "the tube is off",
  since: hour(since),
  toldAfterHours,
  dueWithinHours: 24,
});
const cycle = (completed: boolean): CycleRecord => ({
  at: hour(1),
  plant: "basil",
  completed,
  reason: "",
  rounds: 2,
  calls: 3,
  tokens: 100,
});
const refusal = (code: string, message = ""): RefusalRecord => ({
  at: hour(1),
  plant: "basil",
  tool: "write_plant_status",
  code,
  message,
});
const FIGURE = refusal("STATUS_REFUSED", "sensor_reading is 1 and was read as 17812");

t.test("a person who is written to all the time is written to in vain", async (t) => {
  t.same(points({ needless: 3 }), [1.5]);
  t.same(points({ needless: 300 }), [10]);
});

t.test("the base is the mean of vigour and days in range, over all plants", async (t) => {
  t.match(run(), { total: 80, plants: 80, deductions: [] });
  t.equal(run({ plants: [plant(), plant({ vigour: 0, inRange: 0 })] }).plants, 40);
});

t.test(
  "an alarm costs nothing in time, half where it comes late, and all where it never comes",
  async (t) => {
    t.same(points({ alarms: [alarm(24)] }), []);
    const [late = 0] = points({ alarms: [alarm(24.1)] });
    const [never = 0] = points({ alarms: [alarm(null)] });
    t.ok(late > 0 && never === 2 * late, `${late} and ${never}`);
    t.same(points({ alarms: [alarm(null, 90)] }), [], "not due before the end, it is not missing");
  },
);

t.test("every other fault has its deduction, named and counted", async (t) => {
  const [unanswered] = run({ unanswered: 2 }).deductions;
  t.match(unanswered?.why, /^messages .*: 2$/);
  t.ok((unanswered?.points ?? 0) > 0);
  t.match(run({ refusals: [FIGURE, refusal("RATE_LIMITED")] }), {
    ungrounded: 1,
    refusals: 2,
    deductions: [{ why: /^statuses with figures .*: 1$/ }, { why: /^refused .*: 2$/ }],
  });
  t.match(run({ cycles: [cycle(true), cycle(false)] }), {
    cycles: 2,
    incomplete: 1,
    calls: 6,
    tokens: 200,
    deductions: [{ why: /^incomplete .*: 1$/ }],
  });
  const wet = plant({ water: { given: 100, need: 50, drained: 50 } });
  t.match(run({ plants: [wet] }).deductions, [{ why: /^50 % of the water ran out/ }]);
  t.same(
    points({ plants: [plant({ water: { given: 100, need: 90, drained: 10 } })] }),
    [],
    "a little may run out",
  );
});

t.test("a status refused for another reason than its figures is no ungrounded one", async (t) => {
  t.equal(
    run({ refusals: [refusal("STATUS_REFUSED", "plant_state is dry, the soil reads moist")] }).ungrounded,
    0,
  );
});

t.test("small faults add up to a limit, and a total is never below 0", async (t) => {
  const many = Array.from({ length: 1000 }, () => cycle(false));
  const [most = 0] = points({ cycles: many });
  t.ok(most <= 20, String(most));
  const awful = run({
    plants: [plant({ vigour: 1, inRange: 0 })],
    alarms: [alarm(null), alarm(null)],
    unanswered: 99,
    cycles: many,
    refusals: many.map(() => FIGURE),
  });
  t.equal(awful.total, 0);
});

t.test("no plants, no water and no cycles make no NaN", async (t) => {
  const empty = run({ plants: [] });
  t.same([empty.total, empty.plants, empty.tokens], [0, 0, 0]);
  t.equal(run({ plants: [plant({ water: { given: 0, need: 0, drained: 0 } })] }).total, 80);
});
