import { household } from "../household/household.js";
import type { House, PersonalRecord } from "../module.js";
import { MAIL_LOG } from "./declarations.js";

/** Mails that a person's turn or token has sent, and mails to a person of the house. */
export async function* personalMails(house: House): AsyncGenerator<PersonalRecord> {
  const { personOfAddress } = house.get(household);
  for await (const { id, record } of house.journal(MAIL_LOG).stored()) {
    const { owner, to, mail } = record;
    for (const each of new Set([owner, personOfAddress(to) ?? owner]))
      yield { log: MAIL_LOG.name, id, owner: each, names: [mail] };
  }
}
