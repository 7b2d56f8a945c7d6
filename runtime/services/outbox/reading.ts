import type { Caller } from "../../tools/tool.js";
import { kindOf, outlineWords } from "../../wire/approval-words.js";
import type { Notification } from "../../wire/notifications.js";
import { HOUSEHOLD, type Household } from "../household/household.js";
import type { MessageRecord } from "../people/message-log.js";

/** The person whom a notification is for; `data.user_id` names one. */
export function ownerOf({ data }: Notification): string {
  return "user_id" in data && typeof data.user_id === "string" ? data.user_id : HOUSEHOLD;
}

/** The person whose a message or notification is. */
export const ownerOfLetter = ({ notification, user_id = HOUSEHOLD }: MessageRecord): string =>
  notification ? ownerOf(notification) : user_id;

/** A message or notification as this caller may read it; undefined if it is another person's. */
export function letterAsRead(
  record: MessageRecord,
  caller: Caller,
  household: Household,
): MessageRecord | undefined {
  if (!record.notification)
    return household.viewOf(caller, undefined).sees(ownerOfLetter(record)) ? record : undefined;
  const notification = asRead(record.notification, caller, household);
  return notification && { ...record, notification };
}

/** A notification as this caller may read it; undefined if it is another person's. */
export function asRead(
  notification: Notification,
  caller: Caller,
  household: Household,
): Notification | undefined {
  const owner = ownerOf(notification);
  const reading = household.readingOf(caller, owner);
  if (reading === "nothing") return undefined;
  if (reading === "kind") return sketched(notification);
  if (reading === "all" || notification.kind !== "approval_requested") return notification;
  const { tool = "", arguments: args = {} } = notification.data;
  const data = { ...notification.data, arguments: {}, words: outlineWords(tool, args, owner) };
  return { ...notification, data };
}

/** For who only looks on: a request says what kind it is. All else that the household is told is for everybody. */
function sketched(notification: Notification): Notification {
  if (notification.kind === "approval_requested") {
    const { tool = "", arguments: args = {} } = notification.data;
    const { after_reading: _, ...data } = notification.data;
    return { ...notification, data: { ...data, ...kindOf(tool, args) } };
  }
  if (notification.kind === "approval_answered") {
    const { tool, arguments: args = {} } = notification.data;
    return { ...notification, data: { ...notification.data, arguments: kindOf(tool, args).arguments } };
  }
  if (notification.kind === "approval_void")
    return { ...notification, data: { ...notification.data, words: "do what waited for a yes" } };
  return notification;
}
