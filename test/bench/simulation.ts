import { carryOut } from "../../agent-client/harness/run.js";
import { loadScenario } from "../../agent-client/harness/scenario.js";
import { Room } from "../../drivers/bench/room.js";
import { speciesNamed } from "../../drivers/bench/species.js";
import { VirtualPlant } from "../../drivers/bench/virtual-plant.js";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { type EpochMillis, hours, type Millis, millilitres, minutes, volts } from "../../drivers/units.js";
import { type Figure, median, milliseconds } from "./figures.js";

const PLANTS = ["basil", "fern", "tomato", "cactus"];
const DAYS = 30;
const TIMES = 3;
/** 3,000 plant-days a minute. */
const AIM = 20;
const clock = new SystemClock();

/** A plant-day of `tendril simulate` in the whole, and the parts of it that are left when the agent, then the runtime, is taken away. */
export async function simulationFigures(): Promise<Figure[]> {
  const whole = await perPlantDay(() => simulated("caretaker"));
  const alone = await perPlantDay(() => simulated("none"));
  const physics = await perPlantDay(async () => PLANTS.forEach(grow));
  return [
    {
      what: "simulated plant-day, caretaker",
      ours: whole,
      aim: { atMost: AIM, of: "ours" },
      show: milliseconds,
    },
    { what: "simulated plant-day, nobody cares: probes, store, person", ours: alone, show: milliseconds },
    { what: "simulated plant-day, the plant and its room alone", ours: physics, show: milliseconds },
  ];
}

async function perPlantDay(run: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const began = clock.monotonic();
    await run();
    took.push((clock.monotonic() - began) / (DAYS * PLANTS.length));
  }
  return median(took);
}

function simulated(model: string): Promise<unknown> {
  const scenario = loadScenario("steady-month");
  const start = Date.parse(scenario.start);
  const run = { scenario, model, days: DAYS, plants: PLANTS, seed: 1, start, every: hours(6), maxRounds: 24 };
  return carryOut(run, { log: () => undefined, signal: new AbortController().signal });
}

/** Minute by minute, as on the bench. */
function grow(species: string): void {
  const room = new Room(1);
  const plant = new VirtualPlant(speciesNamed(species), { dry: volts(2.75), wet: volts(1.2) }, 1);
  const [start, minute] = [Date.parse("2026-06-01T06:00:00Z"), minutes(1)];
  for (let at = start; at < start + DAYS * hours(24); at += minute) {
    const air = room.at(at as EpochMillis);
    plant.step(minute as Millis, { water: millilitres(0), lamp: false, air });
  }
}
