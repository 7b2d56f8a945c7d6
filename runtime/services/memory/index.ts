import { HOUSEHOLD } from "../household/household.js";
import { defineModule, knowledgeOf } from "../module.js";
import { memoryEntries } from "./calendar.js";
import type { MemoryItem } from "./item.js";
import { ITEM_LOG } from "./item-log.js";
import {
  deleteMemory,
  eraseMemory,
  getMediaLinks,
  saveMemory,
  searchMemories,
  updateMemory,
} from "./item-tools.js";
import { MEDIA_ERRORS, mediaConfig } from "./media.js";
import { mediaRoute, uploadRoute } from "./media-routes.js";
import { MEMORY_ERRORS, MEMORY_LOG } from "./memories.js";
import { media, memoryItems, memoryParts } from "./parts.js";
import { dropMemories, personalMemories } from "./person.js";
import { isOpen, PROFILE_ERRORS, PROFILE_LOG } from "./profile.js";
import { forgetProfileEntry, getUserProfile, recallUserContext, updateUserProfile } from "./profile-tools.js";
import { listRecalls } from "./recall-tools.js";
import { ITEM_ERRORS } from "./settle.js";
import { listTags, renameTag } from "./tags.js";
import { addMemory, forgetMemory, listMemories } from "./tools.js";

/** What people and the agent want to know again. */
export const memoryModule = defineModule({
  name: "memory",
  canBeOff: true,
  toolset: "memory",
  config: mediaConfig,
  journals: [{ definition: MEMORY_LOG }, { definition: ITEM_LOG }, { definition: PROFILE_LOG }],
  errors: { ...MEMORY_ERRORS, ...ITEM_ERRORS, ...PROFILE_ERRORS, ...MEDIA_ERRORS },
  parts: memoryParts,
  tools: [
    ...[addMemory, listMemories, forgetMemory],
    ...[saveMemory, searchMemories, updateMemory, deleteMemory, eraseMemory, getMediaLinks],
    ...[listTags, renameTag],
    ...[getUserProfile, updateUserProfile, forgetProfileEntry, recallUserContext, listRecalls],
  ],
  knowledge: [
    knowledgeOf({
      type: "memory",
      log: MEMORY_LOG,
      isFinal: false,
      text: ({ text, timestamp, by, forgotten_at }) =>
        forgotten_at === null
          ? { title: "", text, owner: HOUSEHOLD, at: Date.parse(timestamp), metadata: { by } }
          : undefined,
    }),
    knowledgeOf({
      type: "memory",
      log: ITEM_LOG,
      isFinal: false,
      replaces: ({ memory }) => (memory === null ? undefined : { log: MEMORY_LOG.name, id: memory }),
      text: ({ item }) => (item?.status === "ACTIVE" ? knowledgeOfItem(item) : undefined),
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
    for (const section of ["TASK", "LIST"]) house.keeperOf(section)?.watch(({ key }) => items.follow(key));
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
