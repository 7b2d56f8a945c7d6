import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdtemp, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "../../drivers/make-folder.js";
import type { Clock } from "../../drivers/ports.js";
import { hasCode, isMissing, messageOf } from "../../drivers/system-error.js";
import { type Millis, millis, seconds } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import { type Identity, KINDS, type Kind, ROLES, SCOPES } from "../wire/identity.js";
import { type Asked, proofOf, secretOf, tokenKeyOf } from "../wire/proof.js";

/** The token that the runtime makes for whoever owns the machine. */
export const OWNER = "human";

/** After this time at the latest a change to the tokens counts. */
const REREAD: Millis = seconds(1);
/** What may follow the role or scope in a token's file name. */
const TOKEN_NAME = /^[\w-]{1,64}$/;

/** Leaves place for a number behind it. */
const LONGEST_WISH = 48;
const NEVER = millis(Number.NEGATIVE_INFINITY);

/** A new token. Only its file keeps it. */
interface Issued {
  /** The name of its file, and of its caller: agent.attic */
  readonly name: string;
  readonly token: string;
}

/** A token without its secret. */
interface NamedToken {
  readonly identity: Identity;
  /** Of this token alone: a new token of the same name has another. */
  readonly key: string;
}

interface Known {
  readonly identity: Identity;
  readonly hash: Buffer;
}

/** The tokens that may call: a file each, in folders that only their owner can read. */
export class TokenStore {
  private readAt: Millis;
  private reading: Promise<void> | undefined;
  private complaint = "";

  private constructor(
    private readonly folder: string,
    private readonly clock: Clock,
    private readonly log: Log,
    private known: readonly Known[],
  ) {
    this.readAt = clock.monotonic();
  }

  /**
   * The first start makes the folder and a token for each role. Throws TOKENS_INVALID for files that it cannot trust,
   * STORE_FAILED if it cannot make them.
   */
  static async open(folder: string, clock: Clock, log: Log): Promise<TokenStore> {
    if ((await pathsIn(folder)).length === 0)
      await makeTokens(folder).catch((cause: unknown) => {
        throw new TendrilError("STORE_FAILED", `${folder} could not be made (${messageOf(cause)})`, {
          cause,
        });
      });
    const files = await Promise.all((await listTokens(folder)).map(readToken));
    const [duplicate] = duplicatesIn(files);
    if (duplicate) throw invalid(duplicate);
    return new TokenStore(folder, clock, log, files.map(known));
  }

  /** The owner of the token. The comparison takes the same time for every wrong token. */
  async identify(token: string): Promise<Identity | undefined> {
    await this.refresh();
    const hash = secretOf(token);
    return this.known.filter((one) => timingSafeEqual(one.hash, hash))[0]?.identity;
  }

  /** A file in the folder that holds the folder of tokens. */
  beside(name: string): string {
    return join(dirname(this.folder), name);
  }

  /** The token of this name, and its key; undefined if there is none. */
  async named(name: string): Promise<NamedToken | undefined> {
    await this.refresh();
    const found = this.known.find(({ identity }) => identity.name === name);
    return found && { identity: found.identity, key: tokenKeyOf(found.hash) };
  }

  /** Whether there was a token of this name when the folder was last read; each call that comes in reads it. */
  has(name: string): boolean {
    return this.known.some(({ identity }) => identity.name === name);
  }

  /** A proof that this runtime knows the token with that key; undefined if it does not. */
  async prove(key: string, asked: Asked, runtime: string): Promise<string | undefined> {
    await this.refresh();
    const found = this.known.find(({ hash }) => tokenKeyOf(hash) === key);
    return found && proofOf(found.hash, asked, runtime);
  }

  /** Makes the token `kind` or `kind.name` and returns its file. Throws INVALID_ARGUMENT if it exists. */
  async add(kind: Kind, name?: string): Promise<string> {
    const path = this.pathOf(kind, name);
    await writeToken(path).catch((error: unknown) => {
      throw hasCode(error, "EEXIST") ? taken(path) : error;
    });
    return path;
  }

  /** Throws INVALID_ARGUMENT for a name that is not allowed or is taken. */
  async assertFree(kind: Kind, name: string): Promise<void> {
    const path = this.pathOf(kind, name);
    if ((await listTokens(this.folder)).includes(path)) throw taken(path);
  }

  /** Makes a token that counts at once. Its name is as near to `wished` as possible: agent.attic, or agent.attic-2. */
  async issue(kind: Kind, wished: string): Promise<Issued> {
    const name = wished.replaceAll(/[^\w-]+/g, "-").slice(0, LONGEST_WISH) || "paired";
    for (let number = 1; ; number += 1) {
      const path = this.pathOf(kind, number === 1 ? name : `${name}-${number}`);
      const token = await writeToken(path).catch((error: unknown) => {
        if (!hasCode(error, "EEXIST")) throw error;
      });
      if (token === undefined) continue;
      this.readAt = NEVER;
      return { name: basename(path), token };
    }
  }

  private pathOf(kind: Kind, name: string | undefined): string {
    if (name === undefined) return tokenPath(this.folder, kind);
    if (TOKEN_NAME.test(name)) return tokenPath(this.folder, `${kind}.${name}`);
    const rule = "a token's name has 1–64 characters A–Z a–z 0–9 _ -";
    throw new TendrilError("INVALID_ARGUMENT", `${rule}, not "${name}"`);
  }

  private async refresh(): Promise<void> {
    if (!this.reading && this.clock.monotonic() - this.readAt < REREAD) return;
    this.reading ??= this.reread().finally(() => {
      this.reading = undefined;
      this.readAt = this.clock.monotonic();
    });
    await this.reading;
  }

