import { hex, millis } from "../../../drivers/units.js";
import type { PlantConfig } from "../../config/schema.js";
import { BACK_IN_POT, OUT_OF_POT } from "../../wire/names.js";
import type { MeasuredProbe } from "../../wire/plants.js";
import {
  type Ends,
  inWords,
  isImplausible,
  isUnusual,
  keysOf,
  LEAST_SPAN,
  NotSteady,
  type Place,
  percentOf,
  rangeOf,
  type Steady,
  spanTrouble,
  type Unit,
  untilSteady,
} from "../../wire/probe-levels.js";
import { CommandError } from "../failure.js";
import { isYes, type Terminal } from "../terminal.js";
import { type CalibrationContext, type PlantThere, plantThere, type Session, write } from "./calibration.js";

const TO_DO: Readonly<Record<Place, string>> = {
  air: "1 of 3  Dry. Wipe the probe and hold it in the air; better, put it into bone-dry soil of its pot's kind.",
  water:
    "2 of 3  Wet. Put it into a glass of water up to the mark on its blade, electronics dry; better, into soaked soil.",
  pot: "3 of 3  Put it back into its pot, at its final depth.",
};

/** Measures dry, wet and in the pot; then asks and writes the file. The plant is on hold while the probe is out of its pot. */
export async function calibrateMoisture(session: Session): Promise<void> {
  const { remote, terminal, plant, file } = session;
  const there = await plantThere(remote, plant, file.path);
  terminal.say(
    `The probe of ${plant.name ?? plant.id}, ${placeOf(plant)}. Enter goes on, Ctrl-C ends without a change.`,
  );
  if (there.simulated) terminal.say("Simulated hardware: its probe moves by itself for each step.");
  const resume = await holdMeanwhile(session, there);
  const found = await walk(session, there).catch((error: unknown) => {
    if (resume)
      terminal.say(
        `${plant.id} stays on hold: put the probe back into its pot, then: tendril resume ${plant.id}`,
      );
    throw error;
  });
  for (const line of probeInWords(found, endsOf(plant))) terminal.say(line);
  try {
    await write(session, "probe", keysOf({ dry: found.dry.level, wet: found.wet.level }, found.dry.unit));
  } finally {
    await resume?.();
    if (!resume) terminal.say(`${plant.id} stays on hold, as it was before`);
  }
}

/** Checks and writes known values; needs no runtime. */
export async function writeEnds(context: CalibrationContext, ends: Ends): Promise<void> {
  const unit = context.plant.probe.chip === "seesaw" ? "counts" : "V";
  if (isUnusual(ends, unit)) context.terminal.say(unusual(ends, unit));
  await write(context, "probe", keysOf(ends, unit));
}

/**
 * Puts the plant on hold; returns how to lift it, or undefined if somebody else had it on hold. Takes over the hold of an
 * interrupted calibration.
 */
async function holdMeanwhile(
  { remote, terminal, plant }: Session,
  { now }: PlantThere,
): Promise<(() => Promise<void>) | undefined> {
  if (now.hold && now.hold.reason !== OUT_OF_POT) return undefined;
  const hold = (on: boolean, reason: string) =>
    remote.call("set_hold", { hold: on, plant: plant.id, reason });
  await hold(true, OUT_OF_POT);
  terminal.say(
    `${plant.id} is on hold until the probe is back: its readings must not cause watering meanwhile.`,
  );
  return async () => {
    await hold(false, BACK_IN_POT);
    terminal.say(`${plant.id} is no longer on hold`);
  };
}

async function walk(session: Session, there: PlantThere): Promise<ProbeFound> {
  const dry = await step("air", session, there);
  warnOfAnotherFile(dry, session);
  const wet = await step("water", session, there);
  const problem = spanProblem({ dry, wet }, placeOf(session.plant));
  if (problem !== undefined) throw new CommandError(`${problem}; nothing was written`);
  const ends = { dry: dry.level, wet: wet.level };
  if (isUnusual(ends, dry.unit)) await insist(session.terminal, unusual(ends, dry.unit));
  return { dry, wet, pot: await step("pot", session, there) };
}

async function step(
  place: Place,
  { remote, terminal, clock }: Session,
  { named }: PlantThere,
): Promise<Steady> {
  terminal.say(TO_DO[place]);
  await terminal.ask("        Press Enter when it is there.");
  const measure = () => remote.call<MeasuredProbe>("measure_probe", { place, ...named });
  const steady = await untilSteady(measure, {
    monotonic: () => clock.monotonic(),
    sleep: (ms) => clock.sleep(millis(ms), terminal.interrupted),
    tell: (measured, trouble) => terminal.show(`      ${trouble?.message ?? progress(measured)}`),
  }).catch((error: unknown) => {
    throw error instanceof NotSteady ? new CommandError(notSteady(error.measured)) : error;
  });
  terminal.say(
    `        ${inWords(steady.level, steady.unit)}, steady within ${inWords(steady.spread, steady.unit)}`,
  );
  if (steady.resembles !== null)
    await insist(
      terminal,
      `        That is what an ${WITHOUT_PROBE[steady.resembles]} gives, without any probe.`,
    );
  return steady;
}

