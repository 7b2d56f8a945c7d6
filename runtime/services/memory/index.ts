import { rm } from "node:fs/promises";
import { join } from "node:path";
import { household } from "../household/household.js";
import {
  type CalendarEntry,
  defineModule,
  type House,
  idsIn,
  knowledgeOf,
  type PersonalRecord,
  personalIn,
} from "../module.js";
import { ITEM_LOG, type MemoryItem, memoriesErasedSince } from "./item.js";
import { itemTools } from "./item-tools.js";
import { filesOf, MEDIA, MEDIA_ERRORS, mediaConfig, mediaRoute, uploadRoute } from "./media.js";
import { keeperOf, media, memoryItems, memoryParts, profile } from "./parts.js";
import { factsErasedSince, isOpen, PROFILE_ERRORS, PROFILE_LOG } from "./profile.js";
import { profileTools } from "./profile-tools.js";
import { MEMORY_ERRORS } from "./rows.js";
import { ITEM_ERRORS } from "./settle.js";

/** What people and the agent want to know again. */
export const memoryModule = defineModule({
  name: "memory",
  canBeOff: true,
  toolset: "memory",
  config: mediaConfig,
  journals: [
    { definition: ITEM_LOG, revokedSince: memoriesErasedSince },
    { definition: PROFILE_LOG, revokedSince: factsErasedSince },
  ],
  errors: { ...MEMORY_ERRORS, ...ITEM_ERRORS, ...PROFILE_ERRORS, ...MEDIA_ERRORS },
  parts: memoryParts,
  tools: [...itemTools, ...profileTools],
  knowledge: [
    knowledgeOf({
      type: "memory",
      log: ITEM_LOG,
      isFinal: false,
      text: async (record, house) => {
        const { item, tainted = [] } = await house.get(memoryItems).current(record);
        return item?.status === "ACTIVE" ? { ...knowledgeOfItem(item), tainted } : undefined;
      },
      changedElsewhere: (house) => house.get(memoryItems).takeChangedByOthers(),
    }),
    knowledgeOf({
      type: "profile",
      log: PROFILE_LOG,
      isFinal: false,
      text: ({ owner, key, value, updated_at, category, confidence, source, sensitivity }) => {
        if (owner === "") return undefined; // erased
        return {
          ...{ title: key, text: `${key}: ${value}`, owner, at: Date.parse(updated_at) },
          isPrivate: !isOpen({ owner, sensitivity }),
          metadata: { category, confidence, source },
        };
      },
    }),
  ],
  calendar: memoryEntries,
  privateWords: async function* (house) {
    for (const words of await house.get(memoryItems).people()) yield { kind: "person", words };
  },
  routes: (house) => [mediaRoute(house.get(media))],
  uploads: (house) => [uploadRoute(house.get(media), house)],
  person: { find: personalMemories, drop: dropMemories },
  start: (house) => {
    const items = house.get(memoryItems);
    for (const section of ["TASK", "LIST"]) keeperOf(house, section)?.watch(({ key }) => items.follow(key));
    return items.endInterrupted();
  },
  everyHour: (house) => house.get(media).tidy(),
});

function knowledgeOfItem({ id, title, content, tags, people, location, user_id, ...item }: MemoryItem) {
  const beside = [...tags, ...people, ...(location === null ? [] : [location])].join(" ");
  return {
    title,
    text: beside === "" ? content : `${content}\n${beside}`,
    owner: user_id,
    at: Date.parse(item.event_start_at ?? item.created_at),
    metadata: { id, section: item.section, date: item.date_bucket },
  };
}

/** Memories with `event_start_at`, as events in their person's calendar. */
async function* memoryEntries(house: House, sees: (owner: string) => boolean): AsyncGenerator<CalendarEntry> {
  const { zoneOf } = house.get(household);
  for await (const item of house.get(memoryItems).each({ sees, first: undefined }, { status: "ACTIVE" }))
    if (item.event_start_at !== null) yield entryOf(item, item.event_start_at, zoneOf);
}

function entryOf(item: MemoryItem, start: string, zoneOf: (owner: string) => string): CalendarEntry {
  const { id, title, content, location, event_end_at: end, timezone, user_id, completed_at } = item;
  return {
    uid: `memory-${id}@tendril`,
    title,
    description: content,
    location,
    start,
    end,
    zone: timezone ?? zoneOf(user_id),
    maybeAllDay: true,
    recurrence: null,
    done: completed_at !== null,
    created: item.created_at,
    changed: item.updated_at,
  };
}

const personalItems = personalIn(ITEM_LOG, ({ item }) => ({
  owners: [item?.user_id ?? ""],
  names: item ? [item.id] : [],
}));
const personalFacts = personalIn(PROFILE_LOG, ({ owner }) => ({ owners: [owner] }));

async function* personalMemories(house: House): AsyncGenerator<PersonalRecord> {
  yield* personalItems(house);
  yield* personalFacts(house);
}

/** Memories and profile entries that are about to be erased; media that no other memory names go with them. */
async function dropMemories(house: House, records: readonly PersonalRecord[]): Promise<void> {
  const items = idsIn(ITEM_LOG, records);
  await removeMedia(house, new Set(items));
  await house.get(memoryItems).dropRecords(items);
  await house.get(profile).drop(idsIn(PROFILE_LOG, records));
}

async function removeMedia(house: House, ids: ReadonlySet<number>): Promise<void> {
  const [own, others] = [new Set<string>(), new Set<string>()];
  for await (const { id, record } of house.journal(ITEM_LOG).stored())
    for (const file of filesOf(record.item)) (ids.has(id) ? own : others).add(file);
  for (const file of own)
    if (!others.has(file)) await rm(join(house.store.folder, MEDIA, file), { force: true });
}
