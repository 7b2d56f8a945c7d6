import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { hasCode } from "../../../drivers/system-error.js";
import { errorTable, excerpt, final, invalidArgument, notFound, TendrilError } from "../../errors.js";
import { instantIn, isoUtc } from "../../tools/iso-time.js";
import { HouseTime } from "../../wire/house-time.js";
import { folded } from "../../word-stems.js";
import type { Person } from "../household/household.js";
import { EMPTY_ITEM, type GivenFields, type MemoryItem } from "./item.js";

export const ITEM_ERRORS = errorTable({
  PATH_OUTSIDE: final("name a file inside the folder media/ of the state folder", "nothing"),
});

/** A person or a plant, as the configuration names it. */
interface Named {
  readonly id: string;
  readonly name?: string | undefined;
}

export interface Settling {
  /** Of the owner, where the memory names no zone. */
  readonly zone: string;
  readonly people: readonly Person[];
  readonly plants: readonly Named[];
  /** Rooms of the house. */
  readonly places: readonly string[];
  /** The folder that media lie in. */
  readonly media: string;
  /** Whether who asks may name this file of it. */
  readonly mayName: (place: string) => Promise<boolean>;
}

type Item = Omit<MemoryItem, "id" | "user_id">;

/**
 * A whole memory from what was given and what it was before: times in UTC, mentions among the people, the day that it belongs to,
 * media by their place in the media folder. Throws INVALID_ARGUMENT, NOT_FOUND, PATH_OUTSIDE.
 */
export async function settled(given: GivenFields, before: Item, settling: Settling): Promise<Item> {
  const item = { ...before, ...withDefaults(given) };
  const zone = item.timezone ?? settling.zone;
  const timed = { ...item, ...timesOf(given, zone) };
  assertOrder(timed);
  const dated = { ...timed, date_bucket: bucketOf(timed, zone) };
  assertBucket(given.date_bucket, dated.date_bucket);
  const links = [...item.content.matchAll(MENTION)].map(([, name = ""]) => linkOf(name, settling));
  const named = (kind: Link["kind"]) => links.filter((link) => link.kind === kind).map(({ name }) => name);
  const media = { attachments: item.attachments, ...(await mediaOf(given, settling)) };
  const pictures = await picturesOf(named("file"), settling);
  return {
    ...{ ...dated, ...media, attendees: [...item.attendees] },
    people: linked([...item.people, ...named("person")], settling.people),
    attachments: [...new Set([...media.attachments, ...pictures])],
    location: item.location ?? named("place")[0] ?? null,
    metadata: withPlants(item.metadata, named("plant")),
  };
}

/** What was given; null is what stands where nothing was given. */
function withDefaults(given: GivenFields): Partial<Item> {
  const empty: Readonly<Record<string, unknown>> = EMPTY_ITEM;
  const meant = Object.entries(given).map(([key, value]) => [key, value === null ? empty[key] : value]);
  return Object.fromEntries(meant.filter(([, value]) => value !== undefined));
}

const TIMES = [
  "event_start_at",
  "event_end_at",
  "due_at",
  "completed_at",
  "created_at",
  "updated_at",
] as const;

function timesOf(given: GivenFields, zone: string): Partial<Item> {
  const named = TIMES.flatMap((key) => {
    const text = given[key];
    return typeof text === "string" ? [[key, text] as const] : [];
  });
  return Object.fromEntries(named.map(([key, text]) => [key, isoUtc(instantOf(key, text, zone))]));
}

/** A day later it is the year 10000 in some zone, of which nobody can write the day with four digits. */
const LAST = Date.parse("9999-12-30T23:59:59.999Z");

function instantOf(key: string, text: string, zone: string): number {
  const at = instantIn(key, text, zone);
  if (at <= LAST) return at;
  throw invalidArgument(`${key} is ${text}: no time after ${isoUtc(LAST)} can be kept`);
}

function assertOrder({ event_start_at: start, event_end_at: end }: Item): void {
  if (start === null || end === null || Date.parse(end) >= Date.parse(start)) return;
  throw invalidArgument(`event_end_at, ${end}, is before event_start_at, ${start}`);
}

/** The time that a memory is about: when its event starts, else when it is due, else when it was made. */
export const timeOf = ({ event_start_at, due_at, created_at }: Item): number =>
  Date.parse(event_start_at ?? due_at ?? created_at);

export const bucketOf = (item: Item, zone: string): string => new HouseTime(zone).day(timeOf(item));

