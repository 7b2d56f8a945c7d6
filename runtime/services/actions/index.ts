import { z } from "zod";
import { asWritten } from "../../store/records.js";
import { atMostBytes, jsonObject } from "../../tools/parameters.js";
import { type Tainted, taintOf } from "../../tools/taint.js";
import { defineTool, tells } from "../../tools/tool.js";
import { ACTION_TYPES, type Action } from "../../wire/records.js";
import { HOUSEHOLD } from "../household/household.js";
import { done, historyTool, pageInput, recordsTool, searchTool } from "../log-tools.js";
import { defineModule, definePart, knowledgeOf } from "../module.js";

/** A choice: five actions, a page by default, are a third of an answer. */
const LARGEST_DETAILS = 65_536;

type ActionRecord = Action & Tainted;

export const ACTION_LOG = {
  name: "actions",
  fold: asWritten<ActionRecord>,
  searchText: ({ type, details }: Action) => `${type}\n${JSON.stringify(details)}`,
};

const actions = definePart("actions", (house) => house.journal(ACTION_LOG));

const logAction = defineTool({
  name: "log_action",
  service: actions,
  description: "Write down what was done and in what circumstances, for review.",
  facts: tells("Write down an action"),
  inCare: true,
  role: "agent",
  input: z.strictObject({
    type: z.enum(ACTION_TYPES),
    details: atMostBytes(LARGEST_DETAILS, jsonObject("any JSON object, up to 64 kB")),
  }),
  output: done,
  run: async ({ type, details }, { service, isoNow, call }) => {
    const timestamp = isoNow();
    await service.append({ timestamp, type, details, by: call.identity.name, ...taintOf(call) });
    return { timestamp, success: true };
  },
});

const getRecentActions = recordsTool({
  name: "get_recent_actions",
  title: "Recent actions",
  service: actions,
  description: "The last actions, oldest of them first.",
  key: "actions",
  input: pageInput(5),
  find: ({ n, offset }, { service }) => service.recent(n, offset),
});

const searchActions = searchTool({
  name: "search_actions",
  title: "Search actions",
  service: actions,
  description: "Actions of the last hours whose type or details contain the keyword, in any case.",
  key: "actions",
});

const getActionHistory = historyTool({
  name: "get_action_history_bucketed",
  title: "Action history",
  service: actions,
  description:
    "Actions over time, in buckets. For the number of actions a day of the last month: hours 720, samples_per_hour 0.042, aggregation count.",
  perPlant: false,
});

/** What an agent wrote down about an action, for people who read what the house knows: "plant: Basil, ml: 15". */
export const detailsInWords = (details: object): string => leavesOf(details).join(", ");

function leavesOf(value: unknown, name = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => leavesOf(each, name));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, each]) => leavesOf(each, key));
  if (value === null || isLink(value)) return [];
  const words = String(value);
  return [name === "" ? words : `${name.replaceAll("_", " ")}: ${words}`];
}

/** Of a photo, for example: it is signed, and ends after some time. */
const isLink = (value: unknown): boolean => typeof value === "string" && /^https?:\/\//.test(value);

/** A log of what was done, and in what circumstances. */
export const actionsModule = defineModule({
  name: "actions",
  canBeOff: false,
  toolset: "plants",
  journals: [{ definition: ACTION_LOG }],
  parts: [actions],
  knowledge: [
    knowledgeOf({
      type: "action",
      log: ACTION_LOG,
      isFinal: true,
      text: ({ timestamp, type, details, by }) => ({
        title: type,
        text: detailsInWords(details),
        owner: HOUSEHOLD,
        at: Date.parse(timestamp),
        metadata: { by },
      }),
    }),
  ],
  tools: [logAction, getRecentActions, searchActions, getActionHistory],
});
