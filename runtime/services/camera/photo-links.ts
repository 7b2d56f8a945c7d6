import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../drivers/ports.js";
import { isMissing } from "../../../drivers/system-error.js";
import type { Millis } from "../../../drivers/units.js";
import { writeDurably } from "../../store/durable-file.js";

/** Where photos are served. */
export const PHOTOS_PATH = "/photos/";

/** Which photo a link opens. */
export interface PhotoName {
  readonly plant: string;
  /** ISO 8601, as in the photo's record. */
  readonly timestamp: string;
}

/** Signed links that open one photo for a while, also for somebody without a token. They expire on real time. */
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

  /** The photo that path and query open, or undefined if they open none (any more). */
  open(path: string, query: URLSearchParams): PhotoName | undefined {
    const timestamp = /^\/photos\/([\d:.TZ-]{1,40})\.jpg$/.exec(path.replaceAll(/%3a/gi, ":"))?.[1];
    const [plant, expires, signature] = [query.get("plant"), query.get("expires"), query.get("signature")];
    if (!timestamp || !plant || !expires || !signature) return undefined;
    const genuine = same(signature, this.sign(plant, timestamp, expires));
    return genuine && Number(expires) * 1000 > this.clock.now() ? { plant, timestamp } : undefined;
  }

  private sign(plant: string, timestamp: string, expires: string): string {
    return createHmac("sha256", this.key)
      .update(JSON.stringify([plant, timestamp, expires]))
      .digest("base64url");
  }
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** 256 bits, as HMAC-SHA-256 wants (RFC 2104, section 3). */
export const KEY_BYTES = 32;

/** Where the key lives in the state folder. */
export const LINK_KEY_FILE = "photo-link.key";

/** The key that signs photo links, made at the first start: links live on over a restart. One of another length is made anew. */
export async function linkKey(state: string): Promise<Buffer> {
  const file = join(state, LINK_KEY_FILE);
  const kept = await readFile(file).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  if (kept && kept.length === KEY_BYTES) return kept;
  const made = randomBytes(KEY_BYTES);
  await writeDurably(file, made);
  return made;
}
