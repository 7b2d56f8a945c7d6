import type { ToolInfo } from "../../../agent-client/link/tools.js";
import type { Message } from "../../../agent-client/models/model.js";

export const OPENING: readonly Message[] = [
  { role: "system", content: "Care." },
  { role: "user", content: "It is time." },
];

export const TOOLS: readonly ToolInfo[] = [
  {
    name: "read_moisture",
    description: "Read.",
    inputSchema: { type: "object", properties: {} },
    readOnly: true,
  },
  {
    name: "dispense_water",
    description: "Pour.",
    inputSchema: {
      type: "object",
      properties: { ml: { type: "integer", minimum: 10, maximum: 25, description: "millilitres" } },
      required: ["ml"],
      additionalProperties: false,
    },
    readOnly: false,
  },
];

/** A reply with three calls, one of them with broken arguments, and the answers to all. */
export const CALLED: readonly Message[] = [
  ...OPENING,
  {
    role: "assistant",
    content: "Let me see.",
    toolCalls: [
      { id: "call-1", name: "read_moisture", arguments: undefined },
      { id: "call-2", name: "dispense_water", arguments: '{"ml": 20}' },
      { id: "call-3", name: "dispense_water", arguments: '{"ml": 20' },
    ],
  },
  { role: "tool", toolCallId: "call-1", name: "read_moisture", content: '{"percent":40}' },
  { role: "tool", toolCallId: "call-2", name: "dispense_water", content: '{"dispensed":20}' },
  { role: "tool", toolCallId: "call-3", name: "dispense_water", content: '{"error":{}}' },
];

/** A reply that took two photos and looked at the soil in between, and the answers. */
export const PHOTOGRAPHED: readonly Message[] = [
  ...OPENING,
  {
    role: "assistant",
    content: "",
    toolCalls: [
      { id: "call-1", name: "capture_photo", arguments: { include_image: true } },
      { id: "call-2", name: "read_moisture", arguments: {} },
    ],
  },
  {
    role: "tool",
    toolCallId: "call-1",
    name: "capture_photo",
    content: '{"dark":false}',
    images: [{ type: "image/jpeg", data: "/9j/4AAQ" }],
  },
  { role: "tool", toolCallId: "call-2", name: "read_moisture", content: '{"percent":40}' },
];

/** What follows the answers where the model does not see. */
export const UNSEEN = /^\{"dark":false\}\nA picture came with this result\. You cannot see pictures/;

/** What providers send for TOOLS. */
export const SENT_TOOLS = TOOLS.map(({ name, description, inputSchema }) => ({
  type: "function",
  function: { name, description, parameters: inputSchema },
}));

export const never = new AbortController().signal;
