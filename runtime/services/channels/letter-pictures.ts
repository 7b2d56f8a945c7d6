import type { Clock } from "../../../drivers/ports.js";
import { hours } from "../../../drivers/units.js";
import { isoUtc } from "../../tools/iso-time.js";
import { HouseTime } from "../../wire/house-time.js";
import type { Notification } from "../../wire/notifications.js";
import type { CameraService } from "../camera/service.js";
import type { Reader } from "./words.js";

/** What `letterToSend` takes. */
interface Picture {
  readonly caption: string;
  /** Base64. */
  readonly jpeg: string;
}

/** A choice: an older picture says nothing about whether the plant needs water now. */
const RECENT = hours(24);
const WEEK = hours(7 * 24);
/** Bytes of all pictures of a letter. A choice: mail servers take ten million and more, and base64 adds a third. */
const MAX_BYTES = 5_000_000;

/** The pictures that go with a letter: of a plant that is to get something, and of each plant before and after a week. */
export class LetterPictures {
  constructor(
    private readonly camera: Pick<CameraService, "firstAndLast" | "forAnswer">,
    /** The plants' clock. */
    private readonly clock: Clock,
  ) {}

  /** Never rejects: a letter does not wait for its pictures. Those that are too large are left out. */
  async of(notification: Notification | undefined, reader: Reader): Promise<readonly Picture[]> {
    const found: Picture[] = [];
    let bytes = 0;
    for (const { plant, at } of await this.wanted(notification).catch(() => [])) {
      const jpeg = await this.camera.forAnswer({ plant, timestamp: isoUtc(at) }).catch(() => undefined);
      if (!jpeg || bytes + jpeg.byteLength > MAX_BYTES) continue;
      bytes += jpeg.byteLength;
      const caption = `${reader.name(plant)}, ${new HouseTime(reader.zone).minute(at)} ${reader.zone}`;
      found.push({ caption, jpeg: Buffer.from(jpeg).toString("base64") });
    }
    return found;
  }

  private async wanted(notification: Notification | undefined) {
    const now = this.clock.now();
    if (notification?.kind === "weekly") {
      const plants = notification.data.plants.map(({ plant }) => plant);
      return (await Promise.all(plants.map((plant) => this.camera.firstAndLast(plant, now - WEEK)))).flat();
    }
    if (notification?.kind !== "approval_requested" || notification.plant === undefined) return [];
    return (await this.camera.firstAndLast(notification.plant, now - RECENT)).slice(-1);
  }
}
