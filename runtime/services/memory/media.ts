import { createHmac, randomBytes } from "node:crypto";
import { type FileHandle, mkdir, readdir, rm, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { z } from "zod";
import { openPlain } from "../../../drivers/durable-file.js";
import { Mutex } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { hours, type Millis } from "../../../drivers/units.js";
import { errorTable, final, notAllowed, notFound, TendrilError } from "../../errors.js";
import type { Log } from "../../log.js";
import { freeBytes } from "../../store/free-space.js";
import { namesIn, sizeOf } from "../../store/state-folder.js";
import type { Route, Upload, UploadRoute } from "../../tools/host.js";
import { mayActAs } from "../../wire/identity.js";
import { LARGEST_UPLOAD, TAKEN, type Uploaded } from "../../wire/media.js";
import { PATHS } from "../../wire/names.js";
import { sameText } from "../../wire/proof.js";
import { HOUSEHOLD, type View } from "../household/household.js";
import type { House } from "../module.js";
import type { MemoryItem } from "./item.js";
import { placeIn } from "./settle.js";

/** What a file truly is. Neither its name nor the word of the browser is believed. */

interface MediaType {
  readonly type: string;
  /** With its dot. */
  readonly ending: string;
}

const text = (ending: string, type: string) => ({ ending, type: `${type}; charset=utf-8` });

/** What is taken. No SVG and no HTML: both can have scripts. */
const TYPES = {
  jpeg: { ending: ".jpg", type: "image/jpeg" },
  png: { ending: ".png", type: "image/png" },
  gif: { ending: ".gif", type: "image/gif" },
  webp: { ending: ".webp", type: "image/webp" },
  heic: { ending: ".heic", type: "image/heic" },
  pdf: { ending: ".pdf", type: "application/pdf" },
  txt: text(".txt", "text/plain"),
  md: text(".md", "text/markdown"),
  csv: text(".csv", "text/csv"),
} as const satisfies Record<string, MediaType>;

/** How files begin, in hexadecimal digits. Sources: each format's specification, as the WHATWG's MIME Sniffing has them. */
const BEGINNINGS: readonly (readonly [keyof typeof TYPES, RegExp])[] = [
  ["jpeg", /^ffd8ff/],
  ["png", /^89504e470d0a1a0a/],
  ["gif", /^47494638(?:37|39)61/], // GIF87a, GIF89a
  ["webp", /^52494646.{8}57454250/], // RIFF….WEBP
  ["heic", /^.{8}66747970(?:68656963|68656978|6d696631|6d736631)/], // ….ftyp, then heic, heix, mif1 or msf1
  ["pdf", /^255044462d/], // %PDF-
];

/** What a file is by its bytes; text needs an ending that says so, since any text could be a script. Undefined: nothing that is taken. */
export function typeOfBytes(bytes: Uint8Array, name: string): MediaType | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  const [known] = BEGINNINGS.find(([, beginning]) => beginning.test(head)) ?? [];
  if (known) return TYPES[known];
  const named = typeOfName(name);
  return named?.type.startsWith("text/") && isText(bytes) ? named : undefined;
}

/** By the ending alone: for files that have their ending from `typeOfBytes`, or that the owner put there. */
export const typeOfName = (name: string): MediaType | undefined =>
  Object.values(TYPES).find(({ ending }) => ending === extname(name).toLowerCase());

const isPicture = ({ type }: MediaType): boolean => type.startsWith("image/");

/** UTF-8 without control characters, as people write it. */
function isText(bytes: Uint8Array): boolean {
  try {
    const words = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return !/[^\P{Cc}\t\n\r\f]/u.test(words);
  } catch {
    return false; // no UTF-8
  }
}

/** A choice: what a list of files has room for. */
const LONGEST_STEM = 60;

/** The name without folders, ending and all that is not plain ASCII: a backup takes no other names. */
export function stemOf(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .slice(0, last.length - extname(last).length)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .slice(0, LONGEST_STEM)
    .replaceAll(/^-+|-+$/g, "");
  return plain === "" ? "file" : plain;
}

/** The folder in the state folder that media lie in. */
export const MEDIA = "media";
/** In it, what people upload. The owner's own files lie beside it. */
export const UPLOADS = "uploads";

export const MEDIA_ERRORS = errorTable({
  MEDIA_REFUSED: final(`send ${TAKEN}`, "nothing"),
  MEDIA_FULL: final(
    "erase memories with files (`tendril memory erase ID`), or raise media.megabytes in the configuration",
    "nothing",
  ),
});

export const mediaConfig = {
  media: z
    .strictObject({
      megabytes: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(200)
        .describe("uploads beyond this are refused; every backup has them all"),
    })
    .prefault({}),
};

