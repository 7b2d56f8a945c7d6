import type { PlantConfig } from "./config/schema.js";
import { excerpt, TendrilError } from "./errors.js";

/** The configured plants. A call that names no plant means the first. */
export class Plants {
  readonly ids: readonly string[];

  constructor(readonly all: readonly PlantConfig[]) {
    this.ids = all.map((plant) => plant.id);
  }

  get several(): boolean {
    return this.all.length > 1;
  }

  /** The id for an id or a name, in upper or lower case. Throws UNKNOWN_PLANT. */
  resolve(named: string | undefined): string {
    if (named === undefined) return this.first;
    const wanted = named.trim().toLowerCase();
    const found = this.all.find((plant) => plant.id === wanted || plant.name?.toLowerCase() === wanted);
    if (found) return found.id;
    const what = `there is no plant "${excerpt(named)}", only ${this.ids.join(", ")}`;
    throw new TendrilError("UNKNOWN_PLANT", what, { details: { plants: this.ids } });
  }

  /** What people call the plant; of a plant that is no longer configured, its id. */
  nameOf(id: string): string {
    return this.all.find((plant) => plant.id === id)?.name ?? id;
  }

  private get first(): string {
    const [first] = this.ids;
    if (first === undefined) throw new TendrilError("INTERNAL", "no plant is configured");
    return first;
  }
}