  /** While running, a bad file disables only its own token, and a disk error changes nothing. Both are logged once. */
  private async reread(): Promise<void> {
    const complaints: string[] = [];
    try {
      const files = await this.readTrusted(complaints);
      complaints.push(...duplicatesIn(files));
      this.known = files.filter((file) => !duplicateOf(file, files)).map(known);
    } catch (error) {
      complaints.push(messageOf(error));
      if (error instanceof TendrilError) this.known = [];
    }
    this.complain(complaints.join("; "));
  }

  private async readTrusted(complaints: string[]): Promise<readonly TokenFile[]> {
    const files: TokenFile[] = [];
    for (const path of await listTokens(this.folder)) {
      try {
        files.push(await readToken(path));
      } catch (error) {
        if (error instanceof TendrilError) complaints.push(error.what);
        else if (!isMissing(error)) throw error;
      }
    }
    return files;
  }

  private complain(complaint: string): void {
    if (complaint && complaint !== this.complaint)
      this.log("warn", "tokens not accepted", { why: complaint });
    this.complaint = complaint;
  }
}

const taken = (path: string): TendrilError =>
  new TendrilError("INVALID_ARGUMENT", `${path} exists already; another name makes another token`);

const known = ({ token, identity }: TokenFile): Known => ({ identity, hash: secretOf(token) });

/** Another file with the same token: nobody could say whose it is. */
const duplicateOf = (file: TokenFile, files: readonly TokenFile[]): TokenFile | undefined =>
  files.find((other) => other !== file && other.token === file.token);

function duplicatesIn(files: readonly TokenFile[]): string[] {
  return files.flatMap((file) => {
    const other = duplicateOf(file, files);
    return other && file.path < other.path ? [`${file.path} and ${other.path} hold the same token`] : [];
  });
}

/** 256 bits, which nobody can guess. */
const TOKEN_BYTES = 32;
/** 32 characters of base64url are 192 bits: a person may bring a token of their own. */
const TOKEN = /^[\w-]{32,}$/;
/** Permission bits of everybody but the owner. */
const OTHERS = 0o077;
/**
 * The folder of tokens with a scope, beside tokens/. Versions without scopes do not start if a name in tokens/ begins
 * with no role, and a person may go back to one of them.
 */
const SCOPED = "tokens-scoped";

interface TokenFile {
  readonly path: string;
  readonly identity: Identity;
  readonly token: string;
}

/** Makes tokens/ with a token for each role. A crash leaves all of them or none. */
async function makeTokens(folder: string): Promise<void> {
  await makeFolder(dirname(folder));
  const fresh = await mkdtemp(`${folder}.new-`); // mkdtemp(3): mode 0700
  for (const role of ROLES) await writeToken(join(fresh, role));
  await rename(fresh, folder);
}

/** The path of a token of this name; `folder` is tokens/. */
const tokenPath = (folder: string, name: string): string =>
  join(SCOPES.some((scope) => scope === kindIn(name)) ? scopedFolder(folder) : folder, name);

const scopedFolder = (folder: string): string => join(dirname(folder), SCOPED);

/** Writes a new random token and returns it; leaves no file without a token. Rejects with EEXIST if the file exists. */
async function writeToken(path: string): Promise<string> {
  if (basename(dirname(path)) === SCOPED) await makeScopedFolder(dirname(path));
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

/** Fails without EEXIST, which callers take for a name that is taken. */
async function makeScopedFolder(folder: string): Promise<void> {
  await makeFolder(folder, 0o700).catch((cause: unknown) => {
    throw new Error(`${folder} cannot be made a folder`, { cause });
  });
}

/** Paths of the token files, given tokens/; none without that folder. Throws TOKENS_INVALID if others can read it. */
export async function listTokens(folder: string): Promise<readonly string[]> {
  const all = await Promise.all([folder, scopedFolder(folder)].map(pathsIn));
  return all.flat();
}

/** The token files of one folder. */
export async function pathsIn(folder: string): Promise<readonly string[]> {
  try {
    await refuseOthers(folder, "700");
    return (await readdir(folder)).sort().map((name) => join(folder, name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Throws TOKENS_INVALID for a file that others can read, that names no role or scope, or that holds no token. */
export async function readToken(path: string): Promise<TokenFile> {
  const name = basename(path);
  const role = kindOf(path);
  await refuseOthers(path, "600");
  const token = (await readFile(path, "utf8")).trim();
  if (!TOKEN.test(token))
    throw invalid(`${path} does not hold one token of at least 32 characters A–Z a–z 0–9 _ -`);
  return { path, identity: { name, role }, token };
}

/** The file name up to its first dot: `agent.balcony` is an agent. */
const kindIn = (name: string): Kind | undefined => KINDS.find((known) => known === name.split(".")[0]);

function kindOf(path: string): Kind {
  const [known, what]: [readonly Kind[], string] =
    basename(dirname(path)) === SCOPED ? [SCOPES, "scope"] : [ROLES, "role"];
  const kind = kindIn(basename(path));
  if (kind && known.includes(kind)) return kind;
  throw invalid(`${path} does not begin with a ${what} (${known.join(", ")})`);
}

async function refuseOthers(path: string, mode: string): Promise<void> {
  if ((await stat(path)).mode & OTHERS)
    throw invalid(`${path} is open to other users; run: chmod ${mode} ${path}`);
}

export const invalid = (what: string): TendrilError => new TendrilError("TOKENS_INVALID", what);
