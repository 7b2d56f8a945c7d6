import { z } from "zod";
import { TendrilError } from "../errors.js";
import { MIGRATIONS } from "../store/open-database.js";
import { damaged } from "./archive.js";
import { isMemberName } from "./names.js";

/** Raised when an older Tendril could not restore a backup any more. */
export const FORMAT = 1;
/** A choice: ten years of a note every cycle and some thousand photos. */
const MOST_MEMBERS = 500_000;

const member = z.strictObject({
  name: z.string().refine(isMemberName, { error: "is no name of a file in a backup" }),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const schema = z.object({
  format: z.literal(FORMAT),
  /** Tendril's version. */
  tendril: z.string(),
  made_at: z.iso.datetime(),
  host: z.string(),
  /** Of the database; null where there is none. */
  database_version: z.int().min(0).nullable(),
  /** Lines of each journal, and `readings` and `photos` of the database. */
  records: z.record(z.string(), z.int().min(0)),
  /** What was there and is not in the backup. */
  left_out: z.array(z.string()),
  members: z.array(member).max(MOST_MEMBERS),
});

/** What a backup says of itself. */
export type Manifest = z.infer<typeof schema>;

/** Throws STATE_TOO_NEW for what a newer program has written, BACKUP_INVALID for what is no manifest. */
export function parseManifest(text: string): Manifest {
  const raw = parseJson(text);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(undefined, "its manifest is no JSON");
  }
}

const tooNew = (what: string): TendrilError => new TendrilError("STATE_TOO_NEW", what);
