import { longestDose, MAX_PULSE, MIN_FLOW } from "../../../drivers/devices/pump.js";
import type { MlPerSecond } from "../../../drivers/units.js";
import { MAX_FLOW } from "../../config/schema.js";
import type { PlantNow } from "../../wire/overview.js";
import { CommandError } from "../failure.js";
import { isYes, type Terminal } from "../terminal.js";
import { type CalibrationContext, type PlantThere, plantThere, write } from "./calibration.js";
import { dose, type PumpSession } from "./dose.js";

/** A choice: a mean and a spread need three; more would use up the plant's water. */
const DOSES = 3;

/**
 * Pours doses into a jug on a scale, with the runtime's ledger, guard and limits; then asks and writes the file. Throws a
 * CommandError if the doses give no result, or the runtime refuses.
 */
export async function calibratePump(session: PumpSession): Promise<void> {
  const { remote, terminal, plant, file } = session;
  const there = await plantThere(remote, plant, file.path);
  assertReady(there.now, session);
  for (const line of introduction(session, there)) terminal.say(line);
  await terminal.ask("Press Enter when the jug is under the tube and the scale shows 0.");
  const jug: number[] = [];
  try {
    const poured = await doses(session, there, jug);
    const apart = (100 * spreadOf(poured)).toFixed(0);
    terminal.say(`The doses agree within ${apart} %, apart from the scale's rounding.`);
    await writeFlow(session, flowOf(poured));
  } finally {
    if (jug.length > 0) await forgive(session, jug);
  }
}

/** Checks and writes a known flow; needs no runtime. */
export async function writeFlow(context: CalibrationContext, flow: number): Promise<void> {
  await write(context, "pump", { flow_ml_per_s: flow }, flowInWords(flow));
}

/** The runtime would refuse a dose later; better to say so before the first. */
function assertReady(now: PlantNow, { plant, ml }: PumpSession): void {
  const [fault] = now.faults;
  const left = now.water?.remaining_ml ?? 0;
  const refuse = (what: string) => {
    throw new CommandError(`${what}; nothing was poured`);
  };
  if (!now.fitted?.pump) refuse(`${plant.id} has no pump (pump.output)`);
  if (now.hold) refuse(`${plant.id} is on hold (${now.hold.reason}): tendril resume`);
  if (fault)
    refuse(`${plant.id} is locked (${fault.code}: ${fault.reason}): look, then tendril clear ${plant.id}`);
  if (now.probe_fault)
    refuse(
      `the probe does not answer (${now.probe_fault.message}), so no water flows: fix it, or run tendril calibrate moisture first`,
    );
  if (left < DOSES * ml)
    refuse(
      `${DOSES} doses of ${ml} ml do not fit into the ${left} ml that ${plant.id} may still have in 24 h; try again tomorrow, or with --ml 10`,
    );
}

const introduction = ({ plant, ml }: PumpSession, { now, simulated, arePaused }: PlantThere): string[] => [
  `The pump of ${plant.name ?? plant.id}: ${plant.pump.flow_ml_per_s} ml/s by the file. ${DOSES} doses of ${ml} ml, as that has it, go into a jug.`,
  `They count as poured: ${DOSES * ml} ml of the ${now.water?.remaining_ml ?? 0} ml that the plant may still have in these 24 h.`,
  "Take a jug of half a litre (the pump may be faster than expected) and a kitchen scale; 1 g of water is 1 ml. Fill the tank.",
  "Keep the tube's end in the jug and above the tank's water, or the water flows on by itself. Do not empty the jug in between.",
  ...(now.care && !arePaused
    ? [`${now.care.agent} cares for the plant: first type "tendril pause", or it pours into your jug too.`]
    : []),
  ...(simulated ? ["Simulated hardware: nothing can be weighed; type any weight."] : []),
];

/** `jug`: millilitres of each dose by the ledger. */
async function doses(session: PumpSession, there: PlantThere, jug: number[]): Promise<Poured[]> {
  for (let shown = 0; ; ) {
    const poured: Poured[] = [];
    while (poured.length < DOSES) {
      const seconds = await dose(session, there, `Dose ${poured.length + 1} of ${DOSES}`, jug);
      if (jug.length === 1) warnOfAnotherFile(session, seconds);
      const before = shown;
      shown = await weigh(session.terminal, before);
      if (shown === before) throw new CommandError(NOTHING_CAME);
      poured.push({ grams: round(shown - before), seconds });
      await forgiveWeighed(session, jug);
    }
    const problem = flowProblem(poured);
    if (problem === undefined) return poured;
    await askForMore(session.terminal, problem, poured);
  }
}

/** Offers a repeat only if the doses differ too much: another problem would stay. */
async function askForMore(terminal: Terminal, problem: string, poured: readonly Poured[]): Promise<void> {
  terminal.say(problem);
  if (disagree(poured) && (await isYes(terminal, `Pour ${DOSES} more into the same jug?`, false))) return;
  throw new CommandError("nothing was written");
}

const NOTHING_CAME =
  "nothing came: is the tank full, the tube on and not clogged, the pump's supply plugged in, and does the relay's lamp light? Nothing was written";

/** Tenths: kitchen scales show no more. */
const round = (grams: number): number => Math.round(grams * 10) / 10;

/** Asks for the scale's reading in grams, which is not less than before. */
async function weigh(terminal: Terminal, before: number): Promise<number> {
  for (;;) {
    const answer = await terminal.ask("What does the scale show now, all doses together, in grams?");
    const grams = Number(answer.replace(",", ".").replace(/\s*g$/i, ""));
    if (answer !== "" && grams >= before && grams <= MAX_GRAMS) return grams;
    terminal.say(
      `please type a number of grams from ${before} to ${MAX_GRAMS}; do not empty the jug, nor set the scale to 0`,
    );
  }
}

