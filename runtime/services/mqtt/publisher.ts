import type { Cancel, Clock } from "../../../drivers/ports.js";
import { type Millis, minutes, seconds } from "../../../drivers/units.js";
import { errorBody } from "../../errors.js";
import type { Log } from "../../log.js";
import type { MqttEvent, MqttShow, MqttShown } from "../../wire/mqtt.js";
import type { RunJob } from "../bridge/jobs.js";

/** Choices: what changes is seen within seconds; what does not is said again before Home Assistant takes it for unknown. */
const LOOK_EVERY: Millis = seconds(5);
const SAY_EVERY: Millis = minutes(1);
/** Events that wait for the next job. A choice: more would be a flood. */
const MAX_EVENTS = 50;

interface NewestPhoto {
  readonly plant: string;
  readonly timestamp: string;
}

interface PublisherParts {
  /** Real time. */
  readonly clock: Clock;
  readonly show: RunJob<MqttShown>;
  readonly photo: RunJob<MqttShown>;
  readonly isConnected: () => boolean;
  readonly view: () => Omit<MqttShow, "events">;
  /** The newest photo of each plant; none if photos are not shown. */
  readonly photos: () => Promise<readonly NewestPhoto[]>;
  /** JPEG; undefined if it was deleted meanwhile. */
  readonly jpeg: (photo: NewestPhoto) => Promise<Uint8Array | undefined>;
  readonly log: Log;
}

/**
 * Tells the bridge what is to be seen: when it changes, and every minute. Events that happen while no bridge is there, or that
 * it cannot bring to the broker, are dropped: late they would be wrong.
 */
export class Publisher {
  private events: MqttEvent[] = [];
  private said = "";
  private saidAt: Millis | undefined;
  private readonly photosSent = new Map<string, string>();
  private trouble = "";
  private working: Promise<void> | undefined;
  private disarm: Cancel = () => undefined;

  constructor(private readonly parts: PublisherParts) {}

  start(): void {
    this.look();
    this.disarm = this.parts.clock.after(LOOK_EVERY, () => this.start());
  }

  stop(): void {
    this.disarm();
  }

  add(event: MqttEvent | undefined): void {
    if (event === undefined) return;
    this.events = [...this.events, event].slice(-MAX_EVENTS);
    this.look();
  }

  /** Another bridge knows nothing of what was said. */
  sayAgain(): void {
    this.said = "";
    this.photosSent.clear();
    this.look();
  }

  private look(): void {
    if (!this.parts.isConnected()) this.events = [];
    else this.working ??= this.work().finally(() => this.worked());
  }

  /** What has happened meanwhile does not wait for the next look. */
  private worked(): void {
    this.working = undefined;
    if (this.events.length > 0) this.look();
  }

  /** Never rejects. */
  private async work(): Promise<void> {
    const { clock, view, log } = this.parts;
    const shown = view();
    const said = JSON.stringify(shown);
    const isOld = this.saidAt === undefined || clock.monotonic() - this.saidAt >= SAY_EVERY;
    if (said === this.said && !isOld && this.events.length === 0) return;
    try {
      await this.parts.show({ ...shown, events: this.events.splice(0) }, "show the plants on MQTT");
      [this.said, this.saidAt, this.trouble] = [said, clock.monotonic(), ""];
      if (isOld) await this.showPhotos();
    } catch (error) {
      this.said = "";
      const { message } = errorBody(error);
      if (message !== this.trouble) log("warn", "MQTT does not work", { error: message });
      this.trouble = message;
    }
  }

  private async showPhotos(): Promise<void> {
    for (const photo of await this.parts.photos()) {
      if (this.photosSent.get(photo.plant) === photo.timestamp) continue;
      const jpeg = await this.parts.jpeg(photo);
      if (!jpeg) continue;
      const args = { plant: photo.plant, jpeg: Buffer.from(jpeg).toString("base64") };
      await this.parts.photo(args, "show a photo on MQTT");
      this.photosSent.set(photo.plant, photo.timestamp);
    }
  }
}
