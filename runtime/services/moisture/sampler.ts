import type { Log } from "../../log.js";
import type { ResponseWatch } from "../water/response-watch.js";
import type { MoistureService } from "./service.js";

/**
 * Reads every probe once and looks whether the last water has arrived. History exists without any agent; a probe
 * at fault is logged when it fails and when it is back, not every minute in between.
 */
export class Sampler {
  private readonly failing = new Set<string>();

  constructor(
    private readonly plants: readonly string[],
    private readonly moisture: MoistureService,
    private readonly watch: ResponseWatch,
    private readonly log: Log,
  ) {}

  async sample(): Promise<void> {
    await Promise.all(this.plants.map((plant) => this.one(plant)));
  }

  private async one(plant: string): Promise<void> {
    try {
      await this.moisture.read(plant);
      if (this.failing.delete(plant)) this.log("info", "probe is back", { plant });
      await this.watch.look(plant);
    } catch (error) {
      const first = !this.failing.has(plant);
      this.failing.add(plant);
      if (first)
        this.log("warn", "sampling failed", {
          plant,
          error: error instanceof Error ? error.message : String(error),
        });
    }
  }
}
