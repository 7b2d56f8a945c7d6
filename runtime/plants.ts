import type { Board, PlantHardware } from "../drivers/open-board.js";
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

/** A device that a plant may lack on a real board. */
type DeviceName = "pump" | "light" | "camera";

type DevicesOfPlant = Readonly<Record<DeviceName, boolean>>;

/** The name of each, and its key in the configuration. */
const DEVICES: Readonly<Record<DeviceName, { readonly words: string; readonly key: string }>> = {
  pump: { words: "pump", key: "pump.output" },
  light: { words: "grow light", key: "light.output" },
  camera: { words: "camera", key: "camera" },
};

/** One kind of device, for all plants. */
export class PlantDevices<P extends DeviceName> {
  constructor(
    private readonly part: P,
    private readonly board: Pick<Board, "plants">,
    private readonly plants: Pick<Plants, "ids">,
  ) {}

  get(plant: string): PlantHardware[P] | undefined {
    return this.board.plants.get(plant)?.[this.part];
  }

  /** Throws NOT_FITTED. */
  of(plant: string): NonNullable<PlantHardware[P]> {
    const device = this.get(plant);
    if (device) return device;
    const { words, key } = DEVICES[this.part];
    const where = `plants[${this.plants.ids.indexOf(plant)}].${key}`;
    throw new TendrilError("NOT_FITTED", `${plant} has no ${words} (${where})`);
  }
}

export function devicesOf({ plants }: Pick<Board, "plants">, plant: string): DevicesOfPlant {
  const { pump, light, camera } = plants.get(plant) ?? {};
  return { pump: pump !== undefined, light: light !== undefined, camera: camera !== undefined };
}
