import type { Board, PlantHardware } from "../../drivers/open-board.js";
import { TendrilError } from "../errors.js";
import type { Plants } from "../plants.js";

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
