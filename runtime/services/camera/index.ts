import { defineModule } from "../module.js";
import { photoResources, photoRoute } from "./served-photos.js";
import { camera, cameraConfig } from "./service.js";
import { capturePhoto, getCameraHistory, getRecentPhotos } from "./tools.js";

/** Photos of the plants. */
export const cameraModule = defineModule({
  name: "camera",
  canBeOff: false,
  toolset: "plants",
  config: cameraConfig,
  parts: [camera],
  tools: [capturePhoto, getRecentPhotos, getCameraHistory],
  routes: (house) => [photoRoute(house.get(camera))],
  resources: (house) => photoResources(house.get(camera), house.plants.ids),
});
