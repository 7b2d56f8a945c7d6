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

/** Four soaks, two days apart, from `before`, with the course of each by the hours since its rise. */
const shown = (percent: (hour: number, soak: number) => number, before = 50): Level[] =>
  Array.from({ length: 4 }, (_, soak) =>
    course(48, (hour) => (hour <= 1 ? before : percent(hour - 1.5, soak)), soak * 2 * DAY),
  ).flat();

t.test("a rise of 3 % is a soak, and less than that is none", (t) => {
  t.equal(fittedLimit(shown(() => 61, 58)), 55);
  t.equal(fittedLimit(shown(() => 61, 58.5)), undefined);
  const unread = shown(() => 61, 58).filter(
    ({ at }) => at % (2 * DAY) <= hours(1) || at % (2 * DAY) >= hours(4),
  );
  t.equal(fittedLimit(unread), undefined, "nor is a rise that took longer than an hour");
  t.end();
});

t.test(
  "a pot that holds 61 % half a day after a soak shows it, less only if it has drained by 1.5 %",
  (t) => {
    t.equal(fittedLimit(shown(() => 60.9)), undefined);
    const drained = (by: number) => (hour: number) => {
      if (hour < 4) return 58.25 + by;
      if (hour < 12) return 58.25;
      return hour < 13 ? 58 : 57;
    };
    t.equal(fittedLimit(shown(drained(1.5))), 52, "as it was after twelve hours");
    t.equal(fittedLimit(shown(drained(1.25))), undefined);
    const drinks = (hour: number) => (hour > 24 ? 0.25 : 0) + (hour >= 28 ? 0.25 : 0);
    const thirsty = (hour: number) => drained(1.75)(hour) - drinks(hour);
    t.equal(fittedLimit(shown(thirsty)), undefined, "what the plant drank by the next day is not drained");
    t.end();
  },
);

t.test("water in the day after a soak, and soaks that are more than 5 % apart, teach nothing", (t) => {
  const bump = (by: number) => (hour: number) => (hour === 10 ? 61 + by : 61);
  t.equal(fittedLimit(shown(bump(1))), 55, "1 % is the probe's noise");
  t.equal(fittedLimit(shown(bump(1.25))), undefined);
  t.equal(fittedLimit(shown((_, soak) => 61 + 2.5 * (soak - 1))), 55);
  t.equal(fittedLimit(shown((_, soak) => 61 + 2.75 * (soak - 1))), undefined);
  t.end();
});

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

t.test("how long, how far and how well read: where soil that stays wet begins", (t) => {
  const judge = (levels: readonly Level[]) => wetSpell(levels, 55, 5 * DAY);
  const wet = course(5 * 24, () => 63);
  t.equal(judge(wet), "stays", "five days");
  t.equal(judge(wet.filter(({ at }) => at >= hours(12))), "stays", "half a day less");
  t.equal(judge(wet.filter(({ at }) => at > hours(12))), undefined);
  const unread = (slots: number) => wet.filter((_, index) => index < 10 || index >= 10 + slots);
  t.equal(judge(unread(48)), "stays", "a fifth of the half-hours unread");
  t.equal(judge(unread(49)), undefined);
  const fallen = (by: number) => course(5 * 24, (hour) => 63 - (hour > 100 ? by : 0));
  t.equal(judge(fallen(2)), "stays", "2 % less");
  t.equal(judge(fallen(2.25)), "falls");
  const atLimit = course(5 * 24, (hour) => (hour > 119 ? 55 : 56));
  t.equal(judge(atLimit), "falls", "not above the limit");
  const dipped = course(5 * 24, (hour) => (hour === 60 ? 54.75 : 56));
  t.equal(judge(dipped), "falls", "below the limit once");
  t.equal(
    judge([{ at: -1, percent: 50 }, ...wet, { at: 5 * DAY + 1, percent: 50 }]),
    "stays",
    "of these days",
  );
  t.end();
});

t.test("water on its way counts as in half a litre of soil", (t) => {
  t.equal(levelToCome(40, 25), 46.3);
  t.end();
});
