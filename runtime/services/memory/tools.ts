import { z } from "zod";
import { shortText } from "../../tools/parameters.js";
import { sourcesIn, taintOf } from "../../tools/taint.js";
import { changes, defineTool, reads, untrustedIf } from "../../tools/tool.js";
import { memoryList } from "../../wire/agenda.js";
import { done, pageInput } from "../log-tools.js";
import { memoryItems } from "./parts.js";

/** A choice: some 500 tokens; what is longer is a note. */
const LONGEST_MEMORY = 2000;

export const addMemory = defineTool({
  name: "add_memory",
  service: memoryItems,
  description:
    "Remember one thing for good: the prompts of later cycles show it. The same text is not kept twice. What changes from cycle to cycle belongs into the notes.",
  facts: changes("Remember something", { destroys: false, repeatable: true, speaks: true, world: "closed" }),
  inCare: true,
  role: "agent",
  input: z.strictObject({ text: shortText(LONGEST_MEMORY, "what to remember") }),
  output: z.object({
    timestamp: z.string(),
    id: z.int(),
    known: z.boolean().describe("it was remembered already"),
  }),
  run: async ({ text }, { service, isoNow, call }) => {
    const { memory: kept, known } = await service.add(text, { by: call.identity.name, ...taintOf(call) });
    return { timestamp: isoNow(), id: kept.id, known };
  },
});

export const listMemories = defineTool({
  name: "list_memories",
  service: memoryItems,
  description: "What is remembered, the newest last.",
  facts: reads("List memories", { world: "closed" }),
  role: "observer",
  input: pageInput(20),
  output: memoryList,
  run: async ({ n, offset }, { service }) => {
    const { count, memories } = await service.remembered(n, offset);
    const shown = memories.map(({ id, record: { timestamp, text, by } }) => ({ id, timestamp, text, by }));
    return untrustedIf(sourcesIn(memories.map(({ record }) => record)), { count, memories: shown });
  },
});

export const forgetMemory = defineTool({
  name: "forget_memory",
  service: memoryItems,
  description: "Take back something that the agent remembers: it is shown no more. The journal keeps it.",
  facts: changes("Forget a memory", { destroys: true, repeatable: false, speaks: false, world: "closed" }),
  role: "human",
  input: z.strictObject({ id: z.int().min(1).describe("`id` of list_memories") }),
  output: done,
  run: async ({ id }, { service, isoNow, call }) => {
    await service.forget(id, call.identity.name);
    return { timestamp: isoNow(), success: true };
  },
});
