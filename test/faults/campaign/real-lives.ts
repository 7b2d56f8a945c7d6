import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Runtime } from "../../../agent-client/link/runtime.js";
import { uniform } from "../../../drivers/bench/math.js";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { hours, millis } from "../../../drivers/units.js";
import { connectTo } from "../../connect-once.js";
import { RuntimeProcess } from "../../process.js";
import { linkFailure } from "../kill-rounds.js";

/** Starts and kills of one state folder. */
const LIVES_IN_A_HOUSE = 10;
/** Houses at the same time: a start takes a processor, doses hardly any. */
const HOUSES_AT_ONCE = 2;
/** ml, so small that a house fills it within its lives. */
const LIMIT = 100;
const PLANTS = ["basil", "fern"] as const;
/** JSON is YAML too. The soil's own limits are other promises: here they would only keep water from flowing. */
const CONFIG = JSON.stringify({
  plants: PLANTS.map((id, channel) => ({ id, probe: { channel }, water: { not_above: "off" } })),
  water: { daily_limit_ml: LIMIT, no_response: { ml: 500 } },
  server: { calls_per_second: 100_000 },
});
/** ml: what the bench rounds. */
const ROUNDING = 0.01;

export interface RealLives {
  readonly lives: number;
  readonly broken: readonly string[];
}

/** Lives with `tendril serve --bench`, each ended by SIGKILL while doses flow, in houses that share nothing. */
export async function realLives(lives: number, seed: number): Promise<RealLives> {
  const houses = Array.from({ length: Math.ceil(lives / LIVES_IN_A_HOUSE) }, (_, n) => n);
  const broken: string[] = [];
  let acknowledged = 0;
  const worker = async () => {
    for (let n = houses.shift(); n !== undefined; n = houses.shift()) {
      const count = Math.min(LIVES_IN_A_HOUSE, lives - n * LIVES_IN_A_HOUSE);
      const house = new RealHouse(seed * 1000 + n);
      broken.push(...(await house.live(count)));
      acknowledged += house.poured;
    }
  };
  await Promise.all(Array.from({ length: HOUSES_AT_ONCE }, worker));
  const poured = `${Math.round(acknowledged)} ml acknowledged in ${Math.ceil(lives / LIVES_IN_A_HOUSE)} houses of ${PLANTS.length} pots, of ${LIMIT} ml each`;
  console.log(`${lives} lives with a real process and SIGKILL: ${poured}, ${broken.length} broken`);
  for (const problem of broken) console.log(`not ok: ${problem}`);
  return { lives, broken };
}

class RealHouse {
  private readonly clock = new SystemClock();
  private readonly acknowledged = new Map<string, number>();
  private drawn = 0;

  constructor(private readonly seed: number) {}

  /** ml of both plants whose callers were told. */
  get poured(): number {
    return [...this.acknowledged.values()].reduce((sum, ml) => sum + ml, 0);
  }

  async live(lives: number): Promise<string[]> {
    const state = await mkdtemp(join(tmpdir(), "tendril-real-lives-"));
    try {
      await writeFile(join(state, "tendril.yaml"), CONFIG);
      for (let life = 0; life < lives; life += 1) {
        await this.workUntilKilled(state);
        await this.betweenLives(state, life === Math.floor(lives / 2));
      }
      return await this.judge(state);
    } finally {
      await rm(state, { recursive: true, force: true });
    }
  }

  /** Both plants get dose after dose until the process is killed. */
  private async workUntilKilled(state: string): Promise<void> {
    const process = await RuntimeProcess.start({ state });
    const links = await Promise.all(PLANTS.map(() => connectTo(process, "human")));
    const working = links.map((link, at) => this.pour(link, PLANTS[at] ?? ""));
    await this.clock.sleep(millis(this.draw() * 900));
    await process.stop("SIGKILL");
    await Promise.all(working);
    for (const link of links) await link.close();
  }

  private async pour(link: Runtime, plant: string): Promise<void> {
    for (;;) {
      const ml = 10 + Math.floor(this.draw() * 16);
      const answer = await link.call("dispense_water", { plant, ml }).catch(linkFailure);
      if (!answer) return;
      const poured = answer.ok ? Number((answer.value as { dispensed?: unknown }).dispensed) : 0;
      this.acknowledged.set(plant, (this.acknowledged.get(plant) ?? 0) + poured);
      if (!answer.ok) await this.clock.sleep(millis(20));
    }
  }

  /** Now and then the database is gone, and once the mains was off for half a day. */
  private async betweenLives(state: string, powerCut: boolean): Promise<void> {
    if (this.draw() < 0.3)
      for (const suffix of ["", "-wal", "-shm"])
        await rm(join(state, `tendril.sqlite${suffix}`), { force: true });
    if (!powerCut) return;
    const file = join(state, "bench.json");
    const bench = JSON.parse(await readFile(file, "utf8")) as { wall: number };
    await writeFile(file, JSON.stringify({ ...bench, wall: bench.wall + hours(12.5) }));
  }

  /** All of it lies within 24 hours: what the pots got, and what was acknowledged, is charged and within the limit. */
  private async judge(state: string): Promise<string[]> {
    const process = await RuntimeProcess.start({ state });
    const link = await connectTo(process, "human");
    const charged = new Map<string, number>();
    for (const plant of PLANTS) {
      const answer = await link.call("get_water_usage_24h", { plant });
      if (!answer.ok) throw new Error(JSON.stringify(answer.error));
      charged.set(plant, Number((answer.value as { used_ml?: unknown }).used_ml));
    }
    await link.close();
    await process.stop();
    const bench = JSON.parse(await readFile(join(state, "bench.json"), "utf8"));
    return PLANTS.flatMap((plant) => {
      const received = Number(bench.plants[plant].plant.received);
      const poured = Math.max(received, this.acknowledged.get(plant) ?? 0);
      const counted = charged.get(plant) ?? 0;
      const where = `real house ${this.seed}, ${plant}: ${poured} ml poured, ${counted} ml charged`;
      return poured > LIMIT + ROUNDING || poured > counted + ROUNDING ? [where] : [];
    });
  }

  private draw(): number {
    return uniform(this.seed, this.drawn++);
  }
}
