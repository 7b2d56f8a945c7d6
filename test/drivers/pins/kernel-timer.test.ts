import t from "tap";
import { chooseOutput } from "../../../drivers/pi/outputs.js";
import { BACKSTOP_MARGIN, latestEnd } from "../../../drivers/pins/led-line.js";
import { millis, seconds } from "../../../drivers/units.js";

t.test(
  "the longest pump pulse is over before 30 s, also where only the kernel is left to end it",
  async (t) => {
    const path = t.testdir({ "basil-pump": { trigger: "[none] transient" } });
    const wiring = {
      gpio: 17,
      activeLow: false,
      via: "led",
      led: "basil-pump",
      acceptSoftwareCutoff: false,
    } as const;
    const { ceiling } = chooseOutput("basil", "pump", wiring, { leds: path, gpio: "/nowhere" }).plan;
    t.equal(ceiling, seconds(26));
    t.equal(latestEnd(ceiling), 29_584, "26.25 s and 8/63 of it");
    t.ok(latestEnd(ceiling) < seconds(30));
  },
);

t.test("the kernel's end is never before the asked one, and at most the margin and 8/63 later", async (t) => {
  for (const duration of [1, 9.9, 100, 10_000, 7_200_000].map(millis)) {
    t.ok(latestEnd(duration) >= duration + BACKSTOP_MARGIN);
    t.ok(latestEnd(duration) <= ((duration + BACKSTOP_MARGIN) * 71) / 63 + 1);
  }
});
