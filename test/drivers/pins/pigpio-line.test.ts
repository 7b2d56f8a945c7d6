import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { DMA_MARGIN, LONGEST_DMA_PULSE, openPigpioLine } from "../../../drivers/pins/pigpio-line.js";
import { millis, plus, seconds } from "../../../drivers/units.js";
import { relayLineContract } from "../relay-line-contract.js";
import { Pigpiolib, PiPins } from "./pi-model.js";
import { noPigpio, pigpioOver } from "./pigpio-over-model.js";

const test = (title: string, promise: (t: Test) => Promise<void>) =>
  t.test(title, { skip: noPigpio }, promise);

/** A Pi with one process that has opened the line; everything before it may be given. */
function opened({
  gpio = 17,
  activeLow = false,
  clock = new SimulatedClock(),
  pins = new PiPins(clock),
} = {}) {
  const library = new Pigpiolib(pins);
  const pigpio = pigpioOver(library);
  const others = process.listeners("exit");
  const line = openPigpioLine(pigpio, { gpio, activeLow });
  const atExit = process.listeners("exit").filter((each) => !others.includes(each));
  /** `process.exit`: what listens to it, then the library's own (`atexit` in initInitialise). */
  const exit = () => {
    for (const listener of atExit) listener(0);
    library.gpioTerminate();
    sigkill();
  };
  const sigkill = () => {
    for (const listener of atExit) process.off("exit", listener);
    library.sigkill();
  };
  const pass = (time: number) => clock.advance(millis(time));
  return { line, library, pigpio, pins, clock, pass, exit, sigkill, level: () => pins.level(gpio) };
}

test("the line keeps the guard's contract", async (t) => {
  relayLineContract(t, {
    open: async (activeLow) => {
      const rig = opened({ activeLow });
      return { ...rig, level: async () => rig.level() };
    },
    pulse: seconds(2),
    endsBy: (duration) => plus(duration, DMA_MARGIN + 1),
  });
});

test("opening never makes the relay switch, whatever the pin's pull", async (t) => {
  const high = opened({ gpio: 17 });
  t.same(high.pins.edges, [], "active-high on a pin that is pulled down");
  const low = opened({ gpio: 5, activeLow: true });
  t.same(low.pins.edges, [], "active-low on a pin that is pulled up");
  high.line.close();
  low.line.close();
});

t.test(
  "a pulse ends by itself, to the microsecond, although its process was killed in mid-pulse",
  async (t) => {
    for (const activeLow of [false, true]) {
      const { line, pins, pass, sigkill } = opened({ activeLow });
      pins.edges.length = 0;
      line.switchOn(seconds(26));
      await pass(10_000);
      sigkill();
      await pass(60_000);
      pins.level(17);
      const [on, off] = pins.edges;
      t.same([pins.edges.length, on?.level, off?.level], [2, activeLow ? 0 : 1, activeLow ? 1 : 0]);
      t.equal(Math.round(((off?.at ?? 0) - (on?.at ?? 0)) * 1000), 26_000_000 + DMA_MARGIN * 1000);
    }
  },
);

test("the next process finds the wave running, and off switches it off", async (t) => {
  const first = opened();
  first.line.switchOn(seconds(20));
  await first.pass(1000);
  first.sigkill();
  t.equal(first.level(), 1);
  const second = opened({ clock: first.clock, pins: first.pins });
  t.equal(first.level(), 0, "by opening it");
  await first.pass(60_000);
  t.equal(first.level(), 0);
  second.line.close();
});

test("off, in the microseconds before the wave's edge, is not undone by that edge", async (t) => {
  const { line, pigpio, pass, level } = opened();
  pigpio.waveClear();
  pigpio.waveAddGeneric([{ gpioOn: 17, gpioOff: 0, usDelay: 1_000_000 }]);
  pigpio.waveTxSend(pigpio.waveCreate(), pigpio.WAVE_MODE_ONE_SHOT);
  line.switchOff();
  await pass(10);
  t.equal(level(), 0);
  line.close();
});

test("a process that exits in mid-pulse without a word leaves the relay off", async (t) => {
  const { line, pass, exit, level } = opened();
  line.switchOn(seconds(20));
  await pass(1000);
  exit();
  t.equal(level(), 0, "although the library's own end stops DMA and leaves the pin");
});

test("the library alone, ended in mid-pulse, would leave the relay on", async (t) => {
  const { line, library, pass, level, sigkill } = opened();
  line.switchOn(seconds(20));
  library.gpioTerminate();
  await pass(60_000);
  t.equal(level(), 1, "why its signal handlers are taken back");
  sigkill();
});

test("a pin that does not go on is an error, and stays off", async (t) => {
  const { line, library, pass, level } = opened();
  library.stuck = true;
  t.throws(() => line.switchOn(seconds(1)), { code: "PIN_FAILED" });
  await pass(5000);
  t.equal(level(), 0);
  line.close();
});

test("a pulse of nothing, or longer than a wave, is refused and switches nothing", async (t) => {
  const { line, pins } = opened();
  for (const duration of [0, -1, Number.NaN])
    t.throws(() => line.switchOn(millis(duration)), { code: "PULSE_INVALID" });
  t.throws(() => line.switchOn(millis(LONGEST_DMA_PULSE + 1)), { code: "PULSE_TOO_LONG" });
  t.same(pins.edges, []);
  line.switchOn(LONGEST_DMA_PULSE);
  t.equal(line.isOn(), true, "the longest itself is played");
  line.close();
});

test("there is one line a board, for there is one wave", async (t) => {
  const { line, pigpio } = opened();
  t.throws(() => openPigpioLine(pigpio, { gpio: 27, activeLow: false }), {
    code: "OUTPUT_UNSAFE",
    message: /GPIO 17 uses it.* GPIO 27/,
  });
  line.close();
  const next = openPigpioLine(pigpio, { gpio: 27, activeLow: false });
  t.equal(next.isOn(), false, "a closed one makes room");
  next.close();
});

test("a second process is refused while the first one lives, and says what to look at", async (t) => {
  const { line, pins } = opened();
  const other = pigpioOver(new Pigpiolib(pins));
  t.throws(() => openPigpioLine(other, { gpio: 17, activeLow: false }), {
    code: "PIN_FAILED",
    message: /pigpiod/,
  });
  line.close();
});

test("pigpio opens no port, no FIFO and no thread that watches pins", async (t) => {
  const { line, library } = opened();
  t.same(library.configuration, [[1 + 2 + 8], [10, 1]]);
  line.close();
});

test("pulses without end do not use up the wave's memory", async (t) => {
  const { line } = opened();
  for (let pulse = 0; pulse < 7000; pulse++) line.switchOn(seconds(1));
  t.equal(line.isOn(), true);
  line.close();
});
