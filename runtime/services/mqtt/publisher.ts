import type { Cancel, Clock } from "../../../drivers/ports.js";
import { type Millis, minutes, seconds } from "../../../drivers/units.js";
import { errorBody } from "../../errors.js";
import type { Log } from "../../log.js";
import type { MqttEvent, MqttShow, MqttShown, ShownPlant } from "../../wire/mqtt.js";
import { notificationWords } from "../../wire/notification-words.js";
import { type NewsKind, type Notification, newsIn } from "../../wire/notifications.js";
import type { OverviewResult, PlantResult } from "../../wire/overview.js";
import type { RunJob } from "../bridge/jobs.js";
import { HOUSEHOLD } from "../household/household.js";
import type { House } from "../module.js";
import { ownerOf } from "../outbox/outbox.js";
import type { MessageRecord } from "../people/message-log.js";
import { tellingIn } from "../people/messages.js";
import type { DoseRecord } from "../water/declarations.js";

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

/** What is to be seen now of house and plants. No thoughts, reasons, names of people or words of anybody. */
export const shownNow = ({
  plants,
  approvals,
  paused,
}: OverviewResult): Pick<MqttShow, "plants" | "approvals" | "paused"> => ({
  plants: plants.map(shownPlant),
  approvals: approvals.length,
  paused: paused !== null,
});

function shownPlant({
  plant,
  name,
  moisture,
  probe_fault,
  water,
  light,
  fitted,
  ...more
}: PlantResult): ShownPlant {
  const ofPump = <T>(value: T) => (fitted.pump ? value : null);
  const troubles = [probe_fault, ...more.faults].flatMap((each) => (each ? [String(each.code)] : []));
  return {
    plant,
    name,
    moisture: moisture && !probe_fault ? Number(moisture.percent) : null,
    budget_left_ml: ofPump(water.remaining_ml),
    used_24h_ml: ofPump(water.used_ml),
    doses_24h: ofPump(water.events),
    light: fitted.light ? (light.status === "on" ? "on" : "off") : null,
    camera: fitted.camera,
    held: more.hold !== null,
    problem: troubles.length > 0 ? shortened(troubles.join(", ")) : null,
  };
}

/** Undefined for a dose that has not ended, and for what is no dose. */
export function doseEvent({ plant, outcome, ml_dispensed: ml }: DoseRecord): MqttEvent | undefined {
  if (plant === undefined || outcome === "pending" || outcome === "mark" || outcome === "ledger_lost")
    return undefined;
  const type = outcome === "completed" ? "poured" : outcome;
  return { about: "dose", plant, type, ml, reason: null };
}

/** Of news with words of persons, agents or strangers only the kind is told. */
const WORDLESS: readonly NewsKind[] = [
  "approval_requested",
  "approval_answered",
  "approval_void",
  "job_unknown",
  "weekly",
];

/** Undefined for what an agent wrote, for news of one person, and for what is no news any more. */
export function messageEvent(
  { notification, over_at, deliveries }: MessageRecord,
  { plants, core }: Pick<House, "plants" | "core">,
): MqttEvent | undefined {
  const isNew = over_at === undefined && (deliveries ?? []).length === 0;
  if (!notification || !isNew || isOfPeople(notification)) return undefined;
  const { kind, severity, plant = null } = notification;
  const news = newsIn(notification);
  const name = (id: string) => plants.nameOf(id);
  const telling = { ...tellingIn(core.zone, name), plant: notification.plant };
  const text = news && !WORDLESS.includes(news.kind) ? shortened(notificationWords(news, telling)) : null;
  return { about: "message", type: severity, kind, plant, text };
}

/** Of one person, or of the people of the house among themselves, such as a reminder. A question is of the house. */
const isOfPeople = (notification: Notification): boolean =>
  ownerOf(notification) !== HOUSEHOLD ||
  ("user_id" in notification.data && notification.kind !== "approval_requested");

/** Home Assistant takes states under 255 characters; attributes may be longer, and these are read on a phone. */
const LONGEST = 250;

export const shortened = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
