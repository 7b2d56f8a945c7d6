import { z } from "zod";
import { jsonObject } from "../../tools/json-object.js";
import { defineTool } from "../define-tool.js";
import { historyTool } from "../history-tool.js";
import { keywordInput, logged, pageInput, pageOf, pageOutput, sinceHours } from "../log-input.js";
import { ACTION_TYPES } from "./table.js";

const actionPage = pageOutput("actions");

export const logAction = defineTool({
  name: "log_action",
  description: "Write down what was done and in what circumstances, for review.",
  annotations: { destructiveHint: false, idempotentHint: false },
  role: "agent",
  input: z.strictObject({
    type: z.enum(ACTION_TYPES),
    details: jsonObject("any JSON object"),
  }),
  output: logged,
  run: async ({ type, details }, { services, call }) => {
    const timestamp = services.timestamp();
    await services.actions.append({ timestamp, type, details, by: call.identity.name });
    return { timestamp, success: true };
  },
});

export const getRecentActions = defineTool({
  name: "get_recent_actions",
  description: "The last actions, oldest of them first.",
  annotations: { readOnlyHint: true },
  role: "observer",
  input: pageInput(5),
  output: actionPage,
  run: async ({ n, offset }, { services }) => pageOf("actions", await services.actions.recent(n, offset)),
});

export const searchActions = defineTool({
  name: "search_actions",
  description: "Actions of the last hours whose type or details contain the keyword, in any case.",
  annotations: { readOnlyHint: true },
  role: "observer",
  input: keywordInput,
  output: actionPage,
  run: async ({ keyword, hours }, { services }) =>
    pageOf("actions", await services.actions.search(keyword, sinceHours(services.clock, hours))),
});

export const getActionHistory = historyTool({
  name: "get_action_history_bucketed",
  description:
    "Actions over time, in buckets. For the number of actions a day of the last month: hours 720, samples_per_hour 0.042, aggregation count.",
  perPlant: false,
  of: (services) => services.actions,
});
