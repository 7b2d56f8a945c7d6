import type { Call } from "../../tools/tool.js";
import { HOUSEHOLD, type Household, household } from "../household/household.js";
import type { House, PersonalRecord } from "../module.js";
import { ownerOf as ownerOfNews } from "../outbox/reading.js";
import { MESSAGE_LOG } from "../people/message-log.js";
import { APPROVAL_LOG, type Asked } from "./declarations.js";

type Claims = Pick<Asked, "arguments" | "agent" | "plant" | "user_id">;
type People = Pick<Household, "personOfToken" | "personOfAddress" | "boundTo">;

/** Whose request a call makes: of the person of its turn or token, or of the one whom it names. */
export function askedFor(call: Call, args: Asked["arguments"], people: People): string {
  const bound = people.boundTo(call);
  return bound === undefined || bound === HOUSEHOLD ? (namedIn(args, people) ?? HOUSEHOLD) : bound;
}

/** Whose a recorded request is. Older records do not say it: what is about a plant was everybody's then too. */
export function ownerOf({ user_id, plant, arguments: args, agent }: Claims, people: People): string {
  if (user_id !== undefined) return user_id;
  if (plant !== undefined) return HOUSEHOLD;
  return namedIn(args, people) ?? people.personOfToken(agent) ?? HOUSEHOLD;
}

function namedIn({ user_id, to }: Asked["arguments"], people: People): string | undefined {
  if (typeof user_id === "string") return user_id;
  return typeof to === "string" ? people.personOfAddress(to) : undefined;
}

/** A person's requests, those that name the person or were made with that person's token, and the notifications of them. */
export async function* personalRequests(house: House): AsyncGenerator<PersonalRecord> {
  const people = house.get(household);
  const owners = new Map<number, ReadonlySet<string>>();
  for await (const { id, record } of house.journal(APPROVAL_LOG).stored()) {
    const named = [namedIn(record.arguments, people), people.personOfToken(record.agent)];
    const all = new Set([ownerOf(record, people), ...named.filter((each) => each !== undefined)]);
    owners.set(id, all);
    for (const owner of all) yield { log: APPROVAL_LOG.name, id, owner, names: [record.words] };
  }
  for await (const { id, record } of house.journal(MESSAGE_LOG).stored()) {
    const { notification } = record;
    if (notification?.kind !== "approval_requested") continue;
    // the outbox finds those that name their person
    const others = [...(owners.get(notification.data.id) ?? [])].filter(
      (owner) => owner !== ownerOfNews(notification),
    );
    for (const owner of others) yield { log: MESSAGE_LOG.name, id, owner, names: [] };
  }
}