/** Bytes that an upload leaves free on the disk. A choice: without room for its record, no water flows. */
const LEAST_FREE = 200_000_000;
/** What a file costs at least: a block of the file system. So a million tiny files are full too. */
const BLOCK = 4096;
/** A choice: an upload is named by a memory within seconds; a page that was closed in between comes back within a day. */
const UNNAMED_STAYS = hours(24);
/** A choice, as long as photo links by default. */
const LINK_LASTS = hours(1);
/** What a file of ours is called: what it was called before, and 64 bits that nobody guesses. The last three bytes say who uploaded it. */
const [RANDOM_BYTES, MARK_BYTES] = [5, 3];

/** The mark of an upload, behind what makes its name unlike any other. */
const MARKED = new RegExp(`^${UPLOADS}/.*-([0-9a-f]{${2 * RANDOM_BYTES}})([0-9a-f]{${2 * MARK_BYTES}})\\.`);

/** `by`: the token, or the person on a channel. */
type KeptUpload = Pick<Upload, "name" | "bytes"> & { readonly by: string };

interface MediaParts {
  readonly folder: string;
  /** Writes a whole file, or nothing. Rejects with STORE_FAILED. */
  readonly saveFile: (file: string, content: Uint8Array) => Promise<void>;
  readonly mostBytes: number;
  /** Real time: files and links have it. */
  readonly clock: Clock;
  readonly key: Buffer;
  readonly publicUrl: () => string;
  /** Every file that a memory names, also a deleted one, with the owners of these memories. */
  readonly named: () => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Ids of people. */
  readonly people: readonly string[];
  /** The person whose token it is, or who writes on a channel; undefined for a token that is nobody's. */
  readonly personOf: (by: string) => string | undefined;
  readonly log: Log;
  /** Bytes that are free on the disk of a folder. */
  readonly freeOn?: (folder: string) => Promise<number>;
}

/** Files that people give the house: taken, kept within a limit, and opened by signed links. */
export class Media {
  private readonly turns = new Mutex();
  /** On the monotonic clock: when a file can be a day old that was not when it was looked at last. */
  private nextSweep = 0;

  constructor(private readonly parts: MediaParts) {}

  /** Throws MEDIA_REFUSED, MEDIA_FULL, STORE_FAILED; then there is no file of it. */
  async upload({ name, bytes, by }: KeptUpload): Promise<Uploaded> {
    const { type, ending } = takenType(bytes, name);
    const random = randomBytes(RANDOM_BYTES).toString("hex");
    const mark = this.mark(random, this.parts.personOf(by) ?? HOUSEHOLD);
    const file = `${stemOf(name)}-${random}${mark}${ending}`;
    return this.turns.run(async () => {
      const folder = join(this.parts.folder, UPLOADS);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await this.sweepIfDue(folder);
      await this.assertRoom(folder, bytes.length);
      await this.parts.saveFile(join(folder, file), bytes);
      this.parts.log("info", "upload", { by, file, bytes: bytes.length });
      return { path: `${UPLOADS}/${file}`, type, bytes: bytes.length };
    });
  }

  /**
   * Whether somebody may name a file in a memory: who uploaded it, or sees a memory that names it. What no memory names is the
   * household's if a token that is nobody's uploaded it, or the owner put it there.
   */
  async mayName(path: string, { sees }: Pick<View, "sees">): Promise<boolean> {
    const [, random = "", mark] = MARKED.exec(path) ?? [];
    const uploader = this.parts.people.find((person) => mark === this.mark(random, person));
    if (uploader !== undefined && sees(uploader)) return true;
    const owners = (await this.parts.named()).get(path) ?? [];
    return owners.length > 0 ? owners.some(sees) : uploader === undefined;
  }

  /** For each hour. It looks once a day, and makes no folder. */
  tidy(): Promise<void> {
    return this.turns.run(() => this.sweepIfDue(join(this.parts.folder, UPLOADS)));
  }

  /** Removes those of a memory's uploads that no memory names any more. */
  async drop(files: readonly string[]): Promise<void> {
    if (files.length === 0) return;
    const named = await this.parts.named();
    const ours = files.filter((file) => file.startsWith(`${UPLOADS}/`) && !named.has(file));
    for (const file of ours) await rm(join(this.parts.folder, file), { force: true });
  }

  link(path: string): string {
    const expires = String(Math.ceil((this.parts.clock.now() + LINK_LASTS) / 1000));
    const query = new URLSearchParams({ expires, signature: this.sign(path, expires) });
    const place = path.split("/").map(encodeURIComponent).join("/");
    return `${this.parts.publicUrl()}${PATHS.media}/${place}?${query}`;
  }

  /** The file for a genuine link that has not expired; the caller closes it. Undefined for any other link. */
  async open(path: string, query: URLSearchParams): Promise<OpenMedia | undefined> {
    const [expires, signature] = [query.get("expires"), query.get("signature")];
    if (!expires || !signature || !sameText(signature, this.sign(path, expires))) return undefined;
    if (Number(expires) * 1000 <= this.parts.clock.now()) return undefined;
    const place = await placeIn(this.parts.folder, "link", path);
    const file = await openPlain(join(this.parts.folder, place));
    return file && { file, type: typeOfName(place) };
  }

