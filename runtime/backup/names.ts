import { hostname } from "node:os";
import { OFF_FILE } from "../../drivers/guard/off-list.js";
import { RESTORE_MARK, RUNTIME_FILE } from "../places.js";
import { DATABASE_FILE } from "../store/open-database.js";
import { LOCK_FILE } from "../store/state-lock.js";

/** The last member of a backup: a file without it is not whole. */
export const MANIFEST = "manifest.json";
/** What a restore has put aside, in the state folder. */
export const ASIDE = "before-restore-";
export const PHOTOS = "photos";

/** A segment of a path: nothing hidden, nothing that leads up or elsewhere. 255 bytes is what Linux's file systems take. */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/;
/** Within a folder: pictures are named by their time, which has colons. */
const INNER_SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._:-]{0,199}$/;
/** tls/ and its like have folders of their own at most. */
const DEEPEST = 3;

/**
 * What belongs to a running process, to this very machine, or to nobody: neither backed up nor taken from a backup. The list
 * of relays above all: it says which files a service writes to.
 */
const NOT_KEPT = new Set([RUNTIME_FILE, OFF_FILE, LOCK_FILE, RESTORE_MARK, "trial"]);
const NOT_KEPT_LIKE = /\.tmp$|^before-restore-|^lock\.sqlite-|^tendril\.sqlite[.-]|\.new-[A-Za-z0-9]+$/;

/** Whether an entry of the state folder is part of what it holds. */
export const belongs = (entry: string): boolean =>
  SEGMENT.test(entry) && !NOT_KEPT.has(entry) && !NOT_KEPT_LIKE.test(entry);

/** Whether a backup may hold a file of that name, which lies in the state folder then. */
export function isMemberName(name: string): boolean {
  const [entry = "", ...inner] = name.split("/");
  return belongs(entry) && inner.length < DEEPEST && inner.every((each) => INNER_SEGMENT.test(each));
}

/** Not cut at the newline but copied by SQLite. */
export const isDatabase = (name: string): boolean => name === DATABASE_FILE;
export const isJournal = (name: string): boolean => /^journal\/[^/]+\.jsonl$/.test(name);

/** This machine's name as a file's name has it. */
export const hostName = (): string => hostname().replaceAll(/[^A-Za-z0-9-]/g, "-") || "unknown";

/** 2026-11-21T03:12:45.678Z → 20261121T031245Z: ISO 8601's basic form, as file names take it. */
export const stampIn = (iso: string): string => iso.replaceAll(/[-:]|\.\d+/g, "");