function assertBucket(given: string | null | undefined, derived: string): void {
  if (given === undefined || given === null || given === derived) return;
  throw invalidArgument(`date_bucket is ${given}, but the times of this memory say ${derived}: leave it out`);
}

const PICTURE = /\.(?:jpe?g|png|webp|gif|heic)$/iu;
/** "@Ana", "@ana-maria" and "@fern-2.jpg", and not what is in an address such as ana@example.org. */
const MENTION =
  /(?<![\p{L}\p{N}_.@])@([\p{L}\p{N}][\p{L}\p{N}_-]*\.(?:jpe?g|png|webp|gif|heic)(?![\p{L}\p{N}])|\p{L}[\p{L}\p{N}_-]*)/giu;

/** What an @name stands for: somebody or something of this house by its name there, else somebody outside. */
interface Link {
  readonly kind: "person" | "plant" | "place" | "file";
  readonly name: string;
}

/** A person of the house comes before a plant, and a plant before a room. */
function linkOf(name: string, { people, plants, places }: Settling): Link {
  if (PICTURE.test(name)) return { kind: "file", name };
  if (people.some((each) => isCalled(each, name))) return { kind: "person", name };
  const plant = plants.find((each) => isCalled(each, name));
  if (plant) return { kind: "plant", name: plant.id };
  const place = places.find((each) => isSame(each, name));
  return place === undefined ? { kind: "person", name } : { kind: "place", name: place };
}

/** Pictures that are there; a name of a file that is not there links nothing. */
async function picturesOf(files: readonly string[], settling: Settling): Promise<readonly string[]> {
  const found = files.map((file) => ownPlace(settling, "content", file).catch(() => []));
  return (await Promise.all(found)).flat();
}

/** `plants` of the metadata: their ids. What a caller has put there in another form stays as it is. */
function withPlants(metadata: Item["metadata"], plants: readonly string[]): Item["metadata"] {
  const { plants: known = [] } = metadata;
  if (plants.length === 0 || !Array.isArray(known)) return metadata;
  return { ...metadata, plants: [...new Set([...known, ...plants])] };
}

/** Each person once. Who is configured is called by the configured name, whether the id or the name was given, in any case. */
export function linked(names: readonly string[], people: readonly Person[]): string[] {
  const called = names.map((name) => {
    const person = people.find((each) => isCalled(each, name));
    return person ? (person.name ?? person.id) : name;
  });
  return called.filter((name, at) => called.findIndex((other) => isSame(other, name)) === at);
}

const isCalled = ({ id, name = id }: Named, called: string): boolean =>
  isSame(id, called) || isSame(name, called);

const isSame = (a: string, b: string): boolean => folded(a) === folded(b);

async function mediaOf(
  { media_path: path, attachments }: GivenFields,
  settling: Settling,
): Promise<Partial<Pick<Item, "media_path" | "attachments">>> {
  return {
    ...(path && { media_path: await ownPlace(settling, "media_path", path) }),
    ...(attachments && {
      attachments: await Promise.all(attachments.map((each) => ownPlace(settling, "attachments", each))),
    }),
  };
}

/** As `placeIn`. Whoever may not name a file is told what they are told where there is none. */
async function ownPlace({ media, mayName }: Settling, key: string, path: string): Promise<string> {
  const place = await placeIn(media, key, path);
  if (await mayName(place)) return place;
  throw noFile(key, path);
}

/** What the system says of a path that leads to nothing. */
const NO_FILE = ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"];

/** The path of a file, relative to the folder that it must really be in, whatever links lead there. Throws PATH_OUTSIDE, NOT_FOUND. */
export async function placeIn(folder: string, key: string, path: string): Promise<string> {
  const lies = (place: string) => place !== "" && !isAbsolute(place) && place.split("/")[0] !== "..";
  const outside = () =>
    new TendrilError(ITEM_ERRORS.PATH_OUTSIDE, `${key} leads out of the media folder: ${excerpt(path)}`);
  const named = resolve(folder, path);
  if (!lies(relative(folder, named))) throw outside();
  try {
    const [root, file] = [await realpath(folder), await realpath(named)];
    const place = relative(root, file);
    if (!lies(place)) throw outside();
    if ((await stat(file)).isFile()) return place;
  } catch (error) {
    if (!NO_FILE.some((code) => hasCode(error, code))) throw error;
  }
  throw noFile(key, path);
}

const noFile = (key: string, path: string): TendrilError =>
  notFound(`${key}: there is no file ${excerpt(path)} in the media folder`);
