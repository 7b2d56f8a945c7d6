import { z } from "zod";
import { notFound } from "../../errors.js";
import { changes, reads, toolFor } from "../../tools/tool.js";
import { MEMORY_STATUSES, type MemoryItem, renamedTag, tagList } from "../../wire/records.js";
import { folded } from "../../word-stems.js";
import { alreadyThere, whoInput } from "../household/household.js";
import { nameField } from "./item.js";
import type { MemoryActor } from "./items.js";
import { type MemoryService, memoryService } from "./parts.js";

const tool = toolFor(memoryService);

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

export const tagTools = [listTags, renameTag];
