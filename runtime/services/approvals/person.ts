import { household } from "../household/household.js";
import type { House, PersonalRecord } from "../module.js";
import { MESSAGE_LOG } from "../people/message-log.js";
import { APPROVAL_LOG, type ApprovalRecord } from "./declarations.js";

/** Requests about what is a person's, or made with a token that is only that person's, and the notifications of them. */
export async function* personalRequests(house: House): AsyncGenerator<PersonalRecord> {
  const { personOfToken, personOfAddress } = house.get(household);
  const namedIn = ({ arguments: { user_id, to } }: ApprovalRecord): string | undefined => {
    if (typeof user_id === "string") return user_id;
    return typeof to === "string" ? personOfAddress(to) : undefined;
  };
  const owners = new Map<number, string>();
  for await (const { id, record } of house.journal(APPROVAL_LOG).stored()) {
    const owner = namedIn(record) ?? personOfToken(record.agent);
    if (owner === undefined) continue;
    owners.set(id, owner);
    yield { log: APPROVAL_LOG.name, id, owner, names: [record.words] };
  }
  for await (const { id, record } of house.journal(MESSAGE_LOG).stored()) {
    const { notification } = record;
    if (notification?.kind !== "approval_requested") continue;
    const owner = owners.get(notification.data.id);
    if (owner !== undefined) yield { log: MESSAGE_LOG.name, id, owner, names: [] };
  }
}
