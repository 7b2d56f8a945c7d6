import { household } from "../household/household.js";
import { defineModule, type House, type PersonalRecord } from "../module.js";
import { MAIL_ERRORS, MAIL_LOG, mailConfig } from "./declarations.js";
import { mail } from "./mail.js";
import { sendEmail } from "./tools.js";

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
