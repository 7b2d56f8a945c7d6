import { defineModule, idsIn } from "../module.js";
import { LIST_ERRORS, LIST_LOG, lists, personalRows } from "./lists.js";
import { listService, listTool } from "./tool.js";

/** Lists of a person or of the household: shopping, packing, what to do before the holidays. */
export const listsModule = defineModule({
  name: "lists",
  canBeOff: true,
  toolset: "planner",
  journals: [{ definition: LIST_LOG }],
  errors: LIST_ERRORS,
  parts: [lists, listService],
  tools: [listTool],
  person: {
    find: (house) => personalRows(house.journal(LIST_LOG)),
    drop: (house, records) => house.get(lists).drop(idsIn(LIST_LOG, records)),
  },
});
