import t from "tap";
import { Interlock } from "../../drivers/devices/interlock/interlock.js";
import { decodeAnswer, encodeLine } from "../../drivers/devices/interlock/protocol.js";
import { millis } from "../../drivers/units.js";
import { blankEeprom, freshMemory } from "./avr/binaries.js";
import type { Flaw } from "./avr/chip.js";
import { connected, outcome, timesOn } from "./avr/connected.js";
import { AvrDevice } from "./avr/device.js";
import { Rig, type RigOptions } from "./avr/rig.js";

/** What the AVR's port owes to its chip (the numbers of registers: datasheet, section 30). */

const BUILD = "interlock-avr-short";

function avrOf(rig: Rig): AvrDevice {
  if (!(rig.chip instanceof AvrDevice)) throw new Error("no AVR");
  return rig.chip;
}

function begun(options: RigOptions = {}): { readonly rig: Rig; readonly avr: AvrDevice } {
  const rig = new Rig({ build: BUILD, ...options });
  return { rig, avr: avrOf(rig) };
}

/** The lines that come, without whom they are for. */
function heardBy(rig: Rig): string[] {
  const heard: string[] = [];
  rig.toHost = (bytes) => {
    heard.push(...Buffer.from(bytes).toString("latin1").split("\n").slice(0, -1));
    return [];
  };
  return heard;
}

const LINE = { bits: 8, stops: 1, parity: false };

/** The emulator carries a byte at whatever speed the chip has, so a wrong one would not show elsewhere. */
t.test("the link's line is 38400 baud, 8N1, within half a percent", async (t) => {
  const { rig, avr } = begun();
  await rig.run(100);
  const { baud, ...frame } = avr.chip.line;
  t.ok(Math.abs(baud / 38_400 - 1) < 0.005, `${baud} baud`);
  t.same(frame, LINE);
});

t.test("every input has its pull-up: a broken wire reads high", async (t) => {
  const { rig, avr } = begun();
  await rig.run(100);
  for (const input of ["stop", "pump", "light"] as const) t.ok(avr.hasPullUp(input), input);
});

t.test(
  "a step comes every 10 ms, by a clock that is right to a thousandth, and the chip sleeps between steps",
  async (t) => {
    const { rig, avr } = begun();
    await rig.run(1000);
    const { steps: before, slept } = avr.chip;
    const { ticks, cycles } = avr;
    await rig.run(4000);
    const steps = avr.chip.steps - before;
    // A slot of the short build ends each second, and its record takes the time of a step
    t.ok(steps > 390 && steps <= 401, `${steps} steps in 4 s`);
    t.ok(Math.abs(avr.ticks - ticks - 4000) <= 4, `${avr.ticks - ticks} ms in 4 s`);
    const asleep = (avr.chip.slept - slept) / (avr.cycles - cycles);
    t.ok(asleep > 0.5, `asleep for ${asleep.toFixed(2)} of the time`);
  },
);

t.test("no interrupt comes into a read of the clock, nor into the beginning of a byte's write", async (t) => {
  const { rig, avr } = begun();
  avr.watchTicks();
  await rig.run(1500);
  t.same([...avr.chip.misuses], []);
});

/**
 * A boot loader jumps to the program without a reset. Arduino's blinks by timer 1 and leaves its count where it was; the rest
 * is what another one, or a program that ran astray, may leave. By address, in the order of writing.
 */
const LEFT_IN_REGISTERS = [
  ["TCCR1A: a PWM", 0x80, 0x03],
  ["TCCR1B: a clock", 0x81, 0x05],
  ["TCNT1, its high byte first", 0x85, 0xea],
  ["TCNT1", 0x84, 0x60],
  ["UCSR0C: two stop bits", 0xc2, 0x0e],
  ["PORTB: both contacts closed", 0x25, 0x03],
  ["DDRB: and driven", 0x24, 0x03],
] as const;
/** Some instructions. */
const AT_ONCE_MS = 0.01;

t.test(
  "whatever registers hold when the program begins, it opens both contacts at once, and runs as ever",
  async (t) => {
    const { rig, avr } = begun();
    for (const [, address, value] of LEFT_IN_REGISTERS) avr.chip.cpu.writeData(address, value);
    t.ok(rig.isOn("pump") && rig.isOn("light"));
    await rig.run(1000);
    for (const output of ["pump", "light"] as const) {
      const [on = 0, ...more] = timesOn(rig, output);
      t.same(more, []);
      t.ok(on < AT_ONCE_MS, `${output}: on for ${on} ms`);
    }
    const { baud: _, ...frame } = avr.chip.line;
    t.same(frame, LINE);
    t.same([...avr.chip.misuses], []);
    t.ok(Math.abs(avr.ticks - rig.now) <= 10, `${avr.ticks} ms by its clock`);
  },
);

