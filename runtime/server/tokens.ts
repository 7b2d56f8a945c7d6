import { timingSafeEqual } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { settledWithin } from "../../drivers/clock/waiting.js";
import { syncFolder } from "../../drivers/durable-file.js";
import type { Cancel, Clock } from "../../drivers/ports.js";
import { hasCode, isMissing, messageOf, unlessMissing } from "../../drivers/system-error.js";
import { type Millis, millis, seconds } from "../../drivers/units.js";
import { invalidArgument, notFound, TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import { storeFailed } from "../store/durable-file.js";
import type { Identity, Kind } from "../wire/identity.js";
import { type Asked, proofOf, secretOf, tokenKeyOf } from "../wire/proof.js";
import {
  duplicateOf,
  duplicatesIn,
  listTokens,
  makeTokens,
  pathsIn,
  readToken,
  readTokens,
  type TokenFile,
  tokenPath,
  writeToken,
} from "./token-files.js";

/** After this time at the latest a change to the tokens counts. */
const REREAD: Millis = seconds(1);
/** A call waits so long for the disk, which may hang: it may be one that switches off. A choice, many times what a slow card needs. */
const CALL_WAITS: Millis = millis(300);
/**
 * So long the tokens that were read before count for everything, while the disk does not answer. A choice: a slow card and a busy
 * computer have answered by then, and an order that waits is not too old yet (10 s).
 */
const DOUBTED_AFTER: Millis = seconds(8);
/** So long the check of an open connection waits for the disk. A choice, below the 15 s between two checks. */
export const CHECK_WAITS: Millis = seconds(10);
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

interface MadeToken extends NamedToken {
  /** Epoch milliseconds. */
  readonly made: number;
}

interface Known {
  readonly path: string;
  readonly identity: Identity;
  readonly hash: Buffer;
  readonly key: string;
}

/** The tokens that may call: a file each, in folders that only their owner can read. */
export class TokenStore {
  private readAt: Millis;
  private reading: Promise<void> | undefined;
  /** `reading` takes longer than a call waits. */
  private hangs = false;
  /** Since when the files could not be read anew, on the monotonic clock; undefined while they could. */
  private doubt: Millis | undefined;
  /** Keys that were revoked, while their files may be there or `reading` may have seen them. */
  private readonly revoked = new Set<string>();
  private complaint = "";
  private readonly watchers = new Set<(name: string) => void>();

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
    return new TokenStore(folder, clock, log, (await readTokens(folder)).map(known));
  }

  /**
   * The owner of the token. Does not wait for a disk that hangs, as the rest here. The comparison takes the same time for every
   * wrong token.
   */
  async identify(token: string, longest?: Millis): Promise<Identity | undefined> {
    await this.refresh(longest);
    const hash = secretOf(token);
    return this.known.filter((one) => timingSafeEqual(one.hash, hash))[0]?.identity;
  }

  /** The tokens without their secrets, by name. */
  async list(): Promise<readonly MadeToken[]> {
    await this.refresh();
    const found = this.known.map(async ({ path, identity, key }) => {
      const file = await stat(path).catch(unlessMissing); // it may be gone since the folder was read
      return file ? [{ identity, key, made: file.mtimeMs }] : [];
    });
    return (await Promise.all(found)).flat();
  }

  /**
   * It counts no more, and its connections close: at once, since the disk may hang. Resolves when its file is gone. Throws NOT_FOUND,
   * STORE_FAILED.
   */
  async revoke(name: string): Promise<void> {
    const ended = this.known.filter(({ identity }) => identity.name === name);
    for (const { key } of ended) this.revoked.add(key);
    this.accept(this.known);
    const paths = (await listTokens(this.folder)).filter((each) => basename(each) === name);
    if (paths.length === 0 && ended.length === 0)
      throw notFound(`there is no token ${JSON.stringify(name.slice(0, 80))}`);
    for (const path of paths) await remove(path);
    this.log("info", "a token was revoked", { token: name });
    this.readAt = NEVER;
    // a reading that began before can still have seen it, and the disk may hang
    void (this.reading ?? Promise.resolve()).then(() => {
      for (const { key } of ended) this.revoked.delete(key);
    });
  }

  /**
   * Reads the tokens anew, unless they were just read: a call on an open connection has not. Waits for the disk, as long as it may be
   * slow without a doubt. Undefined where there is nothing to wait for.
   */
  confirm(): Promise<void> | undefined {
    const reading = this.dueReading();
    if (!reading) return undefined;
    const { doubt = NEVER } = this;
    const longest = millis(doubt + DOUBTED_AFTER - this.clock.monotonic());
    if (longest <= 0 && this.hangs) return undefined;
    return this.inTime(reading, millis(Math.max(longest, CALL_WAITS)));
  }

  /** Throws TOKENS_UNREAD while the files cannot be read anew: one of the tokens may be revoked. */
  assertSure(): void {
    if (this.doubt === undefined || this.clock.monotonic() - this.doubt < DOUBTED_AFTER) return;
    throw new TendrilError("TOKENS_UNREAD", `the tokens in ${this.folder} cannot be read anew`);
  }

  /**
   * Calls the listener when the token is taken away; at once if it is gone already, since who was admitted may have waited. What
   * another program removes or replaces is found when the folder is read next.
   */
  onRevoke(name: string, listener: () => void): Cancel {
    if (!this.has(name)) listener();
    return this.watchGone((gone) => {
      if (gone === name) listener();
    });
  }

  /** Calls the listener with the name of each token that is taken away. */
  watchGone(listener: (name: string) => void): Cancel {
    const own = (name: string) => listener(name); // a new function, because the same listener may watch twice
    this.watchers.add(own);
    return () => void this.watchers.delete(own);
  }

  /** A file in the folder that holds the folder of tokens. */
  beside(name: string): string {
    return join(dirname(this.folder), name);
  }

  /** The token of this name, and its key; undefined if there is none. */
  async named(name: string, longest?: Millis): Promise<NamedToken | undefined> {
    await this.refresh(longest);
    const found = this.known.find(({ identity }) => identity.name === name);
    return found && { identity: found.identity, key: found.key };
  }

  /** The key of the token that `identify` has just found. */
  keyOf(identity: Identity): string | undefined {
    return this.known.find((each) => each.identity === identity)?.key;
  }

  /** Whether there was a token of this name when the folder was last read; each call that comes in reads it. */
  has(name: string): boolean {
    return this.known.some(({ identity }) => identity.name === name);
  }

  /** A proof that this runtime knows the token with that key; undefined if it does not. */
  async prove(key: string, asked: Asked, runtime: string): Promise<string | undefined> {
    await this.refresh();
    const found = this.known.find((each) => each.key === key);
    return found && proofOf(found.hash, asked, runtime);
  }

  /** Makes the token `kind` or `kind.name`, which counts at once, and returns its file. Throws INVALID_ARGUMENT if it exists. */
  async add(kind: Kind, name?: string): Promise<string> {
    const path = this.pathOf(kind, name);
    await writeToken(path).catch((error: unknown) => {
      throw hasCode(error, "EEXIST") ? taken(path) : error;
    });
    await this.noteWritten();
    return path;
  }

  /** The file of the token `kind`; made if it is not there. */
  async fileOf(kind: Kind): Promise<string> {
    const path = this.pathOf(kind, undefined);
    return (await listTokens(this.folder)).includes(path) ? path : this.add(kind);
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
      await this.noteWritten();
      return { name: basename(path), token };
    }
  }

  /** What was written counts with the next call. */
  private async noteWritten(): Promise<void> {
    await this.confirm(); // a reading that began before may have missed it
    this.readAt = NEVER;
  }

  private pathOf(kind: Kind, name: string | undefined): string {
    if (name === undefined) return tokenPath(this.folder, kind);
    if (TOKEN_NAME.test(name)) return tokenPath(this.folder, `${kind}.${name}`);
    const rule = "a token's name has 1–64 characters A–Z a–z 0–9 _ -";
    throw invalidArgument(`${rule}, not "${name}"`);
  }

  private async refresh(longest = CALL_WAITS): Promise<void> {
    const reading = this.dueReading();
    if (reading && !this.hangs) await this.inTime(reading, longest);
  }

  /** The one that is under way, or a new one; undefined where the tokens were just read. */
  private dueReading(): Promise<void> | undefined {
    if (this.reading) return this.reading;
    if (this.clock.monotonic() - this.readAt < REREAD) return undefined;
    this.doubt ??= this.clock.monotonic();
    this.reading = this.reread().finally(() => {
      this.reading = undefined;
      this.hangs = false;
      this.readAt = this.clock.monotonic();
    });
    return this.reading;
  }

  /** A disk that hangs changes nothing, as one that fails: what was read before it counts on. */
  private async inTime(reading: Promise<void>, longest: Millis): Promise<void> {
    await settledWithin({ clock: this.clock, longest }, reading);
    this.hangs = this.reading === reading;
  }

  /** While running, a bad file disables only its own token, and a disk error changes nothing. Both are logged once. */
  private async reread(): Promise<void> {
    const complaints: string[] = [];
    try {
      const files = await this.readTrusted(complaints);
      complaints.push(...duplicatesIn(files));
      this.accept(files.filter((file) => !duplicateOf(file, files)).map(known));
      this.doubt = undefined;
    } catch (error) {
      complaints.push(messageOf(error));
      const isTold = error instanceof TendrilError;
      if (isTold) this.accept([]);
      this.doubt = isTold ? undefined : NEVER;
    }
    this.complain(complaints.join("; "));
  }

  /** Only these count from now on. */
  private accept(read: readonly Known[]): void {
    const now = read.filter(({ key }) => !this.revoked.has(key));
    const gone = this.known.filter(({ key }) => !now.some((each) => each.key === key));
    this.known = now;
    for (const { identity } of gone) for (const watcher of this.watchers) watcher(identity.name);
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

async function remove(path: string): Promise<void> {
  try {
    await rm(path);
    await syncFolder(dirname(path));
  } catch (cause) {
    throw storeFailed(`the removal of ${path}, which counts again after a restart,`, cause);
  }
}

const taken = (path: string): TendrilError =>
  invalidArgument(`${path} exists already; another name makes another token`);

function known({ path, token, identity }: TokenFile): Known {
  const hash = secretOf(token);
  return { path, identity, hash, key: tokenKeyOf(hash) };
}