  private async sweepIfDue(folder: string): Promise<void> {
    const { clock } = this.parts;
    if (clock.monotonic() < this.nextSweep) return;
    await this.sweep(folder);
    this.nextSweep = clock.monotonic() + UNNAMED_STAYS;
  }

  /** Takes away what a crash cut off, and uploads that no memory has named within a day. */
  private async sweep(folder: string): Promise<void> {
    const names = await namesIn(folder);
    if (names.length === 0) return;
    const named = await this.parts.named();
    const oldest: Millis = (this.parts.clock.now() - UNNAMED_STAYS) as Millis;
    for (const name of names) {
      const isCut = name.endsWith(".tmp");
      if (!isCut && named.has(`${UPLOADS}/${name}`)) continue;
      if (isCut || (await stat(join(folder, name))).mtimeMs < oldest) await rm(join(folder, name));
    }
  }

  private async assertRoom(folder: string, bytes: number): Promise<void> {
    const { mostBytes, freeOn = freeBytes } = this.parts;
    const free = (await freeOn(folder)) - bytes;
    if (free < LEAST_FREE)
      throw new TendrilError("NO_ROOM", `the disk would have ${free} bytes left, and needs ${LEAST_FREE}`);
    // an owner may take a file away meanwhile
    const sizes = (await readdir(folder)).map((name) => sizeOf(join(folder, name)));
    const used = (await Promise.all(sizes)).reduce((sum, size) => sum + Math.max(size, BLOCK), 0);
    if (used + bytes <= mostBytes) return;
    const what = `the uploads have ${used} bytes already, and may have ${mostBytes}`;
    throw new TendrilError(MEDIA_ERRORS.MEDIA_FULL, what, { details: { used, most: mostBytes } });
  }

  private mark(random: string, person: string): string {
    const marked = JSON.stringify([UPLOADS, random, person]);
    const whole = createHmac("sha256", this.parts.key).update(marked).digest("hex");
    return whole.slice(0, 2 * MARK_BYTES);
  }

  private sign(path: string, expires: string): string {
    const signed = JSON.stringify([PATHS.media, path, expires, ""]); // four: no photo link looks like this
    return createHmac("sha256", this.parts.key).update(signed).digest("base64url");
  }
}

interface OpenMedia {
  readonly file: FileHandle;
  /** Undefined: it is for the disk, not to be shown. */
  readonly type: MediaType | undefined;
}

function takenType(bytes: Uint8Array, name: string): MediaType {
  const type = bytes.length === 0 ? undefined : typeOfBytes(bytes, name);
  if (type) return type;
  const what = bytes.length === 0 ? "the file is empty" : "files of this kind are not taken";
  throw new TendrilError(MEDIA_ERRORS.MEDIA_REFUSED, what);
}

export const filesOf = (item: MemoryItem | null): readonly string[] =>
  item ? [...new Set([...(item.media_path === null ? [] : [item.media_path]), ...item.attachments])] : [];

type Senders = Pick<House, "senderOn">;

/** A person gives the house a file, also on a channel. What it is for is said by `save_memory`. */
export const uploadRoute = (media: Pick<Media, "upload">, senders: Senders): UploadRoute => ({
  path: PATHS.media,
  may: { role: "human", scopes: ["bridge"] },
  mostBytes: LARGEST_UPLOAD,
  take: async (upload) => media.upload({ ...upload, by: senderOf(upload, senders) }),
});

/** The bridge has no files of its own: it brings those of a person whose account is paired. Throws FORBIDDEN, UNKNOWN_ACCOUNT. */
function senderOf({ by, from }: Upload, senders: Senders): string {
  if (mayActAs(by.role, "human")) return by.name;
  if (from) return senders.senderOn(from.channel, from.account);
  throw notAllowed("the bridge uploads only what an account on a channel has sent");
}

/** Opens the file of a signed link. Pictures are shown; all else is for the disk, so that no browser runs it as ours. */
export const mediaRoute = (media: Pick<Media, "open">): Route => ({
  path: `${PATHS.media}/`,
  may: "signed link",
  answer: async ({ path, query }) => {
    const place = decoded(path.slice(PATHS.media.length + 1));
    const found = place === undefined ? undefined : await media.open(place, query);
    if (!found)
      throw notFound("there is no such file, or its link has expired (get_media_links signs a new one)");
    const { file, type } = found;
    const isShown = type !== undefined && isPicture(type);
    return {
      type: type?.type ?? "application/octet-stream",
      body: file,
      headers: {
        "Cache-Control": "private, no-store",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Content-Disposition": isShown ? "inline" : "attachment",
      },
    };
  },
});

/** Undefined for what is no encoded path. */
function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
