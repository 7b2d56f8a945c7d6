import { createHmac, randomBytes } from "node:crypto";
import { type FileHandle, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Camera } from "../../../drivers/devices/camera.js";
import { DriverError } from "../../../drivers/errors.js";
import { MutexByKey } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { type Millis, minutes } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import { PlantDevices } from "../../plants.js";
import type { HistoryQuery, HistoryResult } from "../../store/bucket.js";
import { bytesIfThere, writeDurably } from "../../store/durable-file.js";
import type { Photo } from "../../store/photos.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { PhotoList } from "../../wire/plants.js";
import { sameText } from "../../wire/proof.js";
import { light } from "../light/service.js";
import { definePart, type House } from "../module.js";
import { outages } from "../outages/index.js";

/** Bytes of a picture in an answer. A choice: in base64 it has the 5 MiB that hosted models take for one picture. */
const MAX_PICTURE_BYTES = 3_932_160;

/** Each view has a new link. */
type PhotoView = PhotoList["photos"][number];

/** Takes pictures, keeps them up to a limit, and gives links to them. */
export class CameraService {
  private readonly turns = new MutexByKey<string>();
  private readonly lastAt = new Map<string, number>();

  constructor(private readonly parts: Awaited<ReturnType<typeof partsOf>>) {}

  /** One picture at a time for each camera; other calls wait. Throws NOT_FITTED and CAMERA_FAILED. */
  capture(plant: string): Promise<{ view: PhotoView; jpeg: Uint8Array }> {
    return this.turns.run(plant, () => this.take(plant));
  }

  async recent(plant: string, n: number, offset: number): Promise<PhotoView[]> {
    return (await this.parts.photos.recent(n, offset, plant)).map((photo) => this.view(photo));
  }

  /** The first and the last picture since then that show something, epoch milliseconds. */
  firstAndLast(plant: string, since: number): Promise<readonly Pick<Photo, "plant" | "at">[]> {
    return this.parts.photos.firstAndLast(plant, since);
  }

  /** Whole records get a new link; figures stay as they are. */
  async history(query: HistoryQuery): Promise<HistoryResult> {
    const result = await this.parts.photos.history(query);
    return {
      ...result,
      items: result.items.map((item) => ("file" in item ? { ...this.view(item as unknown as Photo) } : item)),
    };
  }

  /** A picture for an answer. Throws RESULT_TOO_LARGE. */
  async forAnswer(name: PhotoName): Promise<Uint8Array | undefined> {
    const photo = await this.find(name);
    if (photo) assertFitsAnswer(photo.bytes);
    return photo?.file ? readFile(join(this.parts.folder, photo.file)) : undefined;
  }

  /** The file for a genuine link that has not expired. The caller closes it. */
  async open(path: string, query: URLSearchParams): Promise<FileHandle | undefined> {
    const name = this.parts.links.open(path, query);
    const photo = name && (await this.find(name));
    return photo?.file ? open(join(this.parts.folder, photo.file)) : undefined;
  }

  private find({ plant, timestamp }: PhotoName): Promise<Photo | undefined> {
    return this.parts.photos.byTimestamp(plant, Date.parse(timestamp));
  }

  private async take(plant: string): Promise<{ view: PhotoView; jpeg: Uint8Array }> {
    const { jpeg, width, height, dark } = await this.picture(plant);
    const at = this.instant(plant);
    const file = `${isoUtc(at)}-${plant}.jpg`;
    await this.parts.saveFile(join(this.parts.folder, file), jpeg);
    const isLit = this.parts.isLit(plant);
    const photo = { plant, at, file, light_on: isLit, dark, width, height, bytes: jpeg.length };
    await this.parts.photos.add(photo);
    await this.makeRoom();
    return { view: this.view(photo), jpeg };
  }

  /** From the camera. Whether it worked is on record. */
  private async picture(plant: string): ReturnType<Camera["capture"]> {
    const device = this.parts.cameras.of(plant);
    try {
      const picture = await device.capture();
      await this.parts.outages.worked("camera", plant);
      return picture;
    } catch (error) {
      if (error instanceof DriverError)
        await this.parts.outages.failed("camera", plant, error.code, error.what);
      throw error;
    }
  }

  /** The time that names the picture: two pictures within a millisecond get two. */
  private instant(plant: string): number {
    const at = Math.max(this.parts.clock.now(), (this.lastAt.get(plant) ?? 0) + 1);
    this.lastAt.set(plant, at);
    return at;
  }

