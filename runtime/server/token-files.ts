import { randomBytes } from "node:crypto";
import { mkdtemp, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../../drivers/make-folder.js";
import { isMissing } from "../../drivers/system-error.js";
import { TendrilError } from "../errors.js";
import { type Identity, ROLES, type Role } from "../wire/identity.js";

/** 256 bits, far beyond guessing. */
const TOKEN_BYTES = 32;
/** 32 characters of base64url are 192 bits: room for tokens that a person brings along. */
const TOKEN = /^[\w-]{32,}$/;
/** Permission bits of everybody but the owner. */
const OTHERS = 0o077;

export interface TokenFile {
  readonly path: string;
  readonly identity: Identity;
  readonly token: string;
}

/** Makes tokens/ with one token a role, whole or not at all: a crash leaves no half-filled folder. */
export async function makeTokens(folder: string): Promise<void> {
  await makeFolder(dirname(folder));
  const fresh = await mkdtemp(`${folder}.new-`); // mkdtemp(3): mode 0700
  for (const role of ROLES) await writeToken(join(fresh, role));
  await rename(fresh, folder);
}

/** Writes a new random token and returns it; leaves no file without one. Rejects with EEXIST if the file is there. */
export async function writeToken(path: string): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(`${token}\n`);
    await file.sync();
  } catch (cause) {
    await rm(path, { force: true }).catch(() => undefined); // the first error is the one to tell
    throw cause;
  } finally {
    await file.close();
  }
  return token;
}

/** Names of the token files; empty for a folder that is not there. Throws TOKENS_INVALID for a folder open to others. */
export async function listTokens(folder: string): Promise<readonly string[]> {
  try {
    await refuseOthers(folder, "700");
    return (await readdir(folder)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Throws TOKENS_INVALID for a file that is open to others, names no role, or holds no token. */
export async function readToken(folder: string, name: string): Promise<TokenFile> {
  const path = join(folder, name);
  const role = roleOf(name, path);
  await refuseOthers(path, "600");
  const token = (await readFile(path, "utf8")).trim();
  if (!TOKEN.test(token))
    throw invalid(`${path} does not hold one token of at least 32 characters A–Z a–z 0–9 _ -`);
  return { path, identity: { name, role }, token };
}

/** The file name up to its first dot: `agent.balcony` is an agent. */
function roleOf(name: string, path: string): Role {
  const role = ROLES.find((known) => known === name.split(".")[0]);
  if (!role) throw invalid(`${path} does not begin with a role (${ROLES.join(", ")})`);
  return role;
}

async function refuseOthers(path: string, mode: string): Promise<void> {
  if ((await stat(path)).mode & OTHERS)
    throw invalid(`${path} is open to other users; run: chmod ${mode} ${path}`);
}

export const invalid = (what: string): TendrilError => new TendrilError("TOKENS_INVALID", what);
