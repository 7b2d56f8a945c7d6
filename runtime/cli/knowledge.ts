import { type HouseTime, timesIn } from "../wire/house-time.js";
import { counted } from "../wire/phrases.js";
import type {
  AnsweredQuestion,
  FileList,
  FoundKnowledge,
  FoundMemories,
  Passage,
  RenamedTag,
  TagList,
} from "../wire/records.js";
import type { SearchAudit } from "../wire/web-search.js";
import { wrongUse } from "./failure.js";
import { inLine } from "./print.js";
import { houseTimeBy, type Remote } from "./remote.js";

interface KnowledgeOptions {
  readonly type?: string;
  readonly json?: boolean;
}

/** What the house knows about something: at most five passages, each with its source and time. */
export async function knowledge(
  remote: Remote,
  query: string,
  { type, json = false }: KnowledgeOptions,
): Promise<string> {
  const found = await remote.call<FoundKnowledge>("retrieve_knowledge", { query, source_type: type });
  if (json) return JSON.stringify(found, null, 2);
  return [...(await shownPassages(remote, found.chunks)), ...stateWords(found)].join("\n\n");
}

/** The same with an answer in front, where a model is configured for it. Each sentence names its passages. */
export async function answer(
  remote: Remote,
  query: string,
  { json = false }: KnowledgeOptions,
): Promise<string> {
  const found = await remote.call<AnsweredQuestion>("search_knowledge_base", { query });
  if (json) return JSON.stringify(found, null, 2);
  const { answer: text, passages, answering } = found;
  const why = answering ? answering.reason : "no model is configured for answers (docs/knowledge.md)";
  const shown = await shownPassages(remote, passages);
  const numbered = passages.length === 0 ? shown : shown.map((each, index) => `[${index + 1}] ${each}`);
  return [
    text === null ? `There is no answer: ${inLine(why ?? "")}.` : text,
    ...(answering && answering.left_out > 0
      ? [`Sentences of the model that named no passage, left out: ${answering.left_out}.`]
      : []),
    ...numbered,
    ...stateWords(found),
  ].join("\n\n");
}

async function shownPassages(remote: Remote, chunks: readonly Passage[]): Promise<readonly string[]> {
  if (chunks.length === 0) return ["nothing is known about this"];
  const time = await houseTimeBy(remote);
  return chunks.map(
    ({ source, metadata, content }) =>
      `${inLine(source)}, ${time.minute(String(metadata.at))}\n${timesIn(content, time).replaceAll(/^/gm, "  ")}`,
  );
}

function stateWords({ complete, meaning }: Pick<FoundKnowledge, "complete" | "meaning">): readonly string[] {
  const { reason, waiting = 0 } = meaning ?? {};
  return [
    ...(complete ? [] : ["The index is still being made. Ask again in a minute to find all there is."]),
    ...(reason === undefined ? [] : [`This was searched by words alone: ${inLine(reason)}.`]),
    ...(reason === undefined && waiting > 0 ? [`${waiting} passages are found by words alone so far.`] : []),
  ];
}

export async function files(remote: Remote, { json = false }: KnowledgeOptions): Promise<string> {
  const { files: found } = await remote.call<FileList>("listFiles", {});
  if (json) return JSON.stringify(found, null, 2);
  if (found.length === 0) return "there are no files: name folders under `knowledge:` in the configuration";
  return found
    .map(({ name, bytes, reason }) =>
      reason === undefined ? `${inLine(name)}, ${bytes} bytes` : `${inLine(name)}: ${inLine(reason)}`,
    )
    .join("\n");
}

type LoggedSearch = SearchAudit["searches"][number];

interface AuditOptions {
  readonly limit?: number;
  readonly json?: boolean;
}

/** What agents searched the web for, the newest first: what was sent, what was removed, what was blocked. */
export async function audit(remote: Remote, { limit, json = false }: AuditOptions): Promise<string> {
  const found = await remote.call<SearchAudit>("list_web_searches", { limit });
  if (json) return JSON.stringify(found, null, 2);
  if (found.count === 0) return "nothing was searched for yet";
  const time = await houseTimeBy(remote);
  const lines = found.searches.map((each) => lineOf(each, time));
  const hidden = found.count - found.searches.length;
  return [...lines, ...(hidden > 0 ? [`${hidden} older: --limit shows more`] : [])].join("\n");
}

