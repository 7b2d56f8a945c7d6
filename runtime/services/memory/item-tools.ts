import { z } from "zod";
import { invalidArgument, notFound } from "../../errors.js";
import { assertFewBytes, jsonBytes } from "../../store/records.js";
import { instantIn } from "../../tools/iso-time.js";
import { shortText } from "../../tools/parameters.js";
import { sourcesIn, taintOf } from "../../tools/taint.js";
import { acts, changes, defineTool, reads, removes, toolFor, untrustedIf } from "../../tools/tool.js";
import { memoryList } from "../../wire/agenda.js";
import { FROM_FILE_NAMES, isNamedFreely } from "../../wire/media.js";
import {
  foundMemories,
  MEMORY_STATUSES,
  type MemoryItem,
  mediaLinks,
  memoryItem,
  renamedTag,
  tagList,
} from "../../wire/records.js";
import { folded } from "../../word-stems.js";
import { alreadyThere, whoInput } from "../household/household.js";
import { done, pageInput } from "../log-tools.js";
import {
  changedFields,
  contentField,
  nameField,
  namesField,
  newFields,
  nullAsAbsent,
  sectionField,
  sourceField,
  statusField,
  timeField,
  titleField,
  uuidField,
} from "./item.js";
import type { MemoryActor } from "./items.js";
import { filesOf, UPLOADS } from "./media.js";
import { type MemoryService, memoryItems, memoryService } from "./parts.js";
import type { FoundMemory } from "./rows.js";
import { linked } from "./settle.js";

/** A choice: some 500 tokens; what is longer is a note. */
const LONGEST_MEMORY = 2000;

const addMemory = defineTool({
  name: "add_memory",
  service: memoryItems,
  description:
    "Remember one thing for good: the prompts of later cycles show it. The same text is not kept twice. What changes from cycle to cycle belongs into the notes.",
  facts: changes("Remember something", { destroys: false, repeatable: true, speaks: true, world: "closed" }),
  inCare: true,
  role: "agent",
  input: z.strictObject({ text: shortText(LONGEST_MEMORY, "what to remember") }),
  output: z.object({
    timestamp: z.string(),
    id: z.int(),
    known: z.boolean().describe("it was remembered already"),
  }),
  run: async ({ text }, { service, isoNow, call }) => {
    const added = await service.add(text, { by: call.identity.name, ...taintOf(call) });
    return { timestamp: isoNow(), ...added };
  },
});

const listMemories = defineTool({
  name: "list_memories",
  service: memoryItems,
  description: "What is remembered, the newest last.",
  facts: reads("List memories", { world: "closed" }),
  role: "observer",
  input: pageInput(20),
  output: memoryList,
  run: async ({ n, offset }, { service }) => {
    const { count, memories } = await service.remembered(n, offset);
    const shown = memories.map(({ tainted: _, ...memory }) => memory);
    return untrustedIf(sourcesIn(memories), { count, memories: shown });
  },
});

const forgetMemory = defineTool({
  name: "forget_memory",
  service: memoryItems,
  description: "Take back something that the agent remembers: it is hidden, as by delete_memory.",
  facts: removes("Forget a memory"),
  role: "human",
  input: z.strictObject({ id: z.int().min(1).describe("`id` of list_memories") }),
  output: done,
  run: async ({ id }, { service, isoNow, call }) => {
    await service.forget(id, call.identity.name);
    return { timestamp: isoNow(), success: true };
  },
});

/** A choice: a question is a line. */
const LONGEST_QUERY = 500;

const memoryId = z.string().min(1).max(64).describe("`id` of search_memories");

const tool = toolFor(memoryService);

const saveMemory = tool({
  name: "save_memory",
  description:
    "Keep a note, event or diary entry of a person or of the household. What you want in every care cycle is add_memory.",
  facts: acts("Save a memory"),
  role: "agent",
  input: z.strictObject({
    id: uuidField.optional(),
    source: sourceField,
    title: titleField,
    content: contentField,
    section: sectionField.default("NOTE"),
    created_at: nullAsAbsent(timeField),
    updated_at: nullAsAbsent(timeField),
    status: statusField.default("ACTIVE"),
    ...newFields,
    ...whoInput,
  }),
  output: memoryItem,
  run: ({ user_id, ...given }, { service, call }) => {
    const actor = service.actorOf(call, { user_id });
    return service.items.save(given, service.settlingFor(actor.owner, call), actor);
  },
});

