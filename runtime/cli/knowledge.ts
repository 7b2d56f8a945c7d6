import { HouseTime } from "../wire/house-time.js";
import { inLine } from "./print.js";
import { overviewOf, type Remote } from "./remote.js";

interface Chunk {
  readonly content: string;
  readonly metadata: { readonly at: string };
  readonly source: string;
}

interface FoundKnowledge {
  readonly chunks: readonly Chunk[];
  readonly complete: boolean;
  readonly meaning?: { readonly waiting: number; readonly reason?: string };
}

interface ListedFile {
  readonly name: string;
  readonly bytes: number;
  readonly indexed: boolean;
  readonly reason?: string;
}

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
  const asked = { query, ...(type !== undefined && { source_type: type }) };
  const found = await remote.call<FoundKnowledge>("retrieve_knowledge", asked);
  if (json) return JSON.stringify(found, null, 2);
  const time = new HouseTime((await overviewOf(remote)).zone);
  const passages = found.chunks.map(
    ({ source, metadata, content }) =>
      `${inLine(source)}, ${time.minute(metadata.at)}\n${content.replaceAll(/^/gm, "  ")}`,
  );
  if (passages.length === 0) passages.push("nothing is known about this");
  if (!found.complete)
    passages.push("The index is still being made. Ask again in a minute to find all there is.");
  const { reason, waiting = 0 } = found.meaning ?? {};
  if (reason !== undefined) passages.push(`This was searched by words alone: ${inLine(reason)}.`);
  else if (waiting > 0) passages.push(`${waiting} passages are found by words alone so far.`);
  return passages.join("\n\n");
}

/** The files in the owner's folders. */
export async function files(remote: Remote, { json = false }: KnowledgeOptions): Promise<string> {
  const { files: found } = await remote.call<{ files: readonly ListedFile[] }>("listFiles", {});
  if (json) return JSON.stringify(found, null, 2);
  if (found.length === 0) return "there are no files: name folders under `knowledge:` in the configuration";
  return found
    .map(({ name, bytes, reason }) =>
      reason === undefined ? `${inLine(name)}, ${bytes} bytes` : `${inLine(name)}: ${inLine(reason)}`,
    )
    .join("\n");
}
