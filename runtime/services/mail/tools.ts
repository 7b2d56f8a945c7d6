import { z } from "zod";
import { changes, defineTool } from "../../tools/tool.js";
import { mailAddress, mailBody, mailSubject, sendAnswer } from "../../wire/mail.js";
import { mail } from "./mail.js";

export const sendEmail = defineTool({
  name: "sendEmail",
  service: mail,
  description:
    "Send an email of plain text. To anybody but the people of the house and allowed addresses it waits for a person's yes.",
  facts: changes("Send an email", { destroys: true, repeatable: false, speaks: true, world: "open" }),
  role: "agent",
  confirmation: {
    isNeeded: ({ to }, { service }) => !service.isKnown(to),
    check: (_, { service }) => service.assertPossible(),
  },
  input: z.strictObject({
    to: mailAddress.describe("one address, such as anna@example.org"),
    subject: mailSubject,
    body: mailBody.describe("plain text"),
  }),
  output: z.object({
    message: z.string(),
    accepted: z.literal(true).describe("the server has taken it; that it arrives is not known"),
    message_id: sendAnswer.shape.message_id,
    server: sendAnswer.shape.server,
  }),
  run: async (letter, { service, call }) => {
    const { message_id, server } = await service.send(letter, call);
    const message = `The mail to ${letter.to} was accepted by ${server}.`;
    return { message, accepted: true as const, message_id, server };
  },
});
