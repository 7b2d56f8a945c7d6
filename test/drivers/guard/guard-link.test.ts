import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import type { DriverError } from "../../../drivers/errors.js";
import { GuardLink } from "../../../drivers/guard/guard-link.js";
import type { GuardListener } from "../../../drivers/guard/guard-process.js";
import { GuardedOutput } from "../../../drivers/guard/guarded-output.js";
import type { Order } from "../../../drivers/guard/protocol.js";
import { latestEnd } from "../../../drivers/pins/led-line.js";
import { millis, plus, seconds } from "../../../drivers/units.js";

/** A guard that does nothing but what the test says. */
class PuppetGuard {
  readonly pid = 1;
  readonly orders: Order[] = [];
  killed = 0;
  released = false;

  constructor(readonly listener: GuardListener) {}

  send(order: Order): void {
    this.orders.push(order);
  }

  release(): void {
    this.released = true;
  }

  kill(): void {
    this.killed += 1;
  }

  ready(): void {
    this.listener.report({ is: "ready", active: [], rss: 0 });
  }

  answerBeats(): void {
    this.listener.report({ is: "beat", id: this.orders.at(-1)?.id ?? 0 });
  }
}

/** A link on simulated time; its relay is a file that stands for a LED's brightness. Its process gets each turn `late`. */
function linked(t: Test, late = millis(0)) {
  const path = join(t.testdir(), "basil-pump");
  const brightness = join(path, "brightness");
  mkdirSync(path);
  writeFileSync(brightness, "0");
  const clock = new SimulatedClock();
  const guards: PuppetGuard[] = [];
  const failing = { toStart: false };
  const line = { via: "led", path } as const;
  const plan = { outputs: [{ name: "basil-pump", ceiling: seconds(26), line }], inputs: [] };
  const after: SimulatedClock["after"] = (time, act) => clock.after(plus(time, late), act);
  const ours = Object.assign(Object.create(clock) as SimulatedClock, { after });
  const link = new GuardLink(plan, ours, (_, listener) => {
    if (failing.toStart) throw new Error("spawn EAGAIN");
    const guard = new PuppetGuard(listener);
    guards.push(guard);
    return guard;
  });
  const troubles: DriverError[] = [];
  link.onTrouble((trouble) => troubles.push(trouble));
  const output = new GuardedOutput("basil-pump", seconds(26), link, clock, latestEnd);
  const guard = (at = -1) => {
    const found = guards.at(at);
    if (!found) throw new Error("no guard yet");
    return found;
  };
  const isOn = () => readFileSync(brightness, "utf8") === "1";
  const leaveOn = () => writeFileSync(brightness, "1");
  return { link, output, clock, guards, guard, troubles, failing, isOn, leaveOn, brightness };
}

/** As `linked`, with a guard that takes orders. */
async function started(t: Test) {
  const rig = linked(t);
  const start = rig.link.start();
  rig.guard().ready();
  await start;
  return rig;
}

t.test(
  "a guard that dies is reported, its relay switched off by hand, and the next one started at once",
  async (t) => {
    const { guard, guards, clock, troubles, isOn, leaveOn, output } = await started(t);
    leaveOn();
    const pulse = output.pulse(seconds(10));
    guard().listener.gone("SIGSEGV");
    t.equal(isOn(), false);
    t.match(await pulse, { outcome: "unknown" });
    t.match(troubles, [{ code: "GUARD_LOST", message: /SIGSEGV/ }]);
    await clock.advance(millis(0));
    t.equal(guards.length, 2);
    await t.rejects(
      output.pulse(seconds(1)),
      { code: "GUARD_LOST" },
      "nothing is switched until it is ready",
    );
  },
);

t.test("guards that die again and again are started at longer intervals", async (t) => {
  const { guard, guards, clock } = await started(t);
  const after: number[] = [];
  for (let death = 0; death < 7; death++) {
    const [before, count] = [clock.monotonic(), guards.length];
    guard().listener.gone("status 1");
    while (guards.length === count) await clock.advanceToNextTimer();
    after.push(clock.monotonic() - before);
  }
  t.same(after, [0, 1000, 2000, 5000, 5000, 5000, 5000]);
});

t.test("a guard that has lived for a minute has earned an immediate successor", async (t) => {
  const { guard, guards, clock } = await started(t);
  for (let death = 0; death < 3; death++) {
    guard().listener.gone("status 1");
    while (guards.length === death + 1) await clock.advanceToNextTimer();
  }
  guard().ready();
  for (let time = 0; time < 61; time += 0.4) {
    guard().answerBeats();
    await clock.advance(millis(400));
  }
  const now = clock.monotonic();
  guard().listener.gone("status 1");
  await clock.advance(millis(0));
  t.equal(guards.length, 5);
  t.equal(clock.monotonic(), now);
});

