import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { millis, seconds } from "../../../drivers/units.js";
import { Watchdog } from "../../../runtime/service/service-manager.js";

function watched(health: () => Promise<readonly string[]>) {
  const clock = new SimulatedClock();
  const told: string[] = [];
  const log: string[] = [];
  const end = new Watchdog({
    manager: {
      feed: async () => void told.push("fed"),
      status: async (status) => void told.push(status),
    },
    every: seconds(7),
    health,
    status: "1 plant",
    clock,
    log: (level, message) => log.push(`${level} ${message}`),
  }).begin();
  return { clock, told, log, end };
}

t.test("fed at its interval while all is well, and no more once it is over", async (t) => {
  const { clock, told, log, end } = watched(async () => []);
  await clock.advance(seconds(6));
  t.same(told, []);
  await clock.advance(seconds(15));
  t.same(told, ["fed", "fed", "fed"]);
  end();
  await clock.advance(seconds(60));
  t.equal(told.length, 3);
  t.same(log, []);
});

t.test("not fed while something is wrong, which is told and logged once, and so is its end", async (t) => {
  let troubles: string[] = [];
  const { clock, told, log, end } = watched(async () => troubles);
  troubles = ["no guard has the relays", "the disk is full"];
  await clock.advance(seconds(21));
  t.same(told, ["not well: no guard has the relays; the disk is full"]);
  troubles = [];
  await clock.advance(seconds(7));
  t.same(told.slice(1), ["1 plant", "fed"]);
  t.same(log, [
    "error not well, to be restarted unless that ends soon: no guard has the relays; the disk is full",
    "info well again",
  ]);
  end();
});

t.test("not fed while its question hangs", async (t) => {
  const { clock, told, end } = watched(() => new Promise(() => undefined));
  await clock.advance(seconds(60));
  t.same(told, []);
  end();
});

/** A clock whose timers fire late, as in a process that has no time for them. */
class LateClock extends SimulatedClock {
  late = millis(0);
  override after(duration: ReturnType<typeof millis>, fn: () => void) {
    return super.after(millis(duration + this.late), fn);
  }
}

t.test("an event loop that is later than a whole interval is trouble, until it is not", async (t) => {
  const clock = new LateClock();
  clock.late = seconds(8);
  const told: string[] = [];
  const manager = {
    feed: async () => void told.push("fed"),
    status: async (status: string) => void told.push(status),
  };
  const parts = {
    manager,
    every: seconds(7),
    health: async () => [],
    status: "well",
    clock,
    log: () => undefined,
  };
  const end = new Watchdog(parts).begin();
  await clock.advance(seconds(15));
  t.same(told, ["not well: the event loop was held up for 8000 ms"]);
  clock.late = millis(0);
  await clock.advance(seconds(15));
  await clock.advance(seconds(7));
  t.ok(told.includes("fed"));
  end();
});
