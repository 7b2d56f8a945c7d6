import type { Core } from "./core.js";
import { type CameraService, camera } from "./services/camera/service.js";
import type { WireHost } from "./tools/host.js";
import { AGENDA_URI, photoIn, photoUri } from "./wire/names.js";
import { VERSION } from "./wire/version.js";

/** So many of the newest photos of each plant are listed as resources. */
const LISTED_PHOTOS = 20;
/** What calls for care: due tasks, unread messages, calls that wait for a yes, holds and faults, as JSON. */
const AGENDA = { uri: AGENDA_URI, name: "agenda", mimeType: "application/json" };

/** What the server shows of the runtime. */
export function wireHost({ registry, house, meter, stops }: Core): WireHost {
  const photos = house.get(camera);
  const { ids } = house.plants;
  return {
    meter,
    stopsBefore: () => stops.beforeThisTurn,
    isUrgent: (tool) => registry.isUrgent(tool),
    listTools: (identity, toolsets) => registry.list(identity, toolsets),
    callTool: (request) => registry.callOrAsk(request),
    listResources: async () => [
      AGENDA,
      ...(await Promise.all(ids.map((plant) => photosOf(photos, plant)))).flat(),
    ],
    watchResources: (changed) => house.watchAgenda(() => changed(AGENDA.uri)),
    readResource: async (uri) => {
      if (uri === AGENDA.uri)
        return { mimeType: AGENDA.mimeType, text: JSON.stringify(await house.agenda()) };
      const photo = photoIn(uri);
      const jpeg = photo && (await photos.forAnswer(photo));
      return jpeg && { mimeType: "image/jpeg", blob: Buffer.from(jpeg).toString("base64") };
    },
    photo: (path, query) => photos.open(path, query),
    switchEverythingOff: (by) => house.stopEverything(by),
    health: () => ({ status: "ok", version: VERSION }),
  };
}

async function photosOf(camera: CameraService, plant: string) {
  const kept = (await camera.recent(plant, LISTED_PHOTOS, 0)).filter((photo) => photo.url !== null);
  return kept.map(({ timestamp }) => ({
    uri: photoUri(plant, timestamp),
    name: `${plant} at ${timestamp}`,
    mimeType: "image/jpeg",
  }));
}
