import { z } from "zod";
import type { Bench, Board, InputKind, InputState } from "../../../drivers/open-board.js";
import { millilitres } from "../../../drivers/units.js";
import { errorTable, final, TendrilError } from "../../errors.js";
import { changes, reads, sets, toolFor } from "../../tools/tool.js";
import {
  BENCH_TROUBLES,
  type BenchPlantView,
  type BenchTrouble,
  type BenchView,
  benchPlant,
  benchView,
} from "../../wire/bench.js";
import { defineModule, definePart } from "../module.js";

const benchConfig = {
  bench: z
    .strictObject({
      controls: z
        .boolean()
        .default(false)
        .describe("a person may see the truth of simulated plants and break things; npm start does this"),
    })
    .prefault({}),
};

const BENCH_ERRORS = errorTable({
  NOT_SIMULATED: final(
    "remove bench.controls from the configuration: this board is real hardware",
    "nothing",
  ),
  BENCH_FIXED: final("try it with npm start, on its own bench", "nothing"),
});

/** Only of simulated hardware: on a real board every question is refused. */
class BenchControls {
  constructor(
    private readonly board: Pick<Board, "bench" | "inputs">,
    private readonly plants: readonly string[],
  ) {}

  /** Throws NOT_SIMULATED. */
  all(): BenchView {
    const bench = this.simulated();
    const plants = this.plants.map((plant) => this.view(plant));
    return { plants, speed: bench.speed() ?? null, can_cut_power: bench.cutPower !== undefined };
  }

  /** Throws NOT_SIMULATED, BENCH_FIXED. */
  async setSpeed(speed: number): Promise<{ speed: number }> {
    const bench = this.simulated();
    if (bench.speed() === undefined)
      throw new TendrilError(BENCH_ERRORS.BENCH_FIXED, "the time of this bench is not its own");
    await bench.setSpeed(speed);
    return { speed };
  }

  /** Nobody gets an answer: the process is gone. Throws NOT_SIMULATED, BENCH_FIXED. */
  cutPower(): void {
    const { cutPower } = this.simulated();
    if (!cutPower) throw new TendrilError(BENCH_ERRORS.BENCH_FIXED, "nothing would start this runtime again");
    cutPower();
  }

  /** Breaks one thing of a plant, or mends it. Throws NOT_SIMULATED, BENCH_FIXED. */
  set(plant: string, trouble: BenchTrouble, isBroken: boolean): BenchPlantView {
    const bench = this.simulated();
    if (trouble === "leak") this.setLeak(bench, plant, isBroken);
    else SET[trouble](bench, plant, isBroken);
    if (trouble === "tank_empty") this.setSensors(bench, this.sensors("tank", plant), isBroken);
    return this.view(plant);
  }

  private setLeak(bench: Bench, plant: string, isWet: boolean): void {
    const sensors = this.sensors("leak", plant);
    if (sensors.length === 0)
      throw new TendrilError(BENCH_ERRORS.BENCH_FIXED, `no leak sensor of the configuration is for ${plant}`);
    this.setSensors(bench, sensors, isWet);
  }

  private setSensors(bench: Bench, sensors: readonly InputState[], isActive: boolean): void {
    for (const { name } of sensors) bench.setInput(name, isActive);
  }

  private sensors(of: InputKind, plant: string): readonly InputState[] {
    return this.board.inputs().filter(({ kind, plants }) => kind === of && plants.includes(plant));
  }

  private view(plant: string): BenchPlantView {
    const bench = this.simulated();
    const { probe, pump, lamp } = bench.faults(plant);
    const broken: readonly (readonly [BenchTrouble, boolean])[] = [
      ["probe_unplugged", probe === "unplugged"],
      ["probe_stuck", probe === "stuck"],
      ["tube_off", pump === "tube off"],
      ["tank_empty", bench.tank(plant).left === 0],
      ["leak", this.sensors("leak", plant).some(({ active }) => active)],
      ["lamp_dead", lamp === "dead"],
    ];
    return {
      plant,
      moisture_percent: Math.round(bench.moisture(plant) * 10) / 10,
      broken: broken.flatMap(([trouble, isBroken]) => (isBroken ? [trouble] : [])),
    };
  }

  private simulated(): Bench {
    const { bench } = this.board;
    if (!bench)
      throw new TendrilError(BENCH_ERRORS.NOT_SIMULATED, "there is no bench here to look at or break");
    return bench;
  }
}

type Setter = (bench: Bench, plant: string, isBroken: boolean) => void;

const probe =
  (fault: "unplugged" | "stuck"): Setter =>
  (bench, plant, isBroken) => {
    const faults = bench.faults(plant);
    if (isBroken) faults.probe = fault;
    else delete faults.probe;
  };

const SET: Readonly<Record<Exclude<BenchTrouble, "leak">, Setter>> = {
  probe_unplugged: probe("unplugged"),
  probe_stuck: probe("stuck"),
  tube_off: (bench, plant, isBroken) => {
    const faults = bench.faults(plant);
    if (isBroken) faults.pump = "tube off";
    else delete faults.pump;
  },
  // a full one never runs dry
  tank_empty: (bench, plant, isBroken) => {
    bench.tank(plant).left = isBroken ? millilitres(0) : undefined;
  },
  lamp_dead: (bench, plant, isBroken) => {
    const faults = bench.faults(plant);
    if (isBroken) faults.lamp = "dead";
    else delete faults.lamp;
  },
};

const benchControls = definePart(
  "bench controls",
  ({ board, plants }) => new BenchControls(board, plants.ids),
);

const tool = toolFor(benchControls);

const getBench = tool({
  name: "get_bench",
  description:
    "The true soil moisture of simulated plants, beside what their probes say, and what is broken.",
  facts: reads("Look at the bench", { world: "closed" }),
  role: "human",
  input: z.strictObject({}),
  output: benchView,
  run: (_, { service }) => service.all(),
});

const breakBench = tool({
  name: "break_bench",
  description:
    "Break something of a simulated plant, or mend it (broken: false), to see what the runtime does.",
  facts: sets("Break the bench"),
  role: "human",
  perPlant: true,
  input: z.strictObject({ trouble: z.enum(BENCH_TROUBLES), broken: z.boolean().default(true) }),
  output: benchPlant,
  run: async ({ trouble, broken }, { service, plant }) => service.set(plant, trouble, broken),
});

const setBenchSpeed = tool({
  name: "set_bench_speed",
  description: "How fast the time of simulated plants passes: 1 is real time, 60 is an hour a minute.",
  facts: sets("Set the bench's speed"),
  role: "human",
  input: z.strictObject({ speed: z.number().min(1).max(60) }),
  output: z.object({ speed: z.number() }),
  run: ({ speed }, { service }) => service.setSpeed(speed),
});

const cutBenchPower = tool({
  name: "cut_bench_power",
  description:
    "Cut the power of simulated hardware: the runtime ends at once, without an answer, and npm start starts it again.",
  facts: changes("Cut the bench's power", {
    destroys: true,
    repeatable: true,
    speaks: false,
    world: "closed",
  }),
  role: "human",
  input: z.strictObject({}),
  output: z.object({}),
  run: (_, { service }) => {
    service.cutPower();
    return {};
  },
});

/** The truth of simulated plants, and ways to break things, for a person who tries the safety chain. Off by default. */
export const benchModule = defineModule({
  name: "bench",
  canBeOff: false,
  config: benchConfig,
  isNeeded: ({ bench }) => bench.controls,
  toolset: "bench",
  errors: BENCH_ERRORS,
  parts: [benchControls],
  tools: [getBench, breakBench, setBenchSpeed, cutBenchPower],
});
