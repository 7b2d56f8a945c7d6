import t from "tap";
import { chart } from "../../../runtime/cli/chart.js";

const at = (minute: number) => Date.parse("2026-06-01T08:00:00Z") + minute * 60_000;

t.test("a rising line rises, a gap stays empty, and the scale is at the side", async (t) => {
  const points = [10, 20, null, 40].map((value, minute) => ({ at: at(minute * 60), value }));
  t.equal(
    chart(points, "%", 4),
    [
      "   43.0 % ┤   ▆",
      "          ┤   █",
      "          ┤ ▇ █",
      "    0.0 % ┤▇█ █",
      "          └────",
      "           06-01 08:00 06-01 11:00 UTC",
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
  t.match(drawn, /0\.0 ml ┤▁▁▁\n/);
  t.notMatch(drawn, /█/);
});
