import { openCameras } from "../../../drivers/cameras/command-camera.js";
import { boardConfig } from "../../config/board.js";
import type { Config } from "../../configuration.js";
import { type Check, type Finding, ok, skipped, warning } from "../check.js";
import type { Patient } from "../patient.js";

export function cameraChecks(patient: Patient): Check[] {
  const { config } = patient;
  if (config?.board !== "pi") return [{ name: "cameras", run: () => skipped("simulated on the bench") }];
  const seen = config.plants.filter(({ camera }) => camera !== undefined);
  if (seen.length === 0) return [{ name: "cameras", run: () => skipped("none is configured") }];
  return seen.map(({ id }) => ({ name: `camera ${id}`, run: () => picture(patient, config, id) }));
}

/** One picture by the genuine driver, looked at and thrown away. */
function picture({ clock, isHere, alone }: Patient, config: Config, id: string): Promise<Finding> | Finding {
  if (!isHere) return skipped("another computer's");
  return alone(async () => {
    const photo = await openCameras(boardConfig(config).plants, clock).get(id)?.capture();
    if (!photo) return skipped("not configured");
    const found = `${photo.width}×${photo.height}, ${Math.round(photo.jpeg.length / 1000)} kB, luminance ${photo.luminance}`;
    return photo.dark
      ? warning(`${found}: too dark to judge a plant by`, "make light, and look that nothing covers the lens")
      : ok(found);
  });
}