t.test("a process that cannot be started is tried again, not the end of the runtime", async (t) => {
  const { guard, guards, clock, troubles, failing } = await started(t);
  failing.toStart = true;
  guard().listener.gone("SIGKILL");
  await clock.advance(seconds(2));
  t.match(troubles.at(-1), { code: "GUARD_LOST", message: /spawn EAGAIN/ });
  failing.toStart = false;
  await clock.advance(seconds(60));
  t.equal(guards.length, 2);
});

t.test(
  "a guard that answers no beats for as long as its own lease is dismissed, and the log says why",
  async (t) => {
    const { guard, clock, troubles } = await started(t);
    await clock.advance(millis(2399));
    t.equal(guard().killed, 0, "five are unanswered");
    await clock.advance(millis(1));
    t.ok(guard().killed > 0);
    guard().listener.gone("SIGKILL");
    t.match(troubles, [{ code: "GUARD_LOST", message: /no sign of life/ }]);
  },
);

t.test(
  "a guard that hangs is dismissed within three signs of life of a runtime that gets its turns late",
  async (t) => {
    const rig = linked(t, millis(600));
    const starting = rig.link.start();
    rig.guard().ready();
    await starting;
    await rig.clock.advance(millis(2999));
    t.equal(rig.guard().killed, 0);
    await rig.clock.advance(millis(1));
    t.equal(rig.guard().killed, 1);
  },
);

t.test("a machine that stood still for long does not make a guard look dead", async (t) => {
  const rig = linked(t, seconds(30));
  const starting = rig.link.start();
  rig.guard().ready();
  await starting;
  await rig.clock.advance(seconds(45)); // one late sign of life that nobody could answer yet
  rig.guard().answerBeats();
  await rig.clock.advance(seconds(60));
  t.equal(rig.guard().killed, 0);
});

t.test(
  "a pulse that is not reported as over one second late is ended; a guard that leaves that unanswered for a second is killed",
  async (t) => {
    const { guard, clock, output, troubles } = await started(t);
    const live = async (ms: number) => {
      for (let left = ms; left > 0; left -= 100) {
        guard().answerBeats();
        await clock.advance(millis(Math.min(100, left)));
      }
    };
    const wasAsked = () => guard().orders.some((order) => order.do === "off");
    const pulse = output.pulse(seconds(2));
    await live(2999);
    t.equal(wasAsked(), false);
    await live(1);
    t.equal(wasAsked(), true);
    await live(1049);
    t.equal(guard().killed, 0);
    await live(1);
    t.equal(guard().killed, 1);
    guard().listener.gone("SIGKILL");
    t.match(await pulse, { outcome: "unknown" });
    t.match(troubles, [{ code: "GUARD_LOST", message: /did not switch basil-pump off/ }]);
  },
);

t.test("a guard that never gets ready is dismissed", async (t) => {
  const { guard, clock, link } = linked(t);
  const start = link.start();
  await clock.advance(seconds(59));
  t.equal(guard().killed, 0);
  await clock.advance(seconds(2));
  guard().listener.gone("SIGKILL");
  await t.rejects(start, { code: "GUARD_LOST", message: /not ready/ });
});

t.test("relays that another guard has are left alone, and nobody is told that they are off", async (t) => {
  const { guard, clock, link, isOn, leaveOn, output } = await started(t);
  guard().listener.gone("SIGKILL");
  await clock.advance(millis(0));
  leaveOn();
  guard().listener.report({
    is: "trouble",
    code: "GUARD_BUSY",
    what: "another process drives the basil-pump",
  });
  guard().listener.gone("status 1");
  t.equal(isOn(), true, "it is theirs");
  await t.rejects(output.end(), { code: "GUARD_BUSY" });
  await clock.advance(seconds(5));
  guard().ready();
  guard().listener.gone("SIGKILL");
  t.equal(isOn(), false, "once they were ours again, they are switched off as ever");
  await link.stop();
});

t.test("a start that is refused says why, and leaves no guard behind", async (t) => {
  const { guard, guards, clock, link } = linked(t);
  const start = link.start();
  guard().listener.report({ is: "trouble", code: "PIN_FAILED", what: "basil-pump could not be opened" });
  guard().listener.gone("status 1");
  await t.rejects(start, { code: "PIN_FAILED", what: /^basil-pump could not be opened$/ });
  await clock.advance(seconds(100));
  t.equal(guards.length, 1);
});