function lineOf(search: LoggedSearch, time: HouseTime): string {
  const { timestamp, by, query, outcome, removed, suspicious, after_reading: read } = search;
  const kinds = removed.map(({ kind }) => kind).join(", ");
  const parts = [
    query === null ? "blocked" : `${inLine(query)}: ${endOf(search)}`,
    ...(kinds === "" ? [] : [`removed: ${kinds}`]),
    ...(read.length === 0 ? [] : [`after reading ${read.join(", ")}`]),
    ...(suspicious.length === 0 ? [] : [`in the results: ${suspicious.join(", ")}`]),
  ];
  const mark = outcome === "blocked" || suspicious.length > 0 ? "! " : "";
  return `${mark}${time.minute(timestamp)}  ${by}  ${parts.join("; ")}`;
}

function endOf({ outcome, results, code }: LoggedSearch): string {
  if (outcome === "failed") return `failed (${code})`;
  return outcome === "answered" ? counted(results ?? 0, "result") : "sent, its end is not known";
}

interface MemoriesOptions {
  readonly limit: number;
  readonly json?: boolean;
}

/** Memories, the newest first, or the best for these words: each with its id. */
export async function memories(
  remote: Remote,
  words: string,
  { limit, json = false }: MemoriesOptions,
): Promise<string> {
  const wanted = { limit, ...(words !== "" && { query: words }) };
  const found = await remote.call<FoundMemories>("search_memories", wanted);
  if (json) return JSON.stringify(found, null, 2);
  const { items, count } = found;
  if (count === 0) return words === "" ? "nothing is remembered yet" : "no memory has these words";
  const time = await houseTimeBy(remote);
  const lines = items.map(
    ({ id, title, content, created_at, user_id }) =>
      `${id}  ${time.day(Date.parse(created_at))}  ${inLine(user_id)}  ${inLine(shortened(title || content))}`,
  );
  const hidden = count - items.length;
  return [...lines, ...(hidden > 0 ? [`${hidden} more: name words, or more with --limit`] : [])].join("\n");
}

/** Of a line on a terminal of 80 columns, what id, day and person leave. A choice. */
const LONGEST_TITLE = 60;
const shortened = (text: string): string =>
  text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE)}…` : text;

export async function tags(remote: Remote): Promise<string> {
  const { tags: all } = await remote.call<TagList>("list_tags");
  if (all.length === 0) return "no memory has a tag";
  return all.map(({ tag, memories }) => `${String(memories).padStart(5)}  ${inLine(tag)}`).join("\n");
}

export async function renameTag(
  remote: Remote,
  wanted: { readonly tag: string; readonly to: string; readonly merge: boolean },
): Promise<string> {
  const { memories } = await remote.call<RenamedTag>("rename_tag", wanted);
  return `${inLine(wanted.tag)} is now ${inLine(wanted.to)} in ${memories} ${memories === 1 ? "memory" : "memories"}`;
}

/** By its id, or by the beginning of it, as tasks are. */
export async function eraseMemory(remote: Remote, named: string): Promise<string> {
  const id = await memoryId(remote, named.trim());
  await remote.call("erase_memory", { id });
  return `erased ${id}; backups that were made before still have it`;
}

/** As many as one answer has. */
const PAGE = 50;

/** Where no memory's id begins so, the runtime is asked for exactly that one: it knows more than the search finds. */
async function memoryId(remote: Remote, begun: string): Promise<string> {
  if (begun === "") throw wrongUse("name the memory by its id, or by the beginning of it");
  const found = (await allMemories(remote)).filter(({ id }) => id.startsWith(begun.toLowerCase()));
  if (found.length === 0 || found.some(({ id }) => id === begun)) return begun;
  const [first, ...others] = found;
  if (first && others.length === 0) return first.id;
  const candidates = found.map(({ id, title, content }) => `${id} ${inLine(shortened(title || content))}`);
  throw wrongUse([`more than one memory begins with "${begun}"`, ...candidates].join("\n  "));
}

async function allMemories(remote: Remote): Promise<FoundMemories["items"]> {
  const all: FoundMemories["items"][number][] = [];
  for (let left = 1; left > 0; ) {
    const page = { limit: PAGE, offset: all.length };
    const { items, count } = await remote.call<FoundMemories>("search_memories", page);
    all.push(...items);
    left = items.length === 0 ? 0 : count - all.length;
  }
  return all;
}