/** The range of kitchen scales. */
const MAX_GRAMS = 5000;

/** The result must go into the file that the runtime uses. */
function warnOfAnotherFile({ ml, plant, file, terminal }: PumpSession, on: number): void {
  const [inForce, written] = [ml / on, plant.pump.flow_ml_per_s];
  if (Math.abs(inForce / written - 1) < SAME_FLOW) return;
  terminal.say(
    `! The runtime uses ${inForce.toFixed(2)} ml/s, ${file.path} says ${written}: it runs with another file, or was not restarted.`,
  );
}

/** A pulse of seconds ends within some milliseconds of its time. */
const SAME_FLOW = 0.02;

/**
 * The soil does not get wetter by water in a jug, and enough such water locks the pump (safety/response.ts). A person who has
 * seen it flow may clear that; other faults are not cleared.
 */
async function forgive(session: PumpSession, jug: readonly number[]): Promise<void> {
  const { terminal, plant, file } = session;
  const ml = Math.round(sum(jug) * 100) / 100;
  const limit = file.config.water.no_response.ml;
  terminal.say(
    `${ml} ml went into the jug. The soil does not get wetter by it, and ${limit} ml without a change lock the pump.`,
  );
  const forgiven = await isForgiven(session).catch(() => false);
  if (!forgiven) terminal.say(`When tube and probe are back in the pot: tendril clear ${plant.id}`);
}

/** Clears weighed water before the next dose would wait for the soil. */
async function forgiveWeighed(session: PumpSession, jug: readonly number[]): Promise<void> {
  const { remote, plant, file, ml } = session;
  if (sum(jug) + ml <= file.config.water.no_response.ml) return;
  const { now } = await plantThere(remote, plant, file.path);
  if (now.faults.length > 0) return; // a person has to look first; the next dose is refused with the reason
  await remote.call("clear_fault", { plant: plant.id, reason: "the water was weighed in a jug" });
}

async function isForgiven({ remote, terminal, plant, file }: PumpSession): Promise<boolean> {
  const { now } = await plantThere(remote, plant, file.path);
  const other = now.faults.find(({ code }) => code !== "NO_RESPONSE");
  if (other) terminal.say(`${plant.id} is locked (${other.code}: ${other.reason})`);
  if (other || !(await isYes(terminal, BACK_AGAIN, true))) return false;
  await remote.call("clear_fault", {
    plant: plant.id,
    reason: "the pump was calibrated into a jug; tube and probe are back",
  });
  terminal.say("cleared; the water still counts as poured");
  return true;
}

const BACK_AGAIN = "Is the tube back in the pot, and the probe in its soil? Then this water is cleared.";

/** A dose into a jug: its weight, and how long the pump was on. */
interface Poured {
  readonly grams: number;
  readonly seconds: number;
}

/** As a part of the mean. A choice: more means air in the tube, or a scale that was moved. */
const MAX_SPREAD = 0.1;
/** Kitchen scales show whole grams, so equal doses may differ by one. */
const SCALE_STEP = 1;

/**
 * ml/s; a gram of water is a millilitre (0.997 to 1.000 g from 0 to 25 °C). Over all doses, where the scale's rounding matters
 * least. Rounded up to 0.01, so that the ledger never counts less than flows.
 */
export function flowOf(poured: readonly Poured[]): number {
  const grams = sum(poured.map((each) => each.grams));
  return Math.ceil((grams / sum(poured.map(({ seconds }) => seconds))) * 100 - ROUNDING) / 100;
}

/** Floating-point noise of a quotient. */
const ROUNDING = 1e-6;

/** Largest difference between doses as a part of the mean, without the scale's rounding. */
export function spreadOf(poured: readonly Poured[]): number {
  const flows = poured.map(({ grams, seconds }) => grams / seconds);
  const mean = sum(flows) / flows.length;
  const step = SCALE_STEP / Math.min(...poured.map(({ seconds }) => seconds));
  return Math.max(0, Math.max(...flows) - Math.min(...flows) - step - ROUNDING) / mean;
}

const disagree = (poured: readonly Poured[]): boolean => spreadOf(poured) > MAX_SPREAD;

/** Why this is no valid calibration; undefined if it is. */
export function flowProblem(poured: readonly Poured[]): string | undefined {
  if (disagree(poured))
    return `the doses differ too much (${poured.map(({ grams }) => `${grams} g`).join(", ")}): air in the tube, which the first dose drives out, a tank nearly empty, or a scale that was moved`;
  const flow = flowOf(poured);
  const rate = `${flow} ml/s`;
  if (flow < MIN_FLOW)
    return `${rate} is too slow: 25 ml would take ${secondsFor(flow)} s, and the hardware ends a pulse after ${MAX_PULSE / 1000} s at the latest; use a stronger pump, a wider or shorter tube, or lift the water less high`;
  if (flow > MAX_FLOW)
    return `${rate} is more than ${MAX_FLOW} ml/s: a dose could not be timed; use a smaller pump`;
  return undefined;
}

/** A flow, with the duration of the largest dose. */
export const flowInWords = (flow: number): string =>
  `${flow} ml/s: 25 ml, the largest dose, take ${secondsFor(flow)} s (the hardware ends every pulse after ${MAX_PULSE / 1000} s at the latest)`;

/** Tenths, rounded up, so that a dose that takes too long shows it. */
const secondsFor = (flow: number): string =>
  (Math.ceil(longestDose(flow as MlPerSecond) / 100) / 10).toFixed(1);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
