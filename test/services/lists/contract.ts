import type { FamilyContract } from "../contract.js";

const WHO = { user_id: "ana", chat_id: "phone" };

/** From seeds/004, ListTool, and CONTRACT-2. */
export const contract: FamilyContract = {
  toolset: "planner",
  tools: {
    "list_tool create_list": {
      parameters: "operation list_name user_id? chat_id?",
      result: "list_id list_name created_at",
      role: "agent",
      valid: { operation: "create_list", list_name: "Groceries", ...WHO },
      calls: [{ operation: "create_list", list_name: "Packing" }],
    },
    "list_tool add_item": {
      parameters: "operation list_name? list_id? user_id? chat_id? item_text",
      result: "item_id item_text list_id position created?",
      role: "agent",
      valid: { operation: "add_item", list_name: "Groceries", item_text: "perlite", ...WHO },
      calls: [
        { operation: "add_item", list_name: "Garden", item_text: "perlite" },
        { operation: "add_item", list_name: " garden ", item_text: "a can" },
      ],
    },
    "list_tool list_items": {
      parameters: "operation list_name? list_id? user_id? chat_id?",
      result: "list_id list_name items count",
      role: "observer",
      valid: { operation: "list_items", list_name: "Groceries", ...WHO },
      calls: [{ operation: "list_items", list_name: "GARDEN" }],
    },
    "list_tool get_lists": {
      parameters: "operation user_id? chat_id?",
      result: "lists count",
      role: "observer",
      valid: { operation: "get_lists", ...WHO },
      calls: [{ operation: "get_lists" }],
    },
    "list_tool complete_item": {
      parameters: "operation item_id user_id? chat_id?",
      result: "item_id item_text completed completed_at",
      role: "agent",
      valid: { operation: "complete_item", item_id: "0b8f6a52-9d5c-4a0e-9a06-9f3f5cf0a001", ...WHO },
      calls: [],
    },
    "list_tool reopen_item": {
      parameters: "operation item_id user_id? chat_id?",
      result: "item_id item_text completed",
      role: "agent",
      valid: { operation: "reopen_item", item_id: "0b8f6a52-9d5c-4a0e-9a06-9f3f5cf0a001", ...WHO },
      calls: [],
    },
    "list_tool update_item": {
      parameters: "operation item_id item_text user_id? chat_id?",
      result: "item_id item_text updated_at",
      role: "agent",
      valid: {
        ...{ operation: "update_item", item_id: "0b8f6a52-9d5c-4a0e-9a06-9f3f5cf0a001" },
        ...{ item_text: "orchid bark", ...WHO },
      },
      calls: [],
    },
    "list_tool remove_item": {
      parameters: "operation item_id user_id? chat_id?",
      result: "item_id item_text removed",
      role: "agent",
      valid: { operation: "remove_item", item_id: "0b8f6a52-9d5c-4a0e-9a06-9f3f5cf0a001", ...WHO },
      calls: [],
    },
    "list_tool delete_list": {
      parameters: "operation list_name? list_id? user_id? chat_id?",
      result: "list_id list_name deleted items_deleted",
      role: "agent",
      valid: { operation: "delete_list", list_name: "Groceries", ...WHO },
      calls: [{ operation: "delete_list", list_name: "garden" }],
    },
  },
};
