import { z } from "zod";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { mayActAs } from "../../wire/identity.js";
import { messagesFromAgent, messagesFromHuman, sentMessage } from "../../wire/people.js";
import { messages } from "./messages.js";

/** Characters of one message (CONTRACT, Thinking), counted as code points. */
const LONGEST = 50_000;

const content = (description: string) =>
  z
    .string()
    .min(1)
    .refine((text) => text.length <= LONGEST || [...text].length <= LONGEST, {
      error: `is longer than ${LONGEST} characters`,
    })
    .describe(description);

const sendInput = (description: string) =>
  z.strictObject({
    message: content(description),
    in_reply_to: z.string().min(1).nullish().describe("id of the message this answers"),
  });

const listInput = z.strictObject({
  limit: z.int().min(1).max(50).default(10),
  offset: z.int().min(0).max(1_000_000_000).default(0),
  include_content: z.boolean().default(true),
});

export const sendMessageToHuman = defineTool({
  name: "send_message_to_human",
  service: messages,
  description:
    "Write to the person who looks after the plant: alerts, or a question. Say how serious it is and what you suggest, all in one message: few are let through. Markdown, up to 50,000 characters.",
  facts: changes("Write to the person", {
    destroys: false,
    repeatable: false,
    speaks: true,
    world: "closed",
  }),
  inCare: true,
  role: "agent",
  input: sendInput("what the person should know"),
  output: sentMessage,
  run: ({ message, in_reply_to }, { service, call }) => {
    const { name, role } = call.identity;
    const inReplyTo = in_reply_to ?? undefined;
    return mayActAs(role, "human")
      ? service.send("to_human", message, inReplyTo, name)
      : service.sendLimited(message, inReplyTo, name);
  },
});

export const sendMessageToAgent = defineTool({
  name: "send_message_to_agent",
  service: messages,
  description: "Write to the agent; it reads its messages at the start of a cycle.",
  facts: changes("Write to the agent", { destroys: false, repeatable: false, speaks: true, world: "closed" }),
  role: "human",
  input: sendInput("what the agent should know or do"),
  output: sentMessage,
  run: ({ message, in_reply_to }, { service, call }) =>
    service.send("from_human", message, in_reply_to ?? undefined, call.identity.name),
});

export const listMessagesFromHuman = defineTool({
  name: "list_messages_from_human",
  service: messages,
  description: "Messages of the person to the agent, newest first.",
  facts: reads("Messages from the person", { world: "closed" }),
  inCare: true,
  role: "observer",
  input: listInput,
  output: messagesFromHuman,
  run: async ({ limit, offset, include_content: withContent }, { service, call }) => {
    const page = { limit, offset, withContent };
    return { messages: await service.list("from_human", page, call.identity.role === "agent") };
  },
});

export const listMessagesFromAgent = defineTool({
  name: "list_messages_from_agent",
  service: messages,
  description: "Messages of the agent and the runtime to the person, newest first. Reading marks nothing.",
  facts: reads("Messages to the person", { world: "closed" }),
  role: "human",
  input: listInput,
  output: messagesFromAgent,
  run: async ({ limit, offset, include_content: withContent }, { service }) => {
    const page = { limit, offset, withContent };
    return { messages: await service.letters(page) };
  },
});
