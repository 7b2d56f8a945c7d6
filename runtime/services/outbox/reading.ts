import type { Caller } from "../../tools/tool.js";
import { outlineWords } from "../../wire/approval-words.js";
import type { Notification } from "../../wire/notifications.js";
import { HOUSEHOLD, type Household } from "../household/household.js";

/** The person whom a notification is for; `data.user_id` names one. */
export function ownerOf({ data }: Notification): string {
  return "user_id" in data && typeof data.user_id === "string" ? data.user_id : HOUSEHOLD;
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
  if (reading === "all" || notification.kind !== "approval_requested") return notification;
  const { tool = "", arguments: args = {} } = notification.data;
  const data = { ...notification.data, arguments: {}, words: outlineWords(tool, args, owner) };
  return { ...notification, data };
}
