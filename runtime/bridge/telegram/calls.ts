import { millis } from "../../../drivers/units.js";
import { exponentialBackoff } from "../../wire/backoff.js";
import type { BridgeContext, JobResult } from "../adapter.js";
import { LinkDown, Refused } from "../link.js";
import { type Bot, botError, waitOf } from "./bot-api.js";

/** With what the parts of this channel work. */
export interface ChannelParts {
  readonly bot: Bot;
  readonly context: BridgeContext;
  /** [0, 1) */
  readonly random: () => number;
}

/** How often an answer is sent that Telegram wants to have later. A choice. */
const ATTEMPTS = 3;

/** Waits for a runtime that is away, at most `longest` ms between two calls. Rejects with Refused, or when the bridge stops. */
export async function callUntilTaken(
  { context, random }: ChannelParts,
  tool: string,
  args: JobResult,
  longest = Number.POSITIVE_INFINITY,
): Promise<JobResult> {
  for (const wait of exponentialBackoff(random))
    try {
      return await context.call(tool, args);
    } catch (error) {
      if (!isPassing(error) || context.signal.aborted) throw error;
      await context.clock.sleep(millis(Math.min(wait, longest)), context.signal);
    }
  throw new Error("unreachable");
}

/** Whether the runtime may take the same call later. */
const isPassing = (error: unknown): boolean =>
  error instanceof LinkDown ||
  (error instanceof Refused && ["STOPPING", "RATE_LIMITED", "STORE_FAILED"].includes(error.code));

/** Never rejects: a lost answer to what somebody wrote is no reason to take it twice. */
export async function say(parts: ChannelParts, to: number, text: string): Promise<void> {
  for (const line of linesOf(text)) await sayLine(parts, to, line).catch(() => undefined);
}

async function sayLine({ bot, context: { clock, signal } }: ChannelParts, to: number, line: string) {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await bot.api.sendMessage(to, line, QUIETLY);
    } catch (cause) {
      const error = botError(cause);
      if (error.code !== "RATE_LIMITED" || attempt === ATTEMPTS) throw error;
      await clock.sleep(waitOf(error), signal);
    }
}

/** A line for the log about what could not be taken in. */
export function complain({ signal, say }: BridgeContext, error: unknown): void {
  if (!signal.aborted)
    say(`telegram: an update is dropped: ${error instanceof Error ? error.message : error}`);
}

/** Characters of a message and of a caption: core.telegram.org/bots/api, sendMessage and sendPhoto. */
export const LONGEST_TEXT = 4096;
export const LONGEST_CAPTION = 1024;
/** Bytes of a photo: core.telegram.org/bots/api, sendPhoto. */
export const LARGEST_PHOTO = 10_000_000;

/** No previews: else Telegram would open an address that a model has written. */
export const QUIETLY = { link_preview_options: { is_disabled: true } } as const;

/** The text in as many messages as it needs; cut at the end of a line or a word where there is one. */
export function linesOf(text: string): readonly string[] {
  if (text.length <= LONGEST_TEXT) return [text];
  const head = text.slice(0, LONGEST_TEXT);
  const end =
    [head.lastIndexOf("\n"), head.lastIndexOf(" ")].find((at) => at > LONGEST_TEXT / 2) ?? wholePoints(head);
  return [text.slice(0, end), ...linesOf(text.slice(end).trimStart())];
}

/** Never in the middle of a character that takes two. */
const wholePoints = (text: string): number => (/[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length);