const searchMemories = tool({
  name: "search_memories",
  description:
    "Memories by their words, in any case and ending, accents ignored: the best first, each with why it was found. Without query the newest first.",
  facts: reads("Search memories", { world: "closed" }),
  role: "agent",
  input: z.strictObject({
    query: shortText(LONGEST_QUERY, "words").optional(),
    section: sectionField.optional(),
    tags: namesField().optional().describe("all of them"),
    people: namesField().optional().describe("all of them"),
    user_id: whoInput.user_id,
    from: timeField.optional().describe("ISO 8601; of the event, else due_at, else created_at"),
    to: timeField.optional().describe("included; a day means all of it"),
    status: statusField.default("ACTIVE"),
    limit: z.int().min(1).max(50).default(10),
    offset: z.int().min(0).max(1_000_000_000).default(0),
  }),
  output: foundMemories,
  run: async (
    { query, section, tags = [], people = [], user_id, from, to, status, limit, offset },
    { service, call },
  ) => {
    const { owner, view } = service.actorOf(call, { user_id });
    const { zone, people: known } = service.settlingFor(owner, call);
    const filters = {
      ...{ section, status, tags, people: linked(people, known) },
      from: from === undefined ? Number.NEGATIVE_INFINITY : instantIn("search_memories: from", from, zone),
      to: to === undefined ? Number.POSITIVE_INFINITY : endOf(to, zone),
    };
    const found = await service.items.search(query, filters, view);
    const page = await found.read(limit, offset);
    const entries = page.map(({ ref, item }) => ({ ...ref, owner: item.user_id }));
    await service.recalls.note("search_memories", call, entries);
    const items = page.map(shown);
    assertFewBytes(items.map(jsonBytes), () => ({ words: "ask for a smaller limit" }));
    const isNamed = page.some(({ item }) => filesOf(item).some(isUploadNamedFreely));
    const sources = [...sourcesIn(page), ...(isNamed ? [FROM_FILE_NAMES] : [])];
    return untrustedIf(sources, { items, count: found.count });
  },
});

/** What the owner has put beside the uploads has the owner's names. */
const isUploadNamedFreely = (path: string): boolean => path.startsWith(`${UPLOADS}/`) && isNamedFreely(path);

const shown = ({ item, score, matched }: FoundMemory) => ({ ...item, score, matched: [...matched] });

/** A day is included to its last millisecond. */
function endOf(text: string, zone: string): number {
  const at = instantIn("search_memories: to", text, zone);
  if (text.includes(":")) return at;
  const noonNextDay = new Date(Date.parse(`${text.trim()}T12:00:00Z`) + 86_400_000);
  return instantIn("to", noonNextDay.toISOString().slice(0, 10), zone) - 1;
}

const updateMemory = tool({
  name: "update_memory",
  description: "Change a memory; null clears. The former version is kept.",
  facts: changes("Change a memory", { destroys: true, repeatable: true, speaks: false, world: "closed" }),
  role: "agent",
  input: z.strictObject({
    id: memoryId,
    source: sourceField.optional(),
    title: titleField.optional(),
    content: contentField.optional(),
    section: sectionField.optional(),
    status: statusField.optional(),
    ...changedFields,
    chat_id: whoInput.chat_id.nullable(),
  }),
  output: memoryItem
    .omit({ created_at: true, user_id: true })
    .partial()
    .required({ id: true, updated_at: true }),
  run: async ({ id, ...given }, { service, call }) => {
    const named = Object.entries(given).filter(([, value]) => value !== undefined);
    if (named.length === 0) throw invalidArgument("update_memory: there is nothing to change");
    const actor = service.actorOf(call, {});
    const before = await service.items.find(id, actor.view);
    const settling = service.settlingFor(before.user_id, call);
    const { item, changed, tainted = [] } = await service.items.update(id, given, settling, actor);
    const fields = new Set([...named.map(([key]) => key), ...changed]);
    const updated = Object.entries(item).filter(([key]) => fields.has(key));
    // fields that come of its words too, such as who is mentioned there
    return untrustedIf(tainted, {
      ...(Object.fromEntries(updated) as Partial<MemoryItem>),
      ...{ id, updated_at: item.updated_at },
    });
  },
});

