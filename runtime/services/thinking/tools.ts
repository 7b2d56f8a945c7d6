import { z } from "zod";
import { TendrilError } from "../../errors.js";
import { isoTime } from "../../tools/iso-time.js";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { historyTool } from "../history-tool.js";
import { keywordInput, logged, pageInput, pageOf, pageOutput, sinceHours } from "../log-input.js";
import { definePart } from "../module.js";
import { THOUGHT_LOG } from "./table.js";

export const thoughts = definePart("thoughts", (house) => house.journal(THOUGHT_LOG));

const candidate = z.strictObject({
  order: z.int().describe("rank among the candidates"),
  action: z.string().min(1).max(200),
  value: z.union([z.number(), z.string(), z.boolean(), z.null()]).optional(),
});

const text = (description: string) => z.string().max(100_000).describe(description);

const thoughtPage = pageOutput("thoughts");

export const logThought = defineTool({
  name: "log_thought",
  service: thoughts,
  description: "Write down what you see, suspect and weigh, for later review and learning.",
  facts: changes("Write down a thought", {
    destroys: false,
    repeatable: false,
    speaks: true,
    world: "closed",
  }),
  inCare: true,
  role: "agent",
  input: z.strictObject({
    observation: text("what was observed about the plant"),
    hypothesis: text("what you think is happening"),
    candidate_actions: z
      .array(candidate)
      .max(100)
      .describe("what could be done: order, action and, where it has one, value"),
    reasoning: text("why you think so"),
    uncertainties: text("what you are not sure of"),
    tags: z.array(z.string().min(1).max(100)).max(50).default([]).describe("for sorting"),
  }),
  output: logged,
  run: async (thought, { service, isoNow, call }) => {
    const timestamp = isoNow();
    await service.append({ timestamp, ...thought, by: call.identity.name });
    return { timestamp, success: true };
  },
});

export const getRecentThoughts = defineTool({
  name: "get_recent_thoughts",
  service: thoughts,
  description: "The last thoughts, oldest of them first.",
  facts: reads("Recent thoughts", { world: "closed" }),
  role: "observer",
  input: pageInput(3),
  output: thoughtPage,
  run: async ({ n, offset }, { service }) => pageOf("thoughts", await service.recent(n, offset)),
});

export const getThoughtsInRange = defineTool({
  name: "get_thoughts_in_range",
  service: thoughts,
  description: "All thoughts from start_time to end_time, both included, oldest first.",
  facts: reads("Thoughts of a time range", { world: "closed" }),
  role: "observer",
  input: z.strictObject({
    start_time: isoTime("first instant"),
    end_time: isoTime("last instant"),
  }),
  output: thoughtPage,
  run: async ({ start_time, end_time }, { service }) => {
    if (start_time > end_time)
      throw new TendrilError("INVALID_ARGUMENT", "get_thoughts_in_range: start_time is after end_time");
    return pageOf("thoughts", await service.range(start_time, end_time));
  },
});

export const searchThoughts = defineTool({
  name: "search_thoughts",
  service: thoughts,
  description:
    "Thoughts of the last hours whose observation, hypothesis or reasoning contains the keyword, in any case.",
  facts: reads("Search thoughts", { world: "closed" }),
  role: "observer",
  input: keywordInput,
  output: thoughtPage,
  run: async ({ keyword, hours }, { service, clock }) =>
    pageOf("thoughts", await service.search(keyword, sinceHours(clock, hours))),
});

export const getThoughtHistory = historyTool({
  name: "get_thought_history_bucketed",
  title: "Thought history",
  service: thoughts,
  description: "Thoughts over time, in buckets: one a bucket, or how many there were.",
  perPlant: false,
});
