import type { Message, Update, User } from "grammy/types";
import { wantsOff } from "../../wire/stop-words.js";

/** Who wrote or pressed it in a private chat; undefined for groups, channels and bots. */
export function senderOf({ message, callback_query: pressed }: Update): User | undefined {
  const from = pressed?.from ?? message?.from;
  if (!from || from.is_bot) return undefined;
  const isPrivate = pressed
    ? (pressed.message?.chat.type ?? "private") === "private"
    : message?.chat.type === "private" && message.chat.id === from.id;
  return isPrivate ? from : undefined;
}

/** What a person wrote, also beneath a photo. */
export const textOf = (message: Message | undefined): string | undefined => message?.text ?? message?.caption;

/** The words of somebody else. */
export const isForwarded = ({ forward_origin, via_bot }: Message): boolean =>
  forward_origin !== undefined || via_bot !== undefined;

/** A wish to switch off, in the sender's own words. */
export const saysOff = ({ message }: Update): boolean =>
  message !== undefined && !isForwarded(message) && wantsOff(textOf(message) ?? "");