const deleteMemory = tool({
  name: "delete_memory",
  description: "Hide a memory: its status is then DELETED.",
  facts: changes("Delete a memory", { destroys: true, repeatable: true, speaks: false, world: "closed" }),
  role: "agent",
  input: z.strictObject({ id: memoryId }),
  output: z.object({ id: z.string(), title: z.string(), deleted: z.literal(true) }),
  run: async ({ id }, { service, call }) => {
    const { title, tainted = [] } = await service.items.delete(id, service.actorOf(call, {}));
    return untrustedIf(tainted, { id, title, deleted: true as const });
  },
});

const eraseMemory = tool({
  name: "erase_memory",
  description:
    "Erase a memory for good: with its former versions, from every journal, from results that are kept of calls, and so from later backups.",
  facts: removes("Erase a memory"),
  role: "human",
  input: z.strictObject({ id: memoryId }),
  output: z.object({ id: z.string(), erased: z.literal(true) }),
  run: async ({ id }, { service, call }) => {
    await service.erase(id, service.actorOf(call, {}));
    return { id, erased: true as const };
  },
});

const getMediaLinks = tool({
  name: "get_media_links",
  description: "Links that open the photos and files of a memory for an hour.",
  facts: reads("Links to a memory's files", { world: "closed" }),
  role: "human",
  input: z.strictObject({ id: memoryId }),
  output: mediaLinks,
  run: async ({ id }, { service, call }) => ({ links: await service.links(id, call) }),
});

const listTags = tool({
  name: "list_tags",
  description: "The tags of memories, the most used first.",
  facts: reads("Tags", { world: "closed" }),
  role: "human",
  input: z.strictObject({ user_id: whoInput.user_id }),
  output: tagList,
  run: async ({ user_id }, { service, call }) => {
    const counts = new Map<string, { tag: string; memories: number }>();
    for await (const { tags } of tagged(service, service.actorOf(call, { user_id }), []))
      for (const tag of tags) {
        const known = counts.get(folded(tag)) ?? { tag, memories: 0 };
        counts.set(folded(tag), { ...known, memories: known.memories + 1 });
      }
    return { tags: [...counts.values()].sort((a, b) => b.memories - a.memories || (a.tag < b.tag ? -1 : 1)) };
  },
});

const renameTag = tool({
  name: "rename_tag",
  description: "Give a tag another name in all memories. A name that is a tag already needs merge: true.",
  facts: changes("Rename a tag", { destroys: true, repeatable: true, speaks: false, world: "closed" }),
  role: "human",
  input: z.strictObject({
    tag: nameField,
    to: nameField,
    merge: z.boolean().default(false),
    user_id: whoInput.user_id,
  }),
  output: renamedTag,
  run: async ({ tag, to, merge, user_id }, { service, call }) => {
    const actor = service.actorOf(call, { user_id });
    if (!merge && folded(tag) !== folded(to)) await assertFree(service, actor, to);
    const found: MemoryItem[] = [];
    for await (const item of tagged(service, actor, [tag])) found.push(item);
    if (found.length === 0) throw notFound(`no memory has the tag "${tag}"`);
    const changed = found.map(({ id: key, tags, user_id: owner }) => ({
      ...{ key, tags: renamed(tags, tag, to), settling: service.settlingFor(owner, call) },
    }));
    await service.items.updateTags(changed, actor);
    return { tag, to, memories: found.length };
  },
});

/** Throws ALREADY_EXISTS. */
async function assertFree(service: MemoryService, actor: MemoryActor, tag: string): Promise<void> {
  for await (const { id } of tagged(service, actor, [tag]))
    throw alreadyThere(`there is a tag "${tag}" already, and merge: true puts both together`, { id });
}

/** Where both stand, one is left, in the place of the first. */
const renamed = (tags: readonly string[], tag: string, to: string): string[] =>
  tags
    .map((each) => (folded(each) === folded(tag) ? to : each))
    .filter((each, at, all) => all.findIndex((other) => folded(other) === folded(each)) === at);

/** Memories of any status that have all these tags. */
async function* tagged(
  { items }: MemoryService,
  { view }: MemoryActor,
  tags: readonly string[],
): AsyncGenerator<MemoryItem> {
  for (const status of MEMORY_STATUSES) yield* items.each(view, { status, tags });
}

export const itemTools = [
  ...[addMemory, listMemories, forgetMemory],
  ...[saveMemory, searchMemories, updateMemory, deleteMemory, eraseMemory, getMediaLinks],
  ...[listTags, renameTag],
];
