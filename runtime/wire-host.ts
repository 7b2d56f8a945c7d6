import type { Core } from "./core.js";
import type { WireHost } from "./server/host.js";
import { VERSION } from "./server/version.js";
import type { Services } from "./services/services.js";

/** Photos as MCP resources: tendril://photos/PLANT/TIMESTAMP.jpg */
const PHOTO = /^tendril:\/\/photos\/([a-z0-9_-]+)\/([\d:.TZ-]+)\.jpg$/;
/** So many of the newest photos of each plant are listed as resources. */
const LISTED_PHOTOS = 20;
/** What calls for care: due tasks, unread messages, calls that wait for a yes, holds and faults, as JSON. */
const AGENDA = { uri: "tendril://agenda", name: "agenda", mimeType: "application/json" };

/** What the server shows of the runtime. */
export const wireHost = ({ registry, services, meter, stops }: Core): WireHost => ({
  meter,
  stopsBefore: () => stops.beforeThisTurn,
  isUrgent: (tool) => registry.isUrgent(tool),
  listTools: (identity) => registry.list(identity),
  callTool: (request) => registry.callOrAsk(request),
  listResources: async () => [
    AGENDA,
    ...(await Promise.all(services.plants.ids.map((plant) => photosOf(services, plant)))).flat(),
  ],
  watchResources: (changed) => services.agenda.watch(() => changed(AGENDA.uri)),
  readResource: async (uri) => {
    if (uri === AGENDA.uri)
      return { mimeType: AGENDA.mimeType, text: JSON.stringify(await services.agenda.view()) };
    const [, plant, timestamp] = PHOTO.exec(uri) ?? [];
    const jpeg = plant && timestamp ? await services.camera.forAnswer({ plant, timestamp }) : undefined;
    return jpeg && { mimeType: "image/jpeg", blob: Buffer.from(jpeg).toString("base64") };
  },
  photo: (path, query) => services.camera.open(path, query),
  switchEverythingOff: (by) => services.stopEverything(by),
  health: () => ({ status: "ok", version: VERSION }),
});

async function photosOf({ camera }: Services, plant: string) {
  const kept = (await camera.recent(plant, LISTED_PHOTOS, 0)).filter((photo) => photo.url !== null);
  return kept.map(({ timestamp }) => ({
    uri: `tendril://photos/${plant}/${timestamp}.jpg`,
    name: `${plant} at ${timestamp}`,
    mimeType: "image/jpeg",
  }));
}
