import { defineModule } from "../module.js";
import { MEMORY_ERRORS, MEMORY_LOG, memories } from "./memories.js";
import { addMemory, forgetMemory, listMemories } from "./tools.js";

/** What the agent wants to know again next time. */
export const memoryModule = defineModule({
  name: "memory",
  canBeOff: true,
  toolset: "memory",
  journals: [{ definition: MEMORY_LOG }],
  errors: MEMORY_ERRORS,
  parts: [memories],
  tools: [addMemory, listMemories, forgetMemory],
});
