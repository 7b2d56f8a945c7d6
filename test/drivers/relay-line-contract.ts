import type { Test } from "tap";
import type { RelayLine } from "../../drivers/guard/relay.js";
import { type Millis, millis } from "../../drivers/units.js";

export interface LineUnderTest {
  readonly line: RelayLine;
  /** What the pin is electrically, not what the line says, once it has settled. */
  readonly level: () => Promise<0 | 1>;
  /** Lets time pass, on simulated clocks or by waiting. */
  readonly pass: (time: Millis) => Promise<void>;
}

export interface LineContract {
  /** Opens the line anew, on a pin that nobody else has. */
  readonly open: (activeLow: boolean) => Promise<LineUnderTest>;
  /** A pulse short enough to wait for. */
  readonly pulse: Millis;
  /** When a cut-off has ended a pulse of that length at the latest, counted from its beginning. */
  readonly endsBy: (duration: Millis) => Millis;
}

/** What the guard relies on in each of its lines, whatever drives it. */
export function relayLineContract(t: Test, contract: LineContract): void {
  for (const activeLow of [false, true]) {
    const polarity = activeLow ? "active-low" : "active-high";
    t.test(`${polarity}: it is off, on when told, and off again`, (t) => switches(t, contract, activeLow));
    t.test(`${polarity}: off is always allowed`, (t) => takesOffTwice(t, contract, activeLow));
    t.test(`${polarity}: a closed line is off`, (t) => closesOff(t, contract, activeLow));
    t.test(`${polarity}: left alone, it does as its cut-off says`, (t) => cutsOff(t, contract, activeLow));
    t.test(`${polarity}: the end of one pulse does not strike the next`, (t) =>
      startsAnew(t, contract, activeLow),
    );
  }
}

async function switches(t: Test, { open, pulse }: LineContract, activeLow: boolean): Promise<void> {
  const { line, level } = await open(activeLow);
  const [off, on] = activeLow ? [1, 0] : [0, 1];
  t.same([line.isOn(), await level()], [false, off]);
  for (const again of [1, 2]) {
    line.switchOn(pulse);
    t.same([line.isOn(), await level()], [true, on], `on ${again}`);
    line.switchOff();
    t.same([line.isOn(), await level()], [false, off], `off ${again}`);
  }
  line.close();
}

async function takesOffTwice(t: Test, { open, pulse }: LineContract, activeLow: boolean): Promise<void> {
  const { line, level } = await open(activeLow);
  line.switchOff();
  line.switchOn(pulse);
  line.switchOff();
  line.switchOff();
  t.same([line.isOn(), await level()], [false, activeLow ? 1 : 0]);
  line.close();
}

async function closesOff(t: Test, { open, pulse }: LineContract, activeLow: boolean): Promise<void> {
  const { line, level, pass } = await open(activeLow);
  line.switchOn(pulse);
  line.close();
  t.equal(await level(), activeLow ? 1 : 0, "at once");
  await pass(pulse);
  t.equal(await level(), activeLow ? 1 : 0, "and later");
}

async function cutsOff(t: Test, { open, pulse, endsBy }: LineContract, activeLow: boolean): Promise<void> {
  const { line, level, pass } = await open(activeLow);
  const on = activeLow ? 0 : 1;
  line.switchOn(pulse);
  await pass(millis(pulse * 0.9));
  t.equal(await level(), on, "on for as long as it was told");
  await pass(millis(endsBy(pulse) - pulse * 0.9));
  const ends = line.cutoff !== "none";
  t.equal((await level()) === on, !ends, ends ? `ended by the ${line.cutoff}` : "on until it is told");
  t.equal(line.isOn(), !ends);
  line.close();
}

async function startsAnew(t: Test, { open, pulse, endsBy }: LineContract, activeLow: boolean): Promise<void> {
  const { line, level, pass } = await open(activeLow);
  const long = millis(endsBy(pulse) * 1.5);
  line.switchOn(pulse);
  await pass(millis(pulse * 0.5));
  line.switchOff();
  line.switchOn(long);
  await pass(millis(endsBy(pulse)));
  t.equal(await level(), activeLow ? 0 : 1, "on past the first one's end");
  line.switchOff();
  t.equal(await level(), activeLow ? 1 : 0);
  line.close();
}
