import t from "tap";
import { millis, minutes } from "../../../drivers/units.js";
import { parseConfig } from "../../../runtime/configuration.js";
import { untilNext } from "../../../runtime/schedule.js";
import { HouseTime, isZone, ZoneFile } from "../../../runtime/wire/house-time.js";

/** A file of version 2 with Berlin's changes of 2026 and its rule. */
const BERLIN = Buffer.concat([
  header({ change: 0, type: 1, letter: 4 }),
  type(3600),
  Buffer.from("CET\0"),
  header({ change: 2, type: 2, letter: 9 }),
  time("2026-03-29T01:00:00Z"),
  time("2026-10-25T01:00:00Z"),
  Buffer.from([1, 0]),
  type(3600),
  type(7200),
  Buffer.from("CET\0CEST\0\nCET-1CEST,M3.5.0,M10.5.0/3\n"),
]);

function header(counts: { change: number; type: number; letter: number }): Buffer {
  const bytes = Buffer.alloc(44);
  bytes.write("TZif2");
  [0, 0, 0, counts.change, counts.type, counts.letter].forEach((count, at) => {
    bytes.writeUInt32BE(count, 20 + 4 * at);
  });
  return bytes;
}

function type(offset: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeInt32BE(offset);
  return bytes;
}

function time(at: string): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(Date.parse(at) / 1000));
  return bytes;
}

const without = (file: Buffer, text: string): Buffer => {
  const at = file.indexOf(text);
  return Buffer.concat([file.subarray(0, at), file.subarray(at + text.length)]);
};

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

t.test("a zone's file and Intl say the same, also where the file has no more changes", async (t) => {
  const format = (zone: string) =>
    new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  const zones = [
    "Europe/Berlin",
    "America/Recife",
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
  ];
  for (const zone of [
    ...zones,
    "Asia/Kathmandu",
    "Asia/Katmandu",
    "Pacific/Apia",
    "Europe/Dublin",
    "Etc/GMT+5",
  ]) {
    const [time, intl] = [new HouseTime(zone), format(zone)];
    const instants = Array.from({ length: 4000 }, (_, n) => Date.UTC(1972, 0, 1) + n * 6.25 * 86_400_000);
    t.same(
      instants.filter((at) => time.minute(at) !== intl.format(at)).map((at) => new Date(at).toISOString()),
      [],
      zone,
    );
  }
});

t.test("a zone's file is read as RFC 9636 has it", async (t) => {
  const file = ZoneFile.parse(BERLIN);
  const at = (time: string) => Date.parse(time) / 1000;
  t.equal(file?.offsetAt(at("2026-03-29T00:59:59Z")), 3600);
  t.equal(file?.offsetAt(at("2026-03-29T01:00:00Z")), 7200);
  t.equal(file?.offsetAt(at("2026-10-25T01:00:00Z")), undefined, "from its last change on a rule holds");
  t.equal(ZoneFile.parse(without(BERLIN, ",M3.5.0,M10.5.0/3"))?.offsetAt(at("2036-07-01T00:00:00Z")), 3600);
  t.equal(ZoneFile.parse(Buffer.from("no zone")), undefined);
  t.equal(ZoneFile.read("Europe/Nowhere"), undefined);
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
