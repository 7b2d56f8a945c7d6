import { z } from "zod";
import type { Call } from "../../tools/tool.js";
import { defineTool, reads } from "../../tools/tool.js";
import { type RecalledEntryView, recallList } from "../../wire/recalls.js";
import { HOUSEHOLD, whoInput } from "../household/household.js";
import type { EntryRef, RecallRecord } from "../household/recalls.js";
import { type MemoryService, memoryService } from "./parts.js";
import { PROFILE_LOG, type SeesFact } from "./profile.js";

export const listRecalls = defineTool({
  name: "list_recalls",
  service: memoryService,
  description:
    "Which memories and profile entries agents were given: by recall_user_context, search_memories and the knowledge tools, the newest first.",
  facts: reads("What agents recalled", { world: "closed" }),
  role: "human",
  input: z.strictObject({ n: z.int().min(1).max(100).default(20), user_id: whoInput.user_id }),
  output: recallList,
  run: async ({ n, user_id }, { service, call }) => {
    const { view } = service.actorOf(call, { user_id });
    const seesFact = service.seesFacts(call, user_id);
    const recalls: z.output<typeof recallList>["recalls"] = [];
    for await (const { record } of service.recalls.newest()) {
      if (recalls.length === n) break;
      if (!view.sees(record.owner)) continue;
      const { entries, hidden, forgotten } = await entriesOf(service, record, seesFact);
      if (entries.length === 0 && (hidden > 0 || forgotten === 0)) continue;
      recalls.push({ ...aboutTurn(service, record, call), entries, forgotten });
    }
    return { recalls };
  },
});

/** Whose turn it was is that person's alone to know: another one sees that a household's entry was recalled. */
function aboutTurn({ household }: MemoryService, { timestamp, tool, by, turn }: RecallRecord, call: Call) {
  const isShown = turn !== null && (turn.person === HOUSEHOLD || household.mayReadPrivate(call, turn.person));
  return { timestamp, tool, by, turn: turn?.kind ?? null, person: isShown ? turn.person : null };
}

/** `hidden`: entries that are there, and that the caller may not see. */
async function entriesOf(service: MemoryService, record: RecallRecord, sees: SeesFact) {
  const entries: RecalledEntryView[] = [];
  let [hidden, forgotten] = [0, 0];
  for (const ref of record.entries) {
    const found = await entryOf(service, ref, sees);
    if (found === "forgotten") forgotten += 1;
    else if (found === "hidden") hidden += 1;
    else entries.push(found);
  }
  return { entries, hidden, forgotten };
}

async function entryOf(
  { items, profile }: MemoryService,
  ref: EntryRef,
  sees: SeesFact,
): Promise<RecalledEntryView | "hidden" | "forgotten"> {
  if (ref.log === PROFILE_LOG.name) {
    const fact = profile.get(ref.id);
    if (!fact) return "forgotten";
    if (!sees(fact)) return "hidden";
    const { category, key, owner } = fact;
    return { from: "profile", id: null, category, title: key, user_id: owner };
  }
  const item = await items.writtenAt(ref);
  if (!item) return "forgotten";
  return { from: "memory", id: item.id, category: null, title: item.title, user_id: item.user_id };
}
