import { createHash } from "node:crypto";
import { z } from "zod";
import { TendrilError } from "../errors.js";
import { MIGRATIONS } from "../store/open-database.js";
import { parseJson } from "../wire/refusal.js";
import { damaged, type Member, readArchive } from "./archive.js";
import { isMemberName, MANIFEST } from "./names.js";

/** Increased when an older Tendril could no longer restore a backup. */
export const FORMAT = 1;
/** A choice: ten years of a note every cycle and some thousand photos. */
const MAX_MEMBERS = 500_000;

const member = z.strictObject({
  name: z.string().refine(isMemberName, { error: "is not a valid name in a backup" }),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const schema = z.object({
  format: z.literal(FORMAT),
  tendril: z.string(),
  made_at: z.iso.datetime(),
  host: z.string(),
  /** Null without a database. */
  database_version: z.int().min(0).nullable(),
  /** Lines of each journal, and `readings` and `photos` of the database. */
  records: z.record(z.string(), z.int().min(0)),
  left_out: z.array(z.string()),
  members: z.array(member).max(MAX_MEMBERS),
});

/** The description of a backup in it. */
export type Manifest = z.infer<typeof schema>;

/** Throws STATE_TOO_NEW for a newer program's manifest, BACKUP_INVALID for an invalid one. */
function parseManifest(text: string): Manifest {
  const raw = parseJson(text);
  if (raw === undefined) throw damaged(undefined, "its manifest is not JSON");
  const { format } = z.object({ format: z.int() }).catch({ format: 0 }).parse(raw);
  if (format > FORMAT) throw tooNew(`the backup has format ${format}, this program knows format ${FORMAT}`);
  const { success, data, error } = schema.safeParse(raw);
  if (!success)
    throw damaged(
      undefined,
      `its manifest is wrong: ${error.issues[0]?.path.join(".")} ${error.issues[0]?.message}`,
    );
  const { database_version: found } = data;
  if (found !== null && found > MIGRATIONS.length)
    throw tooNew(
      `the backup's database has version ${found}, this program knows versions up to ${MIGRATIONS.length}`,
    );
  return data;
}

const tooNew = (what: string): TendrilError => new TendrilError("STATE_TOO_NEW", what);

/** A choice, so that a file cannot fill the memory: half a million members at 100 bytes each. */
const LONGEST_MANIFEST = 67_108_864;

/**
 * Reads a whole backup, compares every file with the manifest, and returns the manifest. Writes nothing. Throws BACKUP_INVALID,
 * STATE_TOO_NEW, or the system's error for a file that cannot be read.
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
  if (!manifest) throw damaged(file, "its manifest is missing: it was cut short, or is not a backup");
  compare(file, manifest, found);
  return manifest;
}

function compare(file: string, { members }: Manifest, found: ReadonlyMap<string, string>): void {
  for (const { name, bytes, sha256 } of members)
    if (found.get(name) !== `${bytes} ${sha256}`)
      throw damaged(file, `"${name}" is not what the manifest says`);
  if (found.size !== members.length) throw damaged(file, "it contains files that its manifest does not name");
}

/** Length and SHA-256 of a member's content. */
async function fingerprint(content: AsyncIterable<Buffer>): Promise<string> {
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