t.test(
  "stopping lets the guard go in order, twice is as good as once, and nothing is taken any more",
  async (t) => {
    const { guard, guards, clock, link, output, troubles } = await started(t);
    const stops = [link.stop(), link.stop()];
    t.equal(guard().released, true);
    await t.rejects(output.pulse(seconds(1)), { code: "GUARD_LOST" });
    guard().listener.gone("status 0");
    await Promise.all(stops);
    await clock.advance(seconds(100));
    t.equal(guards.length, 1, "and no other comes after it");
    t.same(troubles, []);
  },
);

t.test("a guard that does not go is killed, and what was under way is told", async (t) => {
  const { guard, clock, link, output } = await started(t);
  const pulse = output.pulse(seconds(20));
  const end = output.end();
  const stop = link.stop();
  await clock.advance(seconds(1));
  t.ok(guard().killed > 0);
  guard().listener.gone("SIGKILL");
  await stop;
  await end;
  t.match(await pulse, { outcome: "unknown" });
});

t.test(
  "a relay that our hand could not switch off is tried again until it goes off or there is a guard",
  async (t) => {
    const { guard, clock, brightness, isOn } = await started(t);
    rmSync(brightness);
    mkdirSync(brightness);
    guard().listener.gone("SIGKILL");
    await clock.advance(millis(250));
    rmSync(brightness, { recursive: true });
    writeFileSync(brightness, "1");
    await clock.advance(millis(100));
    t.equal(isOn(), false);
  },
);

t.test("a guard that still struggles with a relay is not killed, it outlives us", async (t) => {
  const { guard, clock, link } = await started(t);
  guard().listener.report({
    is: "trouble",
    code: "PIN_FAILED",
    what: "basil-pump could not be switched off",
  });
  const stop = link.stop();
  await Promise.all([
    t.rejects(stop, { code: "PIN_FAILED", message: /keeps trying/ }),
    clock.advance(seconds(2)),
  ]);
  t.equal(guard().killed, 0);
});

t.test("a guard that hangs at the end is killed, whatever the one before it struggled with", async (t) => {
  const { guard, clock, link } = await started(t);
  guard().listener.report({ is: "trouble", code: "PIN_FAILED", what: "a relay stays on" });
  guard().listener.gone("SIGKILL");
  await clock.advance(millis(0));
  guard().ready();
  const stop = link.stop();
  await clock.advance(seconds(1));
  t.equal(guard().killed, 1);
  guard().listener.gone("SIGKILL");
  await stop;
});

t.test("a relay that cannot be switched off is never passed over", async (t) => {
  const { guard, link, brightness, troubles, output } = await started(t);
  rmSync(brightness);
  mkdirSync(brightness); // a file that cannot be written
  guard().listener.gone("SIGKILL");
  t.match(troubles, [{ code: "GUARD_LOST" }, { code: "PIN_FAILED", message: /EISDIR/ }]);
  await t.rejects(output.end(), { code: "PIN_FAILED" });
  await t.rejects(link.stop(), { code: "PIN_FAILED", message: /EISDIR/ });
});

t.test("an off whose guard dies is not told as done where the relay could not be switched off", async (t) => {
  const { guard, link, output, brightness } = await started(t);
  const end = output.end();
  rmSync(brightness);
  mkdirSync(brightness);
  guard().listener.gone("SIGKILL");
  await t.rejects(end, { code: "PIN_FAILED", message: /EISDIR/ });
  rmSync(brightness, { recursive: true });
  await link.stop();
});

t.test(
  "a stop between two guards switches off what is on, and what comes after us is not ours",
  async (t) => {
    const { guard, clock, link, brightness, isOn, leaveOn } = await started(t);
    rmSync(brightness);
    mkdirSync(brightness);
    guard().listener.gone("SIGKILL");
    rmSync(brightness, { recursive: true });
    writeFileSync(brightness, "1");
    await link.stop();
    t.equal(isOn(), false);
    leaveOn();
    await clock.advance(seconds(1));
    t.equal(isOn(), true);
  },
);

t.test("once a guard is there again, nobody else ends its pulses", async (t) => {
  const { guard, clock, link, brightness, isOn } = await started(t);
  rmSync(brightness);
  mkdirSync(brightness);
  guard().listener.gone("SIGKILL");
  await clock.advance(millis(0));
  guard().listener.gone("SIGKILL");
  await clock.advance(seconds(1));
  guard().ready();
  rmSync(brightness, { recursive: true });
  writeFileSync(brightness, "1");
  await clock.advance(millis(300));
  t.equal(isOn(), true);
  await Promise.all([link.stop(), guard().listener.gone("status 0")]);
});

t.test("a stop that could not switch something off says so", async (t) => {
  const { guard, link, brightness } = await started(t);
  rmSync(brightness);
  mkdirSync(brightness);
  const stop = link.stop();
  guard().listener.gone("status 0");
  await t.rejects(stop, { code: "PIN_FAILED", message: /EISDIR/ });
});
