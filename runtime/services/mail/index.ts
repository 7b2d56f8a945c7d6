import { z } from "zod";
import { changes, defineTool } from "../../tools/tool.js";
import { mailAddress, mailBody, mailSubject, sendAnswer } from "../../wire/mail.js";
import { household } from "../household/household.js";
import { defineModule, type House, type PersonalRecord } from "../module.js";
import { MAIL_ERRORS, MAIL_LOG, mail, mailConfig } from "./mail.js";

const sendEmail = defineTool({
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

/** Mails by agents. It is on if the configuration has `mail:`. */
export const mailModule = defineModule({
  name: "mail",
  canBeOff: true,
  config: mailConfig,
  isNeeded: ({ mail: config }) => config !== null,
  needsBridge: () => true,
  toolset: "mail",
  journals: [{ definition: MAIL_LOG }],
  errors: MAIL_ERRORS,
  parts: [mail],
  tools: [sendEmail],
  person: { find: personalMails },
});

/** Mails that a person's turn or token has sent, and mails to a person of the house. */
async function* personalMails(house: House): AsyncGenerator<PersonalRecord> {
  const { personOfAddress } = house.get(household);
  for await (const { id, record } of house.journal(MAIL_LOG).stored()) {
    const { owner, to, mail } = record;
    for (const each of new Set([owner, personOfAddress(to) ?? owner]))
      yield { log: MAIL_LOG.name, id, owner: each, names: [mail] };
  }
}
