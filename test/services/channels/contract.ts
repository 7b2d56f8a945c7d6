import type { FamilyContract } from "../contract.js";

const AT = { channel: "telegram", account: "4711" } as const;
/** The bridge's own. */
const BRIDGES = { role: "human", scopesOnly: true, calls: [] } as const;

export const contract: FamilyContract = {
  toolset: "channels",
  config: "channels: { telegram: {} }",
  tools: {
    list_channels: {
      parameters: "",
      result: "channels",
      role: "human",
      valid: {},
      calls: [{}],
    },
    open_channel_code: {
      parameters: "channel user_id?",
      result: "channel user_id code expires_in_s",
      role: "human",
      valid: { channel: "telegram", user_id: "household" },
      calls: [{ channel: "telegram" }],
    },
    test_channel: {
      parameters: "channel",
      result: "channel letters",
      role: "human",
      valid: { channel: "telegram" },
      calls: [],
    },
    remove_account: {
      parameters: "channel account",
      result: "removed user_id",
      role: "human",
      valid: AT,
      calls: [],
    },
    list_accounts: { ...BRIDGES, parameters: "channel", result: "accounts", valid: { channel: "telegram" } },
    pair_account: {
      ...BRIDGES,
      parameters: "channel account code name?",
      result: "user_id name",
      valid: { ...AT, code: "K7QF-2M9X-RT4B-WC3T", name: "Anna" },
    },
    receive_message: {
      ...BRIDGES,
      parameters: "channel account text message_id age_s forwarded? files?",
      defaults: { forwarded: false, files: [] },
      result: "reply",
      valid: { ...AT, text: "hello", message_id: "1", age_s: 0, forwarded: false, files: [] },
    },
    press_button: {
      ...BRIDGES,
      parameters: "channel account data",
      result: "accepted text",
      valid: { ...AT, data: "x.yes" },
    },
    note_channel: {
      ...BRIDGES,
      parameters: "channel state code? message? accounts?",
      defaults: { accounts: [] },
      result: "timestamp",
      valid: { channel: "telegram", state: "down", code: "UNAUTHORIZED", message: "no" },
    },
  },
};
