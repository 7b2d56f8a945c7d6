import type { PlantHardwareConfig } from "../board.js";
import { commandFor } from "../cameras/camera-command.js";
import { type CameraCommand, type CameraWiring, deviceOf } from "../cameras/camera-wiring.js";
import { CommandCamera } from "../cameras/command-camera.js";
import { Camera } from "../devices/camera.js";
import type { Clock } from "../ports.js";
import { Turns } from "../turns.js";

/** The cameras by plant; a plant without one is absent. Plants may share a device, and then take turns at it. Starts nothing yet. */
export function openCameras(
  plants: readonly PlantHardwareConfig[],
  clock: Clock,
  command: (wiring: CameraWiring) => CameraCommand = commandFor,
): Map<string, Camera> {
  const turns = new Map<string, Turns>();
  const cameras = new Map<string, Camera>();
  for (const { id, camera } of plants) {
    if (!camera) continue;
    const device = deviceOf(camera);
    const own = turns.get(device) ?? new Turns();
    turns.set(device, own);
    const source = new CommandCamera(command(camera), { clock, patience: camera.patience, turns: own });
    cameras.set(id, new Camera(source));
  }
  return cameras;
}
