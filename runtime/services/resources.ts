import type { ResourceSource } from "../tools/host.js";
import { AGENDA_URI } from "../wire/names.js";
import type { House } from "./module.js";

/** What calls for care: due tasks, unread messages, calls that wait for a yes, holds and faults, as JSON. */
const AGENDA = { uri: AGENDA_URI, name: "agenda", mimeType: "application/json" };

export const agendaResource = (house: Pick<House, "agenda" | "watchAgenda">): ResourceSource => ({
  list: () => [AGENDA],
  read: async (uri) =>
    uri === AGENDA.uri
      ? { mimeType: AGENDA.mimeType, text: JSON.stringify(await house.agenda()) }
      : undefined,
  watch: (changed) => house.watchAgenda(() => changed(AGENDA.uri)),
});

/** Several sources as one. A resource is read from the first that has it. */
export const allOf = (sources: readonly ResourceSource[]): Required<ResourceSource> => ({
  list: async () => (await Promise.all(sources.map((source) => source.list()))).flat(),
  read: async (uri) => {
    for (const source of sources) {
      const content = await source.read(uri);
      if (content) return content;
    }
    return undefined;
  },
  watch: (changed) => {
    const cancels = sources.flatMap((source) => source.watch?.(changed) ?? []);
    return () => {
      for (const cancel of cancels) cancel();
    };
  },
});
