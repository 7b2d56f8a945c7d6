import { z } from "zod";
import { excerpt, notAllowed } from "../../errors.js";
import { shortText } from "../../tools/parameters.js";
import { bothTainted, sourcesIn, type Tainted } from "../../tools/taint.js";
import { type Call, changes, reads, removes, toolFor, untrustedIf } from "../../tools/tool.js";
import { type RecalledEntryView, recallList } from "../../wire/agenda.js";
import {
  PROFILE_CATEGORIES,
  type ProfileFact,
  profileFact,
  SENSITIVITIES,
  userProfile,
} from "../../wire/records.js";
import { HOUSEHOLD, whoInput } from "../household/household.js";
import type { EntryRef, RecallRecord } from "../household/recalls.js";
import { type MemoryService, memoryService } from "./parts.js";
import { type FoundFact, INFERRED, PROFILE_LOG, type ProfileRecord, type SeesFact } from "./profile.js";
import type { FoundMemory } from "./rows.js";
import { ANY } from "./rows.js";

/** Choices: a key is a name, a value some sentences. */
const LONGEST_KEY = 100;
const LONGEST_VALUE = 2000;
/** A choice: as much as goes into a prompt. */
const MAX_RECALLED = 10;

const category = z.enum(PROFILE_CATEGORIES);

const shown = ({ owner, ...fact }: ProfileRecord): ProfileFact => ({
  category: fact.category,
  key: fact.key,
  value: fact.value,
  confidence: fact.confidence,
  source: fact.source,
  sensitivity: fact.sensitivity,
  updated_at: fact.updated_at,
  user_id: owner,
});

const tool = toolFor(memoryService);

const getUserProfile = tool({
  name: "get_user_profile",
  description: "What is known about a person and the household. Private entries only to that person.",
  facts: reads("User profile", { world: "closed" }),
  role: "agent",
  input: z.strictObject({ category: category.optional(), user_id: whoInput.user_id }),
  output: userProfile,
  run: ({ category: wanted, user_id }, { service, call }) => {
    const known = service.profile.all(service.seesFacts(call, user_id));
    const found = known.filter((fact) => wanted === undefined || fact.category === wanted);
    return untrustedIf(sourcesIn(found), { entries: found.map(shown) });
  },
});

const updateUserProfile = tool({
  name: "update_user_profile",
  description:
    "Store what a person said about themselves, or with `confidence` what you conclude. It takes the place of the entry with that key; a conclusion never that of what was said.",
  facts: changes("Update a profile", { destroys: true, repeatable: true, speaks: false, world: "closed" }),
  role: "agent",
  // what is told of a person is believed for ever: words of strangers must not say it
  confirmation: { check: ({ user_id }, { service, call }) => void service.actorOf(call, { user_id }) },
  input: z.strictObject({
    category,
    key: shortText(LONGEST_KEY, "such as preferred_temperature"),
    value: z.union([shortText(LONGEST_VALUE, "text"), z.number(), z.boolean()]),
    sensitivity: z.enum(SENSITIVITIES).default("private"),
    confidence: z
      .number()
      .min(INFERRED.least)
      .max(INFERRED.most)
      .optional()
      .describe("how sure you are of what nobody has said"),
    user_id: whoInput.user_id,
  }),
  output: z.object({ stored: profileFact }),
  run: async ({ category: kind, key, value, sensitivity, confidence, user_id }, { service, call }) => {
    const actor = service.actorOf(call, { user_id });
    const name = { owner: actor.owner, category: kind, key };
    const { profile } = service;
    const stored =
      confidence === undefined
        ? await profile.tell(name, { value, sensitivity }, actor)
        : await profile.infer(name, { value, sensitivity, confidence }, actor);
    if (confidence === undefined || stored.source === "inferred") return { stored: shown(stored) };
    // what was told stays, and is not the caller's to read by guessing its key
    if (!service.seesFacts(call, user_id)(stored))
      throw notAllowed(`${actor.owner} has said something else under ${excerpt(key)}, and it stays`);
    return untrustedIf(sourcesIn([stored]), { stored: shown(stored) });
  },
});

