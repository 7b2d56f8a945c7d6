import t from "tap";
import { Progress } from "../../../agent-client/harness/story.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { type Millis, seconds } from "../../../drivers/units.js";

const hour = (number: number) => ({ hour: number, plants: [{ id: "basil", hydration: 61.4, vigour: 99.6 }] });

/** What is shown of hours that take so long each. */
async function shown(isTTY: boolean, hours: number, each: Millis): Promise<string[]> {
  const written: string[] = [];
  const clock = new SimulatedClock();
  const progress = new Progress({ isTTY, write: (text: string) => written.push(text) }, clock);
  for (let number = 1; number <= hours; number++) {
    progress.hour(3, "Heat wave", hour(number));
    await clock.advance(each);
  }
  progress.done();
  return written;
}

t.test("a log gets a line every ten seconds of real time, with the day and every plant", async (t) => {
  t.same(await shown(false, 30, seconds(1)), [
    "Heat wave: day 0 of 3   basil hydration 61 vigour 100\n",
    "Heat wave: day 0 of 3   basil hydration 61 vigour 100\n",
    "Heat wave: day 0 of 3   basil hydration 61 vigour 100\n",
  ]);
  t.match((await shown(false, 50, seconds(10))).at(-1), "day 2 of 3");
});

t.test("whom the simulation waits for is said also right after an hour, and not too often", async (t) => {
  const written: string[] = [];
  const clock = new SimulatedClock();
  const progress = new Progress({ isTTY: false, write: (text: string) => written.push(text) }, clock);
  progress.hour(3, "Heat wave", hour(1));
  for (let n = 0; n < 3; n += 1) {
    await clock.advance(seconds(5));
    progress.waiting("waiting for m…");
  }
  progress.line("m is away; asked again in 0.2 s");
  t.same(written.slice(1), ["waiting for m…\n", "waiting for m…\n", "m is away; asked again in 0.2 s\n"]);
});

t.test("a terminal shows the last line alone, and an empty one at the end", async (t) => {
  const written = await shown(true, 2, seconds(1));
  t.equal(written.length, 3);
  for (const text of written) t.ok(text.startsWith("\u001b[2K\r") && !text.includes("\n"));
  t.equal(written.at(-1), "\u001b[2K\r");
  t.same(await shown(true, 0, seconds(1)), [], "where nothing was shown, nothing is erased");
});
