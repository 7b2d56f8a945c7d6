import t from "tap";
import { millis, minutes } from "../../../drivers/units.js";
import { parseConfig } from "../../../runtime/configuration.js";
import { untilNext } from "../../../runtime/schedule.js";
import { HouseTime, isZone } from "../../../runtime/wire/house-time.js";

t.test("times are shown as a clock on the wall of the house shows them", async (t) => {
  const recife = new HouseTime("America/Recife");
  t.equal(recife.minute("2026-11-23T02:10:00.000Z"), "2026-11-22 23:10", "the day is the house's too");
  t.equal(recife.clock("2026-11-23T03:00:00Z"), "00:00", "midnight is no 24:00");
  const berlin = new HouseTime("Europe/Berlin");
  t.same(
    ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"].map((at) => berlin.clock(at)),
    ["02:30", "02:30"],
    "in autumn an hour comes twice",
  );
  t.equal(new HouseTime().minute(0), "1970-01-01 00:00");
});

t.test("the last days are each one day of the calendar, also where a day has 23 or 25 hours", async (t) => {
  const berlin = new HouseTime("Europe/Berlin");
  t.same(
    berlin.lastDays(3, "2026-10-26T22:30:00Z"),
    ["2026-10-24", "2026-10-25", "2026-10-26"],
    "23:30 in Berlin, after a day of 25 hours",
  );
  t.same(berlin.lastDays(3, "2026-03-29T22:30:00Z"), ["2026-03-28", "2026-03-29", "2026-03-30"]);
  t.same(berlin.lastDays(1, "2026-10-25T23:00:00Z"), ["2026-10-26"]);
});

t.test("the zone is one that this computer knows; without one it is UTC", async (t) => {
  t.equal(parseConfig("{}", "a.yaml").zone, "UTC");
  t.equal(parseConfig("zone: America/Recife", "a.yaml").zone, "America/Recife");
  t.throws(
    () => parseConfig("zone: Recife", "a.yaml"),
    /a\.yaml:1: zone: must be a time zone such as America\/Recife/,
  );
  t.same([isZone("Europe/Berlin"), isZone("")], [true, false]);
});

t.test("a cron pattern means the hours of the house, over a change of its clocks too", async (t) => {
  const day = minutes(24 * 60);
  const at = (time: string) => Date.parse(time) as Parameters<typeof untilNext>[1];
  t.equal(untilNext("0 7 * * *", at("2026-06-01T08:00:00Z"), day, "America/Recife"), millis(minutes(120)));
  const summer = untilNext("0 7 * * *", at("2026-10-24T12:00:00Z"), day, "Europe/Berlin");
  t.equal(summer, millis(minutes(18 * 60)), "07:00 of that Sunday is 06:00 UTC, not 05:00");
});
