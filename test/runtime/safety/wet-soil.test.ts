import t from "tap";
import { hours } from "../../../drivers/units.js";
import { fittedLimit, type Level, levelToCome, wetSpell } from "../../../runtime/safety/wet-soil.js";

const SLOT = hours(0.5);
const DAY = hours(24);

/** Half-hours of soil whose moisture is a function of the hours since its start. */
const course = (length: number, percent: (hour: number) => number, from = 0): Level[] =>
  Array.from({ length: length * 2 }, (_, index) => ({
    at: from + (index + 1) * SLOT,
    percent: percent((index + 1) / 2),
  }));

/** A soak every two days: from 50 % to 12 % more than the pot holds, to which it drains with a time constant of four hours. */
const soaked = (soaks: number, held: (soak: number) => number): Level[] =>
  Array.from({ length: soaks }, (_, soak) =>
    course(48, (hour) => (hour <= 1 ? 50 : held(soak) + 12 * Math.exp(-(hour - 1.5) / 4)), soak * 2 * DAY),
  ).flat();

t.test(
  "a pot that was soaked several times shows what it holds: the limit leaves room for a dose below that",
  (t) => {
    t.equal(fittedLimit(soaked(3, () => 63)), 58);
    t.equal(fittedLimit(soaked(5, (soak) => (soak < 2 ? 72 : 62))), 57, "the newest three count");
    t.end();
  },
);

t.test("one soak, or soaks that disagree, teach nothing", (t) => {
  t.equal(fittedLimit([]), undefined);
  t.equal(fittedLimit(soaked(2, () => 66)), undefined);
  t.equal(fittedLimit(soaked(3, (soak) => 60 + 4 * soak)), undefined);
  t.end();
});

t.test("a probe that drifts, or a saucer full of water, moves the limit no further than its bounds", (t) => {
  t.equal(fittedLimit(soaked(3, () => 80)), 60);
  t.equal(fittedLimit(soaked(3, () => 44)), 45);
  t.end();
});

t.test("a plant that drinks by day and rests by night drains nothing, however thirsty it is", (t) => {
  const drinks = (hour: number) => (hour % 24 >= 2 && hour % 24 < 10 ? 1 : 0.05);
  let level = 0;
  const levels = course(10 * 24, (hour) => {
    level = hour % 48 === 2 ? 60 : level - drinks(hour) / 2;
    return level;
  });
  t.equal(fittedLimit(levels), undefined);
  t.end();
});

t.test("drying is no draining, and a probe that is stuck or rises by itself shows no soak", (t) => {
  const drinking = (hour: number) => 60 - 0.5 * (hour % 48) + (hour % 48 < 1 ? -20 : 0);
  t.equal(fittedLimit(course(200, drinking)), undefined);
  t.equal(fittedLimit(course(200, () => 80)), undefined);
  t.equal(fittedLimit(course(200, (hour) => 50 + hour / 10)), undefined);
  t.end();
});

t.test("soil above the limit for five days that does not fall stays wet; soil that dries does not", (t) => {
  const judge = (days: number, percent: (hour: number) => number) =>
    wetSpell(course(days * 24, percent), 55, days * DAY);
  t.equal(
    judge(6, () => 63),
    "stays",
  );
  t.equal(
    judge(6, (hour) => 63 + hour / 50),
    "stays",
    "a probe that drifts toward wet",
  );
  t.equal(
    judge(6, (hour) => 63 - hour / 40),
    "falls",
  );
  t.equal(
    judge(6, () => 54.9),
    "falls",
  );
  t.equal(
    judge(4, () => 63),
    undefined,
    "four days tell nothing",
  );
  t.equal(wetSpell([], 55, DAY), undefined);
  const gap = course(6 * 24, () => 63).filter(({ at }) => at < 2 * DAY || at > 4 * DAY);
  t.equal(wetSpell(gap, 55, 6 * DAY), undefined, "nor do days with two of them unread");
  t.end();
});

t.test("water on its way counts as in half a litre of soil", (t) => {
  t.equal(levelToCome(40, 25), 46.3);
  t.end();
});
