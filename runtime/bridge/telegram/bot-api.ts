import type { Api } from "grammy";
import { messageOf } from "../../../drivers/system-error.js";
import { seconds } from "../../../drivers/units.js";

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
  /** Sends bytes as a file. */
  file(bytes: Uint8Array, name: string): unknown;
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
  return { api, file: (bytes, name) => new InputFile(bytes, name) };
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
