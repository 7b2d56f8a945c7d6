import type { MqttEvent, MqttShow, ShownPlant } from "../../wire/mqtt.js";
import { notificationWords } from "../../wire/notification-words.js";
import { type NewsKind, type Notification, newsIn } from "../../wire/notifications.js";
import type { OverviewResult, PlantResult } from "../../wire/overview.js";
import { HOUSEHOLD } from "../household/household.js";
import type { House } from "../module.js";
import { ownerOf } from "../outbox/reading.js";
import type { MessageRecord } from "../people/message-log.js";
import { tellingIn } from "../people/messages.js";
import type { DoseRecord } from "../water/declarations.js";

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
