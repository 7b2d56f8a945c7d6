import { defineModule, idsIn, knowledgeOf } from "../module.js";
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
  knowledge: [
    knowledgeOf({
      type: "list",
      log: LIST_LOG,
      isFinal: false,
      changesOthers: (row) => "list" in row,
      text: (row, house) => {
        if (row.gone || !("item" in row)) return undefined;
        const title = house.get(lists).nameOf(row.in);
        if (title === undefined) return undefined;
        const metadata = { item_id: row.item, list_id: row.in, completed: row.completed_at !== null };
        return { title, text: row.text, owner: row.owner, at: Date.parse(row.timestamp), metadata };
      },
    }),
  ],
  tools: [listTool],
  keeps: { sections: ["LIST"], keeper: (house) => new ItemKeeper(house.get(lists)) },
  person: {
    find: (house) => personalRows(house.journal(LIST_LOG)),
    drop: (house, records) => house.get(lists).drop(idsIn(LIST_LOG, records)),
  },
});
