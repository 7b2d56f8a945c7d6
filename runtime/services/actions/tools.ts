import { z } from "zod";
import { jsonObject } from "../../tools/json-object.js";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { historyTool } from "../history-tool.js";
import { keywordInput, logged, pageInput, pageOf, pageOutput, sinceHours } from "../log-input.js";
import { definePart } from "../module.js";
import { ACTION_LOG, ACTION_TYPES } from "./table.js";

export const actions = definePart("actions", (house) => house.journal(ACTION_LOG));

const actionPage = pageOutput("actions");

export const logAction = defineTool({
  name: "log_action",
  service: actions,
  description: "Write down what was done and in what circumstances, for review.",
  facts: changes("Write down an action", {
    destroys: false,
    repeatable: false,
    speaks: true,
    world: "closed",
  }),
  inCare: true,
  role: "agent",
  input: z.strictObject({
    type: z.enum(ACTION_TYPES),
    details: jsonObject("any JSON object"),
  }),
  output: logged,
  run: async ({ type, details }, { service, isoNow, call }) => {
    const timestamp = isoNow();
    await service.append({ timestamp, type, details, by: call.identity.name });
    return { timestamp, success: true };
  },
});

export const getRecentActions = defineTool({
  name: "get_recent_actions",
  service: actions,
  description: "The last actions, oldest of them first.",
  facts: reads("Recent actions", { world: "closed" }),
  role: "observer",
  input: pageInput(5),
  output: actionPage,
  run: async ({ n, offset }, { service }) => pageOf("actions", await service.recent(n, offset)),
});

export const searchActions = defineTool({
  name: "search_actions",
  service: actions,
  description: "Actions of the last hours whose type or details contain the keyword, in any case.",
  facts: reads("Search actions", { world: "closed" }),
  role: "observer",
  input: keywordInput,
  output: actionPage,
  run: async ({ keyword, hours }, { service, clock }) =>
    pageOf("actions", await service.search(keyword, sinceHours(clock, hours))),
});

export const getActionHistory = historyTool({
  name: "get_action_history_bucketed",
  title: "Action history",
  service: actions,
  description:
    "Actions over time, in buckets. For the number of actions a day of the last month: hours 720, samples_per_hour 0.042, aggregation count.",
  perPlant: false,
});
