import t from "tap";
import { clearSky, cloudTransmission, Room, SunPath } from "../../../drivers/bench/room.js";
import { type EpochMillis, hours, minutes } from "../../../drivers/units.js";

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);
const dayNumber = (text: string) => day(text) / hours(24);

/** Light of a day, mol/m². */
function lightOf(room: Room, from: number): number {
  let light = 0;
  for (let at = from; at < from + hours(24); at += minutes(10))
    light += room.at(at as EpochMillis).daylight * 600e-6;
  return light;
}
const meanOver = (room: Room, first: string, days: number) =>
  Array.from({ length: days }, (_, index) => lightOf(room, day(first) + index * hours(24))).reduce(
    (a, b) => a + b,
  ) / days;

t.test(
  "at 50° north the sun stands 63.4° high at noon of midsummer, 16.6° in midwinter, and is down at night",
  async (t) => {
    const noon = (text: string) =>
      (180 / Math.PI) * Math.asin(new SunPath(dayNumber(text), 50).sineAt(day(text) + hours(12)));
    t.ok(Math.abs(noon("2026-06-21") - 63.4) < 0.5 && Math.abs(noon("2026-12-21") - 16.6) < 0.5);
    t.ok(new SunPath(dayNumber("2026-06-21"), 50).sineAt(day("2026-06-21")) < 0);
  },
);

t.test("the clear sky's light follows the sun, and clouds take up to three quarters of it", async (t) => {
  t.equal(clearSky(-0.1), 0);
  t.ok(clearSky(1) > 1000 && clearSky(1) < 1100 && clearSky(0.3) < 300);
  t.same([cloudTransmission(0), cloudTransmission(1)], [1, 0.25]);
});

t.test("a summer's day at the window has 3 to 8 mol/m² on average, one of December about 1", async (t) => {
  const room = new Room(1);
  const [summer, winter] = [meanOver(room, "2026-06-01", 60), meanOver(room, "2026-12-01", 31)];
  t.ok(summer > 3 && summer < 8, `${summer} in summer`);
  t.ok(winter > 0.5 && winter < 1.5, `${winter} in December`);
});

t.test("it is a living room all year: 18 to 26 °C and 30 to 60 %, warmer and damper in summer", async (t) => {
  const room = new Room(3);
  let [coldest, warmest] = [99, 0];
  for (let at = day("2026-01-01"); at < day("2027-01-01"); at += hours(1)) {
    const { temperature, humidity } = room.at(at as EpochMillis);
    [coldest, warmest] = [Math.min(coldest, temperature), Math.max(warmest, temperature)];
    if (humidity < 30 || humidity > 60) t.fail(`${humidity} %`);
  }
  t.ok(coldest > 18 && warmest < 26, `${coldest} to ${warmest} °C`);
  const [july, january] = ["2026-07-20", "2026-01-20"].map((text) => room.at(day(text) as EpochMillis));
  t.ok(july && january && july.temperature > january.temperature && july.humidity > january.humidity);
});

t.test(
  "one seed is one weather, another seed another, and the order of questions does not matter",
  async (t) => {
    const lights = (room: Room, order: readonly number[]) =>
      order.map((index) => room.at((day("2026-06-01") + hours(24 * index + 12)) as EpochMillis).daylight);
    t.same(lights(new Room(1), [0, 1, 2]), lights(new Room(1), [2, 1, 0]).reverse());
    t.notSame(lights(new Room(1), [0, 1, 2]), lights(new Room(2), [0, 1, 2]));
  },
);

t.test("what is changed about the room comes on top", async (t) => {
  const room = new Room(1);
  const noon = (day("2026-06-01") + hours(12)) as EpochMillis;
  const before = room.at(noon);
  room.change = { temperature: -8, humidity: 10, daylight: 0 };
  const after = room.at(noon);
  t.match(
    [
      Math.round(before.temperature - after.temperature),
      Math.round(after.humidity - before.humidity),
      after.daylight,
    ],
    [8, 10, 0],
  );
});
