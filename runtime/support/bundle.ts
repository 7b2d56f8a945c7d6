import { chown, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveWriter } from "../backup/archive.js";
import type { Part } from "./parts.js";
import { Scrubber } from "./scrubber.js";

/** The same parts without what nobody else should know. A name cannot hold a secret: they are this program's own. */
export function scrubbed(parts: readonly Part[], secrets: Iterable<string | Buffer>): Part[] {
  const scrubber = new Scrubber(secrets);
  return parts.map(({ name, text }) => ({ name, text: scrubber.scrub(text) }));
}

/** Writes the parts to a new file in `folder`, whole or not at all; its path. */
export async function writeBundle(
  folder: string,
  name: string,
  parts: readonly Part[],
  at: Date,
): Promise<string> {
  const stage = await mkdtemp(join(folder, ".tendril-support-"));
  try {
    const made = join(stage, "new.tar.gz");
    const writer = await ArchiveWriter.create(made, at);
    for (const { name: member, text } of parts) {
      const bytes = Buffer.from(text);
      await writer.add({ name: `tendril-support/${member}`, bytes: bytes.length }, [bytes]);
    }
    await writer.finish();
    await handOver(made);
    await rename(made, join(folder, name));
    return join(folder, name);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** Who has called it by sudo is to be able to read and send it [sudo(8), "ENVIRONMENT"]. */
async function handOver(file: string): Promise<void> {
  const { SUDO_UID: uid, SUDO_GID: gid } = process.env;
  if (process.geteuid?.() === 0 && uid && gid) await chown(file, Number(uid), Number(gid));
}
