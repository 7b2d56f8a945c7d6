import { createHash } from "node:crypto";
import { damaged, type Member, readArchive } from "./archive.js";
import { type Manifest, parseManifest } from "./manifest.js";
import { MANIFEST } from "./names.js";

/** A choice, against a file that would fill the memory: half a million members at 100 bytes each. */
const LONGEST_MANIFEST = 67_108_864;

/**
 * Reads a backup to its end, writes nothing, and returns what it says of itself once every file in it is what its manifest says.
 * Throws BACKUP_INVALID, STATE_TOO_NEW, or what the system says of a file that cannot be read.
 */
export async function verifyBackup(file: string): Promise<Manifest> {
  const found = new Map<string, string>();
  let manifest: Manifest | undefined;
  await readArchive(file, async (member, content) => {
    if (manifest) throw damaged(file, `"${member.name}" comes after the manifest`);
    if (found.has(member.name)) throw damaged(file, `"${member.name}" is there twice`);
    if (member.name === MANIFEST) manifest = parseManifest(await textOf(member, content));
    else found.set(member.name, await fingerprint(content));
  });
  if (!manifest) throw damaged(file, "its manifest is missing: it was cut short, or is no backup");
  compare(file, manifest, found);
  return manifest;
}

function compare(file: string, { members }: Manifest, found: ReadonlyMap<string, string>): void {
  for (const { name, bytes, sha256 } of members)
    if (found.get(name) !== `${bytes} ${sha256}`)
      throw damaged(file, `"${name}" is not what the manifest says`);
  if (found.size !== members.length) throw damaged(file, "it holds files that its manifest does not name");
}

/** Length and SHA-256 of a member's content. */
export async function fingerprint(content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return `${bytes} ${hash.digest("hex")}`;
}

async function textOf({ bytes }: Member, content: AsyncIterable<Buffer>): Promise<string> {
  if (bytes > LONGEST_MANIFEST) throw damaged(undefined, "its manifest is too long");
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
