import { defineModule, idsIn } from "../module.js";
import { ItemKeeper } from "./keeper.js";
import { LIST_LOG, personalRows } from "./list-log.js";
import { LIST_ERRORS, lists } from "./lists.js";
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
  keeps: { sections: ["LIST"], keeper: (house) => new ItemKeeper(house.get(lists)) },
  person: {
    find: (house) => personalRows(house.journal(LIST_LOG)),
    drop: (house, records) => house.get(lists).drop(idsIn(LIST_LOG, records)),
  },
});
