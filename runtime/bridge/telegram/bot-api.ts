import type { Api } from "grammy";
import type { Message, Update, User } from "grammy/types";
import { messageOf } from "../../../drivers/system-error.js";
import { millis, seconds } from "../../../drivers/units.js";
import { exponentialBackoff } from "../../wire/program.js";
import { bytesOf } from "../../wire/secure-socket.js";
import { wantsOff } from "../../wire/stop-words.js";
import type { BridgeContext, JobResult } from "../adapter.js";
import { LinkDown, Refused } from "../link.js";

/** Why a call of the Bot API failed. `message` is for people: no token, no address. */
export class BotTrouble extends Error {
  override readonly name = "BotTrouble";

  constructor(
    readonly code:
      | "UNAUTHORIZED"
      | "CONFLICT"
      | "RATE_LIMITED"
      | "BLOCKED"
      | "REFUSED"
      | "UNREACHABLE"
      | "TOO_LARGE"
      | "NO_LIBRARY",
    message: string,
    /** Seconds that Telegram wants to be left alone. */
    readonly retryAfter: number | undefined = undefined,
  ) {
    super(message);
  }
}

interface BotConfig {
  readonly token: string;
  /** The server of the Bot API. */
  readonly api_root: string;
}

/** Seconds that a question for updates waits for one. A choice: `/off` waits as long if its connection is dead. */
export const POLL_FOR_S = 10;
/** Seconds beyond that for the answer's way. A choice: a slow line of a phone. */
export const ANSWER_FOR_S = 4;
/** Seconds for any call. A choice: a photo of 10 MB over a slow line. */
const PATIENCE_S = 60;

export interface Bot {
  readonly api: Api;
  file(bytes: Uint8Array, name: string): unknown;
  /** The bytes of a file that somebody sent, `most` of them at most. Rejects; `botError` says why, without the address. */
  fetch(fileId: string, most: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** Only where it is used: a bridge without Telegram does without it. The build that uses Node's own fetch. */
export const loadLibrary = () => import("grammy/web");

/** Rejects with BotTrouble if the library cannot be loaded. */
export async function openBot(
  { token, api_root: apiRoot }: BotConfig,
  load: typeof loadLibrary,
): Promise<Bot> {
  const loaded = await load().catch((error: unknown) => {
    throw new BotTrouble("NO_LIBRARY", `the library grammy cannot be loaded: ${messageOf(error)}`);
  });
  const { Api, InputFile } = loaded;
  const api = new Api(token, { apiRoot, timeoutSeconds: PATIENCE_S });
  return {
    api,
    file: (bytes, name) => new InputFile(bytes, name),
    fetch: async (fileId, most, signal) => {
      // the library's own type of signal is an older one
      const { file_path: path } = await api.getFile(fileId, signal as never);
      if (path === undefined) throw new BotTrouble("REFUSED", "Telegram does not hand the file over");
      return download(`${apiRoot}/file/bot${token}/${path}`, most, signal);
    },
  };
}

/** The address has the token in it: no error may say it. core.telegram.org/bots/api#getfile */
async function download(address: string, most: number, signal: AbortSignal): Promise<Uint8Array> {
  try {
    const { ok, status, body } = await fetch(address, { redirect: "error", signal });
    if (!ok || body === null) {
      await body?.cancel();
      throw new BotTrouble(status >= 500 ? "UNREACHABLE" : "REFUSED", `Telegram answers ${status} to a file`);
    }
    const tooLong = () => new BotTrouble("TOO_LARGE", `the file has more than ${most} bytes`);
    return await bytesOf(body as AsyncIterable<Uint8Array>, most, tooLong);
  } catch (error) {
    throw botError(error);
  }
}

/** What grammY throws: an answer of Telegram that says no, or a failure on the way. */
interface Refusal {
  readonly error_code?: unknown;
  readonly description?: unknown;
  readonly parameters?: { readonly retry_after?: unknown };
}

/** Codes: core.telegram.org/bots/api, "Making requests" and "ResponseParameters". */
export function botError(error: unknown): BotTrouble {
  if (error instanceof BotTrouble) return error;
  const { error_code: status, description, parameters } = (error ?? {}) as Refusal;
  if (typeof status !== "number") return new BotTrouble("UNREACHABLE", "Telegram cannot be reached");
  const said = String(description ?? "").slice(0, 150);
  if (/file is too big/i.test(said))
    return new BotTrouble("TOO_LARGE", "Telegram hands no such large file over");
  if (status === 429) {
    const wait = Number(parameters?.retry_after) || 1;
    return new BotTrouble("RATE_LIMITED", `Telegram wants to be left alone for ${wait} s`, wait);
  }
  if (status === 401 || status === 404)
    return new BotTrouble(
      "UNAUTHORIZED",
      "Telegram does not know the bot's token: see telegram in bridge.yaml",
    );
  if (status === 409)
    return new BotTrouble(
      "CONFLICT",
      "another program fetches this bot's messages: stop it, or make a new token",
    );
  if (status === 403) return new BotTrouble("BLOCKED", "this account has blocked the bot");
  if (status >= 500) return new BotTrouble("UNREACHABLE", `Telegram has trouble (${status})`);
  return new BotTrouble("REFUSED", `Telegram refuses it: ${said}`);
}

/** Whether Telegram says that a message already reads so. */
export const isUnchanged = (error: unknown): boolean =>
  /message is not modified/.test(String((error as Refusal | undefined)?.description));

export const waitOf = ({ retryAfter = 0 }: BotTrouble) => seconds(retryAfter);

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
export const isPassing = (error: unknown): boolean =>
  error instanceof LinkDown ||
  (error instanceof Refused &&
    ["STOPPING", "RATE_LIMITED", "STORE_FAILED", "TOKENS_UNREAD"].includes(error.code));

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
  if (!signal.aborted) say(`telegram: an update is dropped: ${messageOf(error)}`);
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
