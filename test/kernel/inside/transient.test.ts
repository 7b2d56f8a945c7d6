import t, { type Test } from "tap";
import { type Millis, millis } from "../../../drivers/units.js";
import { startChild } from "./child.js";
import { clock, SimLine } from "./gpio-sim.js";
import { ledFile, RELAYS, readLed, writeLed } from "./led.js";

/**
 * What the drivers take for granted of a relay as an LED with the trigger `transient`
 * (drivers/leds/trigger/ledtrig-transient.c): the kernel ends the pulse, whatever becomes of who began it.
 *
 * A simulated line may sleep, so the LED core moves it a little later, from a work queue: hence `until`. Only writing
 * `brightness` waits for that. A Pi's own lines move at once.
 */

const { basilPump, fernPump, basilLight } = RELAYS;
const pump = new SimLine(basilPump.pin);
/** The kernel inside ticks at 100 Hz (arch/um/Kconfig), and may fire a timer in the tick before. */
const TICK = 10;
/** Its timer wheel rounds up by an eighth at most (kernel/time/timer.c). */
const WHEEL = 1.125;
/** Work queue, and a test that is woken late where the machine is busy. A choice. */
const SLACK = millis(250);
const SOON = millis(1000);

/** Begins a pulse; the monotonic instant before it. */
function begin({ label }: { label: string }, duration: Millis): Millis {
  writeLed(label, "duration", duration);
  writeLed(label, "state", 1);
  const before = clock.monotonic();
  writeLed(label, "activate", 1);
  return before;
}

function endsInTime(t: Test, duration: Millis, lasted: number): void {
  t.ok(lasted >= duration - TICK, `${lasted} ms: not before ${duration} ms`);
  t.ok(lasted < duration * WHEEL + TICK + SLACK, `${lasted} ms: at most an eighth beyond ${duration} ms`);
}

/** Sets the trigger anew, as after `brightness 0`. */
const rearm = ({ label }: { label: string }) => writeLed(label, "trigger", "transient");

t.test("pumps come with the trigger, the light takes it when it is told to; all are off", async (t) => {
  for (const { label, pin, activeLow } of [basilPump, fernPump]) {
    t.match(readLed(label, "trigger"), /\[transient\]/);
    t.equal(readLed(label, "brightness"), "0");
    t.equal(new SimLine(pin).level(), activeLow ? 1 : 0, label);
  }
  t.match(readLed(basilLight.label, "trigger"), /\[none\].*transient/);
  rearm(basilLight);
  t.match(readLed(basilLight.label, "trigger"), /\[transient\]/);
  t.equal(new SimLine(basilLight.pin).level(), 0);
});

t.test(
  "a pulse ends by itself, no sooner than a tick before and no later than an eighth after",
  async (t) => {
    for (const duration of [200, 700, 3000].map(millis)) {
      const began = begin(basilPump, duration);
      await pump.until(1, SOON);
      t.equal(readLed(basilPump.label, "activate"), "1");
      endsInTime(t, duration, (await pump.until(0, millis(2 * duration))) - began);
      t.equal(readLed(basilPump.label, "activate"), "0");
    }
  },
);

t.test("a pulse ends after SIGKILL of the process that began it", async (t) => {
  const duration = millis(1500);
  const write = (name: string, value: number) =>
    `writeFileSync(${JSON.stringify(ledFile(basilPump.label, name))}, "${value}");`;
  const child = await startChild(`
    import { writeFileSync } from "node:fs";
    ${write("duration", duration)} ${write("state", 1)} ${write("activate", 1)}
    console.log("on");
    setInterval(() => {}, 1000);
  `);
  const seen = await pump.until(1, SOON);
  await child.killNow();
  t.equal(pump.level(), 1, "the kill itself moves nothing");
  const lasted = (await pump.until(0, millis(2 * duration))) - seen;
  t.ok(lasted < duration * WHEEL + TICK + SLACK, `${lasted} ms after it was seen on`);
});

t.test("brightness 0 has ended the pulse when the write returns, and takes the trigger away", async (t) => {
  begin(basilPump, millis(5000));
  await pump.until(1, SOON);
  writeLed(basilPump.label, "brightness", 0);
  t.equal(pump.level(), 0);
  t.match(readLed(basilPump.label, "trigger"), /\[none\]/);
  t.throws(() => writeLed(basilPump.label, "duration", 200), { code: "EACCES" }, "its files are gone");
  rearm(basilPump);
  t.same(
    ["duration", "state", "activate"].map((name) => readLed(basilPump.label, name)),
    ["0", "0", "0"],
  );
});

t.test(
  "activate 0, trigger none, and the same trigger again each end a pulse, and none restarts it",
  async (t) => {
    const ways = [
      ["activate", "0"],
      ["trigger", "none"],
      ["trigger", "transient"],
    ] as const;
    for (const [name, value] of ways) {
      begin(basilPump, millis(5000));
      await pump.until(1, SOON);
      const asked = clock.monotonic();
      writeLed(basilPump.label, name, value);
      t.ok((await pump.until(0, SOON)) - asked < SLACK, `${name} ${value}`);
      rearm(basilPump);
      await clock.sleep(millis(50));
      t.equal(pump.level(), 0);
    }
  },
);

t.test("to activate again while a pulse runs, with whatever duration, does not extend it", async (t) => {
  const duration = millis(600);
  const began = begin(basilPump, duration);
  await clock.sleep(millis(300));
  begin(basilPump, millis(5000));
  endsInTime(t, duration, (await pump.until(0, SOON)) - began);
});

t.test("a duration of 0 switches nothing on", async (t) => {
  begin(basilPump, millis(0));
  await clock.sleep(millis(100));
  t.equal(pump.level(), 0);
  t.equal(readLed(basilPump.label, "activate"), "0");
});

t.test(
  "TRAP: with state 0, which every new trigger has, the pulse is inverted: on at its end, for good",
  async (t) => {
    rearm(basilPump);
    writeLed(basilPump.label, "duration", 200);
    writeLed(basilPump.label, "activate", 1);
    t.equal(pump.level(), 0);
    await pump.until(1, SOON);
    await clock.sleep(millis(500));
    t.equal(pump.level(), 1);
    writeLed(basilPump.label, "activate", 0);
    await clock.sleep(millis(50));
    t.equal(pump.level(), 1, "activate 0 ends running pulses only");
    writeLed(basilPump.label, "brightness", 0);
    t.equal(pump.level(), 0, "brightness 0 always switches off");
    rearm(basilPump);
  },
);

t.test(
  "an active-low relay is on while its pin is low, and off at high when the pulse is over",
  async (t) => {
    const line = new SimLine(fernPump.pin);
    begin(fernPump, millis(300));
    await line.until(0, SOON);
    t.equal(readLed(fernPump.label, "brightness"), "1");
    await line.until(1, SOON);
    t.equal(readLed(fernPump.label, "brightness"), "0");
    begin(fernPump, millis(5000));
    await line.until(0, SOON);
    writeLed(fernPump.label, "brightness", 0);
    t.equal(line.level(), 1);
  },
);

t.test("a pulse moves its own line alone", async (t) => {
  begin(basilPump, millis(300));
  await pump.until(1, SOON);
  t.equal(new SimLine(fernPump.pin).level(), 1);
  t.equal(new SimLine(basilLight.pin).level(), 0);
  await pump.until(0, SOON);
});
