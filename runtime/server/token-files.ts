import { randomBytes } from "node:crypto";
import { mkdtemp, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { isOpenToOthers, makeFolder, readPlain } from "../../drivers/durable-file.js";
import type { Clock } from "../../drivers/ports.js";
import { hasCode, messageOf, unlessMissing } from "../../drivers/system-error.js";
import { minutes } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import { TOKEN_USES_FILE } from "../places.js";
import { readIfThere, writeDurably } from "../store/durable-file.js";
import { type Identity, KINDS, type Kind, ROLES, SCOPES } from "../wire/identity.js";

/** The files of tokens: one each, which only their owner can read. */

/** Another file with the same token: nobody could say whose it is. */
export const duplicateOf = (file: TokenFile, files: readonly TokenFile[]): TokenFile | undefined =>
  files.find((other) => other !== file && other.token === file.token);

export function duplicatesIn(files: readonly TokenFile[]): string[] {
  return files.flatMap((file) => {
    const other = duplicateOf(file, files);
    return other && file.path < other.path ? [`${file.path} and ${other.path} hold the same token`] : [];
  });
}

/** 256 bits, which nobody can guess. */
const TOKEN_BYTES = 32;
/** 32 characters of base64url are 192 bits: a person may bring a token of their own. */
const TOKEN = /^[\w-]{32,}$/;
/** A choice: no file with a token is longer, and to read one of gigabytes would end the runtime. */
const MOST_BYTES = 65_536;
/**
 * The folder of tokens with a scope, beside tokens/. Versions without scopes do not start if a name in tokens/ begins
 * with no role, and a person may go back to one of them.
 */
const SCOPED = "tokens-scoped";

export interface TokenFile {
  readonly path: string;
  readonly identity: Identity;
  readonly token: string;
}

/** Makes tokens/ with a token for each role. A crash leaves all of them or none. */
export async function makeTokens(folder: string): Promise<void> {
  await makeFolder(dirname(folder));
  const fresh = await mkdtemp(`${folder}.new-`); // mkdtemp(3): mode 0700
  for (const role of ROLES) await writeToken(join(fresh, role));
  await rename(fresh, folder);
}

/** The path of a token of this name; `folder` is tokens/. */
export const tokenPath = (folder: string, name: string): string =>
  join(SCOPES.some((scope) => scope === kindIn(name)) ? scopedFolder(folder) : folder, name);

const scopedFolder = (folder: string): string => join(dirname(folder), SCOPED);

/** Writes a new random token and returns it; leaves no file without a token. Rejects with EEXIST if the file exists. */
export async function writeToken(path: string): Promise<string> {
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

/** All tokens, as a start takes them. Throws TOKENS_INVALID for files that it cannot trust. */
export async function readTokens(folder: string): Promise<readonly TokenFile[]> {
  const files = await Promise.all((await listTokens(folder)).map(readToken));
  const [duplicate] = duplicatesIn(files);
  if (duplicate) throw invalid(duplicate);
  return files;
}

/** The token files of one folder. */
export async function pathsIn(folder: string): Promise<readonly string[]> {
  const names = await refuseOthers(folder, "700")
    .then(() => readdir(folder))
    .catch(unlessMissing);
  return (names ?? []).sort().map((name) => join(folder, name));
}

/** Throws TOKENS_INVALID for a file that others can read, that names no role or scope, or that holds no token. */
export async function readToken(path: string): Promise<TokenFile> {
  const name = basename(path);
  const role = kindOf(path);
  const token = (await contentOf(path))?.trim();
  if (token === undefined) throw invalid(`${path} is no file, or has more than ${MOST_BYTES} bytes`);
  if (!TOKEN.test(token))
    throw invalid(`${path} does not hold one token of at least 32 characters A–Z a–z 0–9 _ -`);
  return { path, identity: { name, role }, token };
}

/** Why one file cannot be opened while the disk is well: it is another user's, a loop of links, or a socket. */
const OF_THE_FILE = ["EACCES", "EPERM", "ELOOP", "ENXIO"];

async function contentOf(path: string): Promise<string | undefined> {
  try {
    await refuseOthers(path, "600");
    return await readPlain(path, MOST_BYTES);
  } catch (error) {
    if (OF_THE_FILE.some((code) => hasCode(error, code))) throw invalid(messageOf(error));
    throw error;
  }
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
  if (isOpenToOthers(await stat(path)))
    throw invalid(`${path} is open to other users; run: chmod ${mode} ${path}`);
}

const invalid = (what: string): TendrilError => new TendrilError("TOKENS_INVALID", what);

/** How often the file says that a token was used. A choice: a card wears out by writes. */
const NOTE_EVERY = minutes(24 * 60);
/** A choice: keys of tokens that are no more go when there are so many; a house has a handful. */
const MAX = 200;

/** By the token's key: when it was used last, in epoch milliseconds. */
const file = z.record(z.string().regex(/^[0-9a-f]+$/), z.number());

/** When each token was last used: exactly since the start, to the day before it. */
export class TokenUses {
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly written: Map<string, number>,
    private readonly latest = new Map(written),
  ) {}

  /** A file that cannot be read costs what it says, not the start. */
  static async open(tokens: { beside(file: string): string }, clock: Clock, log: Log): Promise<TokenUses> {
    const path = tokens.beside(TOKEN_USES_FILE);
    try {
      const text = await readIfThere(path);
      const known = text === undefined ? {} : file.parse(JSON.parse(text));
      return new TokenUses(path, clock, log, new Map(Object.entries(known)));
    } catch (error) {
      log("warn", "when tokens were last used is lost", { why: messageOf(error) });
      return new TokenUses(path, clock, log, new Map());
    }
  }

  of(key: string): number | undefined {
    return this.latest.get(key);
  }

  note(key: string): void {
    const now = this.clock.now();
    this.latest.set(key, now);
    const before = this.written.get(key);
    // also after a clock that was ahead
    if (before !== undefined && Math.abs(now - before) < NOTE_EVERY) return;
    this.written.set(key, now);
    this.write();
  }

  /** Resolves once all is written. */
  settled(): Promise<void> {
    return this.writing;
  }

  /** One write after the other, each of what there is then. */
  private write(): void {
    const write = () => {
      const newest = [...this.written].sort(([, a], [, b]) => b - a).slice(0, MAX);
      return writeDurably(this.path, JSON.stringify(Object.fromEntries(newest)));
    };
    this.writing = this.writing.then(write).catch((error: unknown) => {
      this.log("warn", "the use of a token is not written down", { why: messageOf(error) });
    });
  }
}
