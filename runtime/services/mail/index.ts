import { defineModule } from "../module.js";
import { MAIL_ERRORS, MAIL_LOG, mailConfig } from "./declarations.js";
import { mail } from "./mail.js";
import { personalMails } from "./person.js";
import { sendEmail } from "./tools.js";

/** Mails by agents. It is on if the configuration has `mail:`. */
export const mailModule = defineModule({
  name: "mail",
  canBeOff: true,
  config: mailConfig,
  isNeeded: ({ mail: config }) => config !== null,
  needsBridge: true,
  toolset: "mail",
  journals: [{ definition: MAIL_LOG }],
  errors: MAIL_ERRORS,
  parts: [mail],
  tools: [sendEmail],
  person: { find: personalMails },
});