const forgetProfileEntry = tool({
  name: "forget_profile_entry",
  description:
    "Erase what is known about a person or the household under a key, for good: with its former values, from the journal and from results that are kept of calls, and so from later backups.",
  facts: removes("Forget a profile entry"),
  role: "human",
  input: z.strictObject({
    category,
    key: shortText(LONGEST_KEY, "`key` of get_user_profile"),
    user_id: whoInput.user_id,
  }),
  output: z.object({ category, key: z.string(), user_id: z.string(), erased: z.literal(true) }),
  run: async ({ category: kind, key, user_id }, { service, call }) => {
    const { owner } = service.actorOf(call, { user_id });
    await service.profile.forget({ owner, category: kind, key }, service.seesFacts(call, user_id));
    return { category: kind, key, user_id: owner, erased: true as const };
  },
});

const recalled = z.object({
  from: z.enum(["memory", "profile"]),
  id: z.string().optional().describe("of a memory"),
  title: z.string(),
  text: z.string(),
  score: z.number(),
  matched: z.array(z.string()),
  user_id: z.string(),
  at: z.string().describe("when it was stored or changed last"),
});

const recallUserContext = tool({
  name: "recall_user_context",
  description: "What is known about a topic, from memories and profile.",
  facts: reads("Recall", { world: "closed" }),
  role: "agent",
  input: z.strictObject({ topic: shortText(500, "words") }),
  output: z.object({ message: z.string(), entries: z.array(recalled) }),
  run: async ({ topic }, { service, call }) => {
    const facts = await service.profile.search(topic, service.seesFacts(call, undefined));
    const { view } = service.actorOf(call, {});
    const all = await service.items.search(topic, { ...ANY, status: "ACTIVE" }, view);
    const memories = await all.read(MAX_RECALLED, 0);
    const found = [...facts.map(factRecalled), ...memories.map(memoryRecalled)]
      .sort((a, b) => b.score - a.score)
      .slice(0, MAX_RECALLED);
    await service.recalls.note(
      "recall_user_context",
      call,
      found.map(({ ref, entry: { user_id } }) => ({ ...ref, owner: user_id })),
    );
    const entries = found.map((each) => each.entry);
    return untrustedIf(sourcesIn(found), { message: sentence(topic, entries), entries });
  },
});

type Recalled = z.output<typeof recalled>;

/** An entry, and what its writer had read. */
interface Found extends Tainted {
  readonly ref: EntryRef;
  readonly score: number;
  readonly entry: Recalled;
}

const factRecalled = ({ id, fact, score, matched }: FoundFact): Found => ({
  ref: { log: PROFILE_LOG.name, id },
  score,
  ...bothTainted(fact),
  entry: {
    ...{ from: "profile", title: fact.key, text: String(fact.value) },
    ...{ score, matched: [...matched], user_id: fact.owner, at: fact.updated_at },
  },
});

const memoryRecalled = ({ item, ref, score, matched, ...read }: FoundMemory): Found => ({
  ref,
  score,
  ...read,
  entry: {
    ...{ from: "memory", id: item.id, title: item.title, text: item.content },
    ...{ score, matched: [...matched], user_id: item.user_id, at: item.updated_at },
  },
});

function sentence(topic: string, entries: readonly Recalled[]): string {
  if (entries.length === 0) return `nothing known about ${JSON.stringify(topic)}`;
  const known = entries.map(({ from, title, text }) =>
    from === "profile" || title !== text ? `${title}: ${text}` : text,
  );
  return `Known about ${JSON.stringify(topic)}: ${known.join(" · ")}`;
}

const listRecalls = tool({
  name: "list_recalls",
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

export const profileTools = [
  ...[getUserProfile, updateUserProfile, forgetProfileEntry, recallUserContext, listRecalls],
];