/** firmware/core/limits.h: a longer gap between two steps is a fault. */
const MAX_GAP_MS = 1000;

t.test("the start of a device that is new has twice the time that it needs", async (t) => {
  const { rig, avr } = begun({ eeprom: blankEeprom() });
  let last = 0;
  let longest = 0;
  for (let steps = 0; rig.now < 1500; await rig.run(1)) {
    if (avr.chip.steps === steps) continue;
    steps = avr.chip.steps;
    longest = Math.max(longest, rig.now - last);
    last = rig.now;
  }
  t.ok(longest > 300 && longest <= MAX_GAP_MS / 2, `${longest} ms between two steps`);
});

t.test(
  "each start tells a status that nobody asked for, once, with a token that no start before it had",
  async (t) => {
    const { rig } = begun();
    const heard = heardBy(rig);
    const tokens = new Set<number>();
    for (const cause of ["power", "pin", "power"] as const) {
      rig.reset(cause);
      await rig.run(500);
      const answers = heard.splice(0).map((line) => decodeAnswer(line.slice(1)));
      t.match(answers, [{ type: "S" }]);
      for (const answer of answers) if (answer?.type === "S") tokens.add(answer.token);
    }
    t.equal(tokens.size, 3);
    t.notOk(tokens.has(0));
  },
);

t.test("a byte that came damaged, or after one that was lost, spoils its line", async (t) => {
  const { rig, avr } = begun();
  const heard = heardBy(rig);
  await rig.run(500);
  heard.length = 0;
  const say = async (flaw?: Flaw) => {
    const line = Buffer.from(encodeLine({ type: "Q" }));
    for (const [at, byte] of line.entries()) avr.chip.receive(byte, at === 2 ? flaw : undefined);
    await rig.run(50);
    return heard.splice(0).length;
  };
  t.equal(await say("frame"), 0);
  t.equal(await say("overrun"), 0);
  t.equal(await say(), 1, "the next line is heard");
});

t.test("a host that does not wait for answers gets each whole, or not at all", async (t) => {
  const { rig } = begun();
  const heard = heardBy(rig);
  await rig.run(500);
  heard.length = 0;
  for (let n = 0; n < 60; n++) rig.send(encodeLine({ type: n % 3 === 0 ? "Q" : "I" }));
  await rig.run(500);
  t.ok(heard.length > 5 && heard.length < 60, `${heard.length} answers`);
  for (const line of heard) t.ok(line.startsWith(":") && decodeAnswer(line.slice(1)), line);
});

t.test(
  "what came while a record was written is heard at once when it is written, an off behind noise too",
  async (t) => {
    const { rig, interlock } = await connected({ build: BUILD });
    const asked = outcome(interlock.request("pump", millis(4000)));
    // The request is heard after 7 ms, and its record takes 40
    await rig.run(15);
    rig.send("?".repeat(50) + encodeLine({ type: "p" }));
    await rig.run(200);
    await rig.until(asked);
    const [on = 0, ...more] = timesOn(rig, "pump");
    t.same(more, []);
    t.ok(on < 10, `on for ${on} ms`);
  },
);

/** The ATmega328P's two copies begin there (firmware/ports/avr/memory.c), 120 bytes each. */
const COPIES = [0, 128] as const;
const COPY_BYTES = 120;

t.test("without a sound copy, words that the memory still holds are not taken for one", async (t) => {
  const { rig, avr } = begun({ eeprom: blankEeprom() });
  avr.leaveInMemory(freshMemory(BUILD).memory.subarray(0, COPY_BYTES));
  await rig.run(1500);
  const { latest } = await rig.until(Interlock.open(rig.line, rig.clock));
  t.equal(latest?.status.budgetLeft, 0);
});

t.test("either of the two copies is enough", async (t) => {
  const { rig } = await connected({ build: BUILD });
  for (const at of COPIES) {
    const eeprom = blankEeprom();
    eeprom.memory.set(rig.eeprom.memory);
    eeprom.memory.fill(0xff, at, at + COPY_BYTES);
    const { interlock } = await connected({ build: BUILD, eeprom });
    t.ok((interlock.latest?.status.budgetLeft ?? 0) > 0, `without the one at ${at}`);
  }
});
