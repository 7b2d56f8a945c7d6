import type { RecordLog } from "../../store/record-log.js";
import type { Stored } from "../../store/records.js";
import type { Store } from "../../store/store.js";
import { CALL_LOG } from "../../tools/idempotency.js";
import { isTelling } from "../module.js";
import { ITEM_LOG, type ItemEntry, type ItemRecord } from "./item.js";
import type { MemoryTexts } from "./texts.js";

interface ErasingParts {
  readonly log: RecordLog<ItemEntry, ItemRecord>;
  readonly texts: MemoryTexts;
  readonly store: Pick<Store, "erase">;
  timestamp(): string;
}

/** Takes a memory out of every journal, out of the results of calls and out of the index, also over a crash. */
export class Erasing {
  constructor(private readonly parts: ErasingParts) {}

  /** Ends the erasures that a crash has interrupted. Once every journal is open. */
  async endAll(): Promise<void> {
    const begun: Stored<ItemRecord>[] = [];
    // a quote within a text has a backslash before it, so that no text looks like this
    for await (const stored of this.parts.log.stored({ containing: '"erasing":"' })) begun.push(stored);
    for (const stored of begun) await this.everywhere(stored, []);
  }

  /** `words` are looked for in the results of calls too. */
  async everywhere({ id, record }: Stored<ItemRecord>, words: readonly string[]): Promise<void> {
    const { log, texts, store, timestamp } = this.parts;
    const { memory, shared, erasing: key } = record;
    const number = memory === null ? {} : { memory };
    const inCalls = [key ?? "", ...words.filter(isTelling)].map((each) => JSON.stringify(each).slice(1, -1));
    // before the erasure, which leaves nothing of their words in the file either
    await texts.remove(ITEM_LOG.name, [id]);
    await store.erase((journal, { entry }, ofRecord) => {
      if (journal === ITEM_LOG.name) return ofRecord === id;
      if (journal === shared?.log) return ofRecord === shared.id;
      if (journal !== CALL_LOG.name) return false;
      const text = JSON.stringify(entry.result ?? null);
      return inCalls.some((each) => text.includes(each));
    });
    await log.append({ timestamp: timestamp(), of: id, ...number, erased: true, finished: true });
  }
}
