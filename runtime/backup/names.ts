import { hostname } from "node:os";
import { OFF_FILE } from "../../drivers/guard/off-list.js";
import { CALENDARS, RESTORE_MARK, RUNTIME_FILE, SESSIONS_FILE, TOKEN_USES_FILE } from "../places.js";
import { DATABASE_FILE } from "../store/open-database.js";
import { LOCK_FILE } from "../store/state-lock.js";

/** The last member of a backup: a file without it is incomplete. */
export const MANIFEST = "manifest.json";
/** Prefix of the folder in the state folder with the state from before a restore. */
export const ASIDE = "before-restore-";
export const PHOTOS = "photos";

/** A segment of a path: not hidden, no "..". Linux's file systems allow 255 bytes. */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/;
/** A segment within a folder: names of pictures are times, with colons. */
const INNER_SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._:-]{0,199}$/;
/** Deepest path: a folder such as tls/ may have subfolders. */
const DEEPEST = 3;

/**
 * Entries of a running process or of this machine only, and what is made of other files or fetched again: neither backed up nor
 * restored. Above all the list of relays, which names files that a service writes to.
 */
const NOT_KEPT = new Set([
  ...[RUNTIME_FILE, OFF_FILE, LOCK_FILE, RESTORE_MARK, CALENDARS, SESSIONS_FILE, TOKEN_USES_FILE],
  "trial",
]);
const NOT_KEPT_LIKE =
  /\.tmp$|^before-restore-|^lock\.sqlite-|^tendril\.sqlite[.-]|^knowledge\.sqlite|\.new-[A-Za-z0-9]+$/;

/** Whether an entry of the state folder belongs into a backup. */
export const belongs = (entry: string): boolean =>
  SEGMENT.test(entry) && !NOT_KEPT.has(entry) && !NOT_KEPT_LIKE.test(entry);

/** Whether a backup may contain a file of this name, relative to the state folder. */
export function isMemberName(name: string): boolean {
  const [entry = "", ...inner] = name.split("/");
  return belongs(entry) && inner.length < DEEPEST && inner.every((each) => INNER_SEGMENT.test(each));
}

/** Copied by SQLite. */
export const isDatabase = (name: string): boolean => name === DATABASE_FILE;
export const isJournal = (name: string): boolean => /^journal\/[^/]+\.jsonl$/.test(name);

/** This machine's name, for file names. */
export const hostName = (): string => hostname().replaceAll(/[^A-Za-z0-9-]/g, "-") || "unknown";

/** 2026-11-21T03:12:45.678Z → 20261121T031245Z: ISO 8601's basic form, for file names. */
export const stampIn = (iso: string): string => iso.replaceAll(/[-:]|\.\d+/g, "");
