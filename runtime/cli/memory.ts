import { inLine } from "./print.js";
import type { Remote } from "./remote.js";

export async function tags(remote: Remote): Promise<string> {
  const { tags: all } = await remote.call<{ tags: readonly { tag: string; memories: number }[] }>(
    "list_tags",
  );
  if (all.length === 0) return "no memory has a tag";
  return all.map(({ tag, memories }) => `${String(memories).padStart(5)}  ${inLine(tag)}`).join("\n");
}

export async function renameTag(
  remote: Remote,
  wanted: { readonly tag: string; readonly to: string; readonly merge: boolean },
): Promise<string> {
  const { memories } = await remote.call<{ memories: number }>("rename_tag", wanted);
  return `${inLine(wanted.tag)} is now ${inLine(wanted.to)} in ${memories} ${memories === 1 ? "memory" : "memories"}`;
}

export async function eraseMemory(remote: Remote, id: string): Promise<string> {
  await remote.call("erase_memory", { id });
  return `erased ${id}; backups that were made before still have it`;
}