/** The result must go into the file that the runtime uses. */
function warnOfAnotherFile({ inForce, unit }: Steady, { plant, file, terminal }: Session): void {
  const { dry, wet } = endsOf(plant);
  if (inForce.dry === dry && inForce.wet === wet) return;
  const [now, then] = [inForce, { dry, wet }].map(
    (ends) => `${inWords(ends.dry, unit)} to ${inWords(ends.wet, unit)}`,
  );
  terminal.say(
    `! The runtime uses ${now}, ${file.path} says ${then}: it runs with another file, or was not restarted.`,
  );
}

const WITHOUT_PROBE = { "open input": "open input", supply: "input tied to the supply" } as const;

async function insist(terminal: Terminal, doubt: string): Promise<void> {
  terminal.say(doubt);
  if (await isYes(terminal, "        Use it all the same?", false)) return;
  throw new CommandError("nothing was written: check the probe and its wires, and calibrate again");
}

const unusual = ({ dry, wet }: Ends, unit: Unit): string =>
  `        It ${wet > dry ? "rises" : "falls"} from dry (${inWords(dry, unit)}) to wet (${inWords(wet, unit)}); most probes of its kind do the opposite. Dry is what it gives in air, wet what it gives in water.`;

const endsOf = ({ probe }: PlantConfig): Ends =>
  probe.chip === "seesaw"
    ? { dry: probe.dry_counts, wet: probe.wet_counts }
    : { dry: probe.dry_volts, wet: probe.wet_volts };

function placeOf({ probe }: PlantConfig): string {
  const at = hex(probe.address);
  return probe.chip === "seesaw"
    ? `the seesaw at ${at}`
    : `channel ${probe.channel} of the ${probe.chip.toUpperCase()} at ${at}`;
}

/** What is shown while a level is not steady yet. */
function progress(measured: readonly MeasuredProbe[]): string {
  const newest = measured.at(-1);
  if (!newest) return "";
  return `${inWords(newest.level, newest.unit)}, within ${inWords(rangeOf(measured), newest.unit)}: waiting until it is steady`;
}

function notSteady(measured: readonly MeasuredProbe[]): string {
  const levels = measured.map(({ level }) => level);
  const unit = measured[0]?.unit ?? "V";
  const [least, most] = [Math.min(...levels), Math.max(...levels)].map((level) => inWords(level, unit));
  const open = measured.some(({ resembles }) => resembles === "open input");
  const likely = open
    ? "like an input without a probe: is the probe plugged in, and on this channel?"
    : "a loose wire, or somebody moves it";
  return `the probe is not steady: it varies between ${least} and ${most}, ${likely}`;
}

interface ProbeFound {
  readonly dry: Steady;
  readonly wet: Steady;
  readonly pot: Steady;
}

/** Why dry and wet are no valid calibration; undefined if they are. `where`: the probe's address in the configuration. */
export function spanProblem(
  { dry, wet }: Pick<ProbeFound, "dry" | "wet">,
  where: string,
): string | undefined {
  const { unit } = dry;
  const both = `${inWords(dry.level, unit)} dry and ${inWords(wet.level, unit)} wet`;
  const noise = inWords(Math.max(dry.spread, wet.spread), unit);
  const trouble = spanTrouble(dry, wet);
  return (
    trouble &&
    {
      same: `dry and wet are the same (${both}): the probe is broken, it is not the one on ${where}, or it was not moved`,
      close: `dry and wet are too close (${both}): they must differ by ${inWords(LEAST_SPAN[unit], unit)} or more; was it in up to the mark?`,
      noisy: `the probe's noise (${noise}) is more than a tenth of its span (${both}): a loose wire, a long cable, or a bad supply`,
    }[trouble]
  );
}

export function probeInWords({ dry, wet, pot }: ProbeFound, before: Ends): string[] {
  const { unit } = dry;
  const ends = { dry: dry.level, wet: wet.level };
  const span = Math.abs(ends.dry - ends.wet);
  const noise = Math.max(dry.spread, wet.spread, pot.spread);
  const percent = percentOf(pot.level, ends);
  const turned = Math.sign(before.wet - before.dry) !== Math.sign(ends.wet - ends.dry);
  return [
    `  dry    ${inWords(ends.dry, unit)}`,
    `  wet    ${inWords(ends.wet, unit)}: it ${ends.wet < ends.dry ? "falls" : "rises"} as the soil gets wetter${turned ? "; the file had it the other way round" : ""}`,
    `  span   ${inWords(span, unit)}, its noise is ${((100 * noise) / span).toFixed(1)} % of that`,
    `  in pot ${inWords(pot.level, unit)}: ${percent.toFixed(0)} %${outside(percent)}`,
  ];
}

function outside(percent: number): string {
  if (percent >= 0 && percent <= 100) return "";
  const what = percent < 0 ? "drier than dry" : "wetter than wet";
  const beyond = isImplausible(percent) ? "; the runtime will call such a reading implausible" : "";
  return ` (! ${what}: were both ends taken with the blade in up to the mark?${beyond})`;
}
