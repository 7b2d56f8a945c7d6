import { defineModule } from "../module.js";
import { memoryEntries } from "./calendar.js";
import { ITEM_LOG } from "./item-log.js";
import { deleteMemory, eraseMemory, saveMemory, searchMemories, updateMemory } from "./item-tools.js";
import { MEMORY_ERRORS, MEMORY_LOG } from "./memories.js";
import { memoryItems, memoryParts } from "./parts.js";
import { dropMemories, personalMemories } from "./person.js";
import { PROFILE_ERRORS, PROFILE_LOG } from "./profile.js";
import { getUserProfile, recallUserContext, updateUserProfile } from "./profile-tools.js";
import { ITEM_ERRORS } from "./settle.js";
import { listTags, renameTag } from "./tags.js";
import { addMemory, forgetMemory, listMemories } from "./tools.js";

/** What people and the agent want to know again. */
export const memoryModule = defineModule({
  name: "memory",
  canBeOff: true,
  toolset: "memory",
  journals: [{ definition: MEMORY_LOG }, { definition: ITEM_LOG }, { definition: PROFILE_LOG }],
  errors: { ...MEMORY_ERRORS, ...ITEM_ERRORS, ...PROFILE_ERRORS },
  parts: memoryParts,
  tools: [
    ...[addMemory, listMemories, forgetMemory],
    ...[saveMemory, searchMemories, updateMemory, deleteMemory, eraseMemory],
    ...[listTags, renameTag],
    ...[getUserProfile, updateUserProfile, recallUserContext],
  ],
  calendar: memoryEntries,
  person: { find: personalMemories, drop: dropMemories },
  start: (house) => {
    const items = house.get(memoryItems);
    for (const section of ["TASK", "LIST"]) house.keeperOf(section)?.watch(({ key }) => items.follow(key));
    return items.endErasures();
  },
});
