import { z } from "zod";
import { type BridgeContext, defineAdapter, notConfigured } from "../adapter.js";
import { ChannelReports, reportMissing, stayDown } from "../channel-reports.js";
import { isLoopback } from "../http/address.js";
import { CHANNEL } from "./accounts.js";
import { type Bot, botError, loadLibrary, openBot } from "./bot-api.js";
import { Inbound } from "./inbound.js";
import { Outbound } from "./outbound.js";
import { Polling } from "./polling.js";

/** As @BotFather gives it: the bot's number, a colon, and the secret. */
const TOKEN = /^\d{1,20}:[\w-]{20,100}$/;

/** Whoever answers there gets the token. */
function isRoot(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (/[?#@]/.test(text)) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
}

const config = z
  .strictObject({
    token: z.string().trim().regex(TOKEN, { error: "must be a token as @BotFather gives it" }),
    api_root: z
      .string()
      .trim()
      .refine(isRoot, { error: "must begin with https://, or be on this computer, without a user name" })
      // as it was checked, so that nobody reads it in another way
      .transform((text) => new URL(text).href.replace(/\/+$/, ""))
      .default("https://api.telegram.org"),
  })
  .optional();

/** People's phones: `telegram:` in bridge.yaml has the bot's token (docs/telegram.md). */
export const telegramWith = (load: typeof loadLibrary) =>
  defineAdapter({
    name: CHANNEL,
    key: CHANNEL,
    config,
    secrets: (bot) => (bot ? [bot.token, bot.token.split(":")[1] ?? ""] : []),
    open: (settings, context) => {
      if (!settings) {
        reportMissing(CHANNEL, context);
        return { deliver: missing, revise: missing };
      }
      const bot = openBot(settings, load);
      const reports = new ChannelReports(CHANNEL, context);
      bot.then(
        (opened) => listen(opened, context, reports),
        // this channel alone does not work, until the bridge is started again
        (error: unknown) => stayDown(reports, botError(error), context),
      );
      return new Outbound({ bot, context }).handlers;
    },
  });

export const telegramAdapter = telegramWith(loadLibrary);

/** Never rejects; ends with the bridge. */
async function listen(bot: Bot, context: BridgeContext, reports: ChannelReports): Promise<void> {
  const shared = { bot, context, random: Math.random };
  const inbound = new Inbound(shared);
  await inbound.ready().catch(() => undefined);
  await new Polling({ ...shared, reports, take: (update) => inbound.take(update) }).run();
}

const missing = notConfigured("telegram: with the bot's token");
