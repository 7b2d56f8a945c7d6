import { DriverError } from "../../../drivers/errors.js";
import { errorBody } from "../../errors.js";
import type { Log } from "../../log.js";
import { definePart } from "../module.js";
import { responseWatch } from "../water/response-watch.js";
import type { MoistureService } from "./service.js";
import { moisture } from "./service.js";
import { soilWatch } from "./soil-watch.js";

/** Draws a consequence of what was read. */
interface Watch {
  look(plant: string): Promise<void>;
}

/**
 * Reads every probe once and lets each watch look: whether the last water has arrived, whether the soil stays wet. History exists without any agent; a probe
 * at fault is logged when it fails and when it is back, not every minute in between.
 */
export class Sampler {
  /** By plant: the code of what fails now. */
  private readonly failing = new Map<string, string>();

  constructor(
    private readonly plants: readonly string[],
    private readonly moisture: MoistureService,
    private readonly watches: readonly Watch[],
    private readonly log: Log,
  ) {}

  async sample(): Promise<void> {
    await Promise.all(this.plants.map((plant) => this.one(plant)));
  }

  private async one(plant: string): Promise<void> {
    try {
      await this.moisture.read(plant);
      for (const watch of this.watches) await watch.look(plant);
      if (this.failing.delete(plant)) this.log("info", "sampling works again", { plant });
    } catch (error) {
      const { code } = errorBody(error);
      const { message } = errorBody(sourceOf(error));
      if (this.failing.get(plant) !== code) this.log("warn", "sampling failed", { plant, error: message });
      this.failing.set(plant, code);
    }
  }
}

/** Nobody has called: what the hardware says, and what to do about that, is of more use than what a caller is told. */
const sourceOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof DriverError ? error.cause : error;

export const sampler = definePart("sampler", async (house) => {
  const watches = [await house.use(responseWatch), await house.use(soilWatch)];
  return new Sampler(house.plants.ids, await house.use(moisture), watches, house.log);
});
