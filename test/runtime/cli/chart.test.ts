import t from "tap";
import { chart } from "../../../runtime/cli/history.js";
import { HouseTime } from "../../../runtime/wire/house-time.js";

const at = (minute: number) => Date.parse("2026-06-01T08:00:00Z") + minute * 60_000;

t.test("a rising line rises, a gap stays empty, and the scale is at the side", async (t) => {
  const points = [10, 20, null, 40].map((value, minute) => ({ at: at(minute * 60), value }));
  t.equal(
    chart(points, "%", 4),
    [
      "     40 % ┤   █",
      "          ┤   █",
      "          ┤ █ █",
      "      0 % ┤██ █",
      "          └────",
      "           06-01 08:00 06-01 11:00",
      "           UTC",
    ].join("\n"),
  );
});

t.test("without data it says so", async (t) => {
  t.equal(chart([{ at: at(0), value: null }], "%"), "no data in this window");
});

t.test("nothing poured is a flat line at zero, not a block", async (t) => {
  const drawn = chart(
    [0, 0, 0].map((value, hour) => ({ at: at(hour * 60), value })),
    "ml",
    3,
  );
  t.match(drawn, / 0 ml ┤▁▁▁\n/);
  t.notMatch(drawn, /█/);
});

const scaleOf = (values: readonly number[], unit: string) =>
  chart(
    values.map((value, hour) => ({ at: at(hour * 60), value })),
    unit,
    3,
  )
    .split("\n")
    .flatMap((line) => /(\S+ \S+) ┤/.exec(line)?.[1] ?? []);

t.test("the scale goes from and to round figures, and noise does not fill it", async (t) => {
  t.same(scaleOf([42.2, 42.4], "%"), ["48 %", "42 %"]);
  t.same(scaleOf([36.8, 44], "%"), ["44 %", "36 %"]);
  t.same(scaleOf([2, 99], "%"), ["100 %", "0 %"], "no soil holds more than all");
});

t.test("times are those of the house, and a long range has its years", async (t) => {
  const axisOf = (hours: number, zone: string) => {
    const points = [0, hours].map((hour) => ({ at: at(hour * 60), value: 1 }));
    return chart(points, "ml", 2, new HouseTime(zone)).split("\n").slice(-2).join("");
  };
  t.match(axisOf(3, "America/Recife"), /06-01 05:00 06-01 08:00 +America\/Recife/);
  t.match(axisOf(20_000, "UTC"), /2026-06-01 2028-09-11/);
});

t.test("large figures with a long unit leave the chart straight", async (t) => {
  const lines = chart(
    [29000, 31000].map((value, hour) => ({ at: at(hour), value })),
    "ticks",
    4,
  ).split("\n");
  const edges = lines.slice(0, 5).map((line) => line.search(/[┤└]/));
  t.same(edges, Array(5).fill(edges[0]), lines.join("\n"));
});
