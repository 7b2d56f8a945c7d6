import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type House, idsIn, type PersonalRecord } from "../module.js";
import { ITEM_LOG } from "./item-log.js";
import { filesOf, MEDIA } from "./media.js";
import { memoryItems, profile } from "./parts.js";
import { PROFILE_LOG } from "./profile.js";

/** The memories and the profile of each person. */
export async function* personalMemories(house: House): AsyncGenerator<PersonalRecord> {
  for await (const { id, record } of house.journal(ITEM_LOG).stored())
    if (record.item) yield { log: ITEM_LOG.name, id, owner: record.item.user_id, names: [record.item.id] };
  for await (const { id, record } of house.journal(PROFILE_LOG).stored())
    if (record.owner !== "") yield { log: PROFILE_LOG.name, id, owner: record.owner, names: [] };
}

/** Memories and profile entries that are about to be erased; media that no other memory names go with them. */
export async function dropMemories(house: House, records: readonly PersonalRecord[]): Promise<void> {
  const items = idsIn(ITEM_LOG, records);
  await removeMedia(house, new Set(items));
  await house.get(memoryItems).dropRecords(items);
  await house.get(profile).drop(idsIn(PROFILE_LOG, records));
}

async function removeMedia(house: House, ids: ReadonlySet<number>): Promise<void> {
  const [own, others] = [new Set<string>(), new Set<string>()];
  for await (const { id, record } of house.journal(ITEM_LOG).stored())
    for (const file of filesOf(record.item)) (ids.has(id) ? own : others).add(file);
  for (const file of own)
    if (!others.has(file)) await rm(join(house.store.folder, MEDIA, file), { force: true });
}
