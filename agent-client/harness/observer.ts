import type { Edge } from "../../drivers/bench/bench-relay.js";
import { isoUtc } from "../../runtime/tools/iso-time.js";
import type { PlantResult } from "./result.js";
import { tenth } from "./tenth.js";
import type { PlantSetup, World } from "./world.js";

type Hourly = { -readonly [K in keyof PlantResult["hourly"]]: PlantResult["hourly"][K][number][] };

interface Observed {
  readonly hourly: Hourly;
  readonly light: { from: string; to: string }[];
  seen: number;
  litSince: string | undefined;
}

/** Looks at every plant once an hour, and knows the truth. */
export class Observer {
  private readonly plants: ReadonlyMap<string, Observed>;

  constructor(
    private readonly world: World,
    setup: readonly PlantSetup[],
  ) {
    this.plants = new Map(setup.map(({ id }) => [id, nothingYet()]));
  }

  async look(): Promise<void> {
    for (const [id, observed] of this.plants) await this.lookAt(id, observed.hourly);
    this.collectLight();
  }

  /** Each plant as it was last seen. */
  latest(): readonly { id: string; hydration: number; vigour: number }[] {
    return [...this.plants].map(([id, { hourly }]) => {
      return { id, hydration: hourly.hydration.at(-1) ?? 0, vigour: hourly.vigour.at(-1) ?? 0 };
    });
  }

  of(id: string): Pick<PlantResult, "hourly" | "light"> {
    const observed = this.plants.get(id);
    if (!observed) throw new Error(`${id} was never looked at`);
    const open =
      observed.litSince === undefined ? [] : [{ from: observed.litSince, to: isoUtc(this.world.now()) }];
    return { hourly: observed.hourly, light: [...observed.light, ...open] };
  }

  /** Lamps go off with the power, and a new boot knows nothing of what they did before. */
  powerGoes(): void {
    this.collectLight();
    for (const observed of this.plants.values()) goesOut(observed, isoUtc(this.world.now()));
  }

  /** Takes over the edges of the lamps. */
  private collectLight(): void {
    const booted = this.world.now() - this.world.clock.monotonic();
    for (const [id, observed] of this.plants) {
      const edges = this.world.bench.lightEdges(id);
      for (const edge of edges.slice(edges.findLastIndex(({ at }) => at + booted <= observed.seen) + 1))
        this.take(edge, booted, observed);
    }
  }

  private take({ level, at }: Edge, booted: number, observed: Observed): void {
    const instant = booted + at;
    observed.seen = instant;
    if (level === 1) observed.litSince = isoUtc(instant);
    else goesOut(observed, isoUtc(instant));
  }

  private async lookAt(id: string, hourly: Hourly): Promise<void> {
    const { bench, core } = this.world;
    const now = this.world.now();
    const truth = bench.truth(id);
    const air = bench.room.at(now);
    const probe = core.board.plants.get(id)?.probe;
    const reading = await probe?.read().then(
      ({ percent }) => percent,
      () => null, // a probe at fault, which is what is to be seen here
    );
    hourly.at.push(isoUtc(now));
    hourly.moisture.push(tenth(bench.moisture(id)));
    hourly.reading.push(reading ?? null);
    hourly.hydration.push(tenth(truth.hydration));
    hourly.health.push(tenth(truth.health));
    hourly.vigour.push(tenth(truth.vigour));
    hourly.temperature.push(tenth(air.temperature));
    hourly.daylight.push(tenth(air.daylight));
  }
}

function goesOut(observed: Observed, to: string): void {
  if (observed.litSince === undefined) return;
  observed.light.push({ from: observed.litSince, to });
  observed.litSince = undefined;
}

const nothingYet = (): Observed => ({
  hourly: {
    at: [],
    moisture: [],
    reading: [],
    hydration: [],
    health: [],
    vigour: [],
    temperature: [],
    daylight: [],
  },
  light: [],
  seen: Number.NEGATIVE_INFINITY,
  litSince: undefined,
});
