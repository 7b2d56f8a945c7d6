import { definePart } from "../module.js";
import { SamplingLog } from "../sampling.js";
import { responseWatch } from "../water/response-watch.js";
import type { MoistureService } from "./service.js";
import { moisture } from "./service.js";
import { soilWatch } from "./soil-watch.js";

/** Draws a consequence of what was read. */
interface Watch {
  look(plant: string): Promise<void>;
}

/**
 * Reads every probe once and lets each watch look: whether the last water has arrived, whether the soil stays wet. History
 * exists without any agent.
 */
export class Sampler {
  constructor(
    private readonly plants: readonly string[],
    private readonly moisture: MoistureService,
    private readonly watches: readonly Watch[],
    private readonly log: SamplingLog,
  ) {}

  async sample(): Promise<void> {
    await Promise.all(this.plants.map((plant) => this.log.attempt(plant, () => this.one(plant))));
  }

  private async one(plant: string): Promise<void> {
    await this.moisture.read(plant);
    for (const watch of this.watches) await watch.look(plant);
  }
}

export const sampler = definePart("sampler", async (house) => {
  const watches = [await house.use(responseWatch), await house.use(soilWatch)];
  const log = new SamplingLog("plant", house.log);
  return new Sampler(house.plants.ids, await house.use(moisture), watches, log);
});