  private async makeRoom(): Promise<void> {
    for (const { id, file } of await this.parts.photos.beyond(this.parts.keepBytes)) {
      await rm(join(this.parts.folder, file), { force: true });
      await this.parts.photos.forgetFile(id);
    }
  }

  private view({ plant, at, file, light_on, dark, width, height }: Omit<Photo, "id">): PhotoView {
    const timestamp = isoUtc(at);
    const url = file === null ? null : this.parts.links.link({ plant, timestamp });
    return { plant, timestamp, url, light_on, dark, width, height };
  }
}

/** Throws RESULT_TOO_LARGE. */
export function assertFitsAnswer(bytes: number): void {
  if (bytes <= MAX_PICTURE_BYTES) return;
  const most = MAX_PICTURE_BYTES;
  const what = `the picture has ${bytes} bytes, the most in one answer is ${most}: open its link, the \`url\` of get_recent_photos`;
  throw new TendrilError("RESULT_TOO_LARGE", what, { details: { bytes, most_bytes: most } });
}

/** Configuration: how long photo links are valid, and how many photos are kept. */
export const cameraConfig = {
  photos: z
    .strictObject({
      link_minutes: z.int().min(1).max(10_080).default(60).describe("how long a photo link opens"),
      keep_megabytes: z
        .int()
        .min(10)
        .max(1_000_000)
        .default(2000)
        .describe("older pictures are deleted beyond this"),
    })
    .prefault({}),
};

/** What the service works with. */
async function partsOf(house: House) {
  const { board, plants, store } = house;
  const { photos } = house.config(cameraConfig);
  const lights = await house.use(light);
  const key = await linkKey(store.folder);
  return {
    cameras: new PlantDevices("camera", board, plants),
    photos: store.photos,
    links: new PhotoLinks(key, minutes(photos.link_minutes), house.realClock, house.publicUrl),
    folder: join(store.folder, "photos"),
    saveFile: store.saveFile.bind(store),
    /** Beyond this, older pictures are deleted; their records stay. */
    keepBytes: photos.keep_megabytes * 1_000_000,
    isLit: (plant: string) => lights.isOn(plant),
    outages: await house.use(outages),
    clock: board.clock,
  };
}

export const camera = definePart("camera", async (house) => new CameraService(await partsOf(house)));

export const PHOTOS_PATH = "/photos/";

/** The photo that a link opens. */
interface PhotoName {
  readonly plant: string;
  /** ISO 8601, as in the photo's record. */
  readonly timestamp: string;
}

/** Signed links that open one photo for a while, without a token. They expire in real time. */
export class PhotoLinks {
  constructor(
    private readonly key: Buffer,
    private readonly lifetime: Millis,
    private readonly clock: Clock,
    /** The base, such as http://192.168.1.20:8731; known once the server listens. */
    private readonly base: () => string,
  ) {}

  link({ plant, timestamp }: PhotoName): string {
    const expires = String(Math.ceil((this.clock.now() + this.lifetime) / 1000));
    const query = new URLSearchParams({ plant, expires, signature: this.sign(plant, timestamp, expires) });
    return `${this.base()}${PHOTOS_PATH}${timestamp}.jpg?${query}`;
  }

  /** The photo that path and query open; undefined for a wrong or expired link. */
  open(path: string, query: URLSearchParams): PhotoName | undefined {
    const timestamp = /^\/photos\/([\d:.TZ-]{1,40})\.jpg$/.exec(path.replaceAll(/%3a/gi, ":"))?.[1];
    const [plant, expires, signature] = [query.get("plant"), query.get("expires"), query.get("signature")];
    if (!timestamp || !plant || !expires || !signature) return undefined;
    const genuine = sameText(signature, this.sign(plant, timestamp, expires));
    return genuine && Number(expires) * 1000 > this.clock.now() ? { plant, timestamp } : undefined;
  }

  private sign(...signed: string[]): string {
    return createHmac("sha256", this.key).update(JSON.stringify(signed)).digest("base64url");
  }
}

/** 256 bits, as RFC 2104 (section 3) advises for HMAC-SHA-256. */
export const KEY_BYTES = 32;

export const LINK_KEY_FILE = "photo-link.key";

/** The key that signs photo links. The first start makes it, so links outlive a restart. A wrong length is replaced. */
export async function linkKey(state: string): Promise<Buffer> {
  const file = join(state, LINK_KEY_FILE);
  const kept = await bytesIfThere(file);
  if (kept && kept.length === KEY_BYTES) return kept;
  const made = randomBytes(KEY_BYTES);
  await writeDurably(file, made);
  return made;
}
