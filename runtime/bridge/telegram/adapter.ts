import { z } from "zod";
import { defineAdapter, JobFailure, type JobHandler } from "../adapter.js";
import { ChannelReports } from "../channel-reports.js";
import { openBot } from "./bot-api.js";
import { CHANNEL, Inbound } from "./inbound.js";
import { Outbound } from "./outbound.js";
import { Polling } from "./polling.js";

/** As @BotFather gives it: the bot's number, a colon, and the secret. */
const TOKEN = /^\d{1,20}:[\w-]{20,100}$/;

const config = z
  .strictObject({
    token: z.string().trim().regex(TOKEN, { error: "must be a token as @BotFather gives it" }),
    api_root: z
      .string()
      .regex(/^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost)[:/])/, {
        error: "must begin with https://, or be on this computer",
      })
      .default("https://api.telegram.org"),
  })
  .optional();

/** People's phones: `telegram:` in bridge.yaml has the bot's token (docs/telegram.md). */
export const telegramAdapter = defineAdapter({
  name: CHANNEL,
  key: CHANNEL,
  config,
  secrets: (bot) => (bot ? [bot.token, bot.token.split(":")[1] ?? ""] : []),
  open: (settings, context) => {
    if (!settings) return { deliver: notConfigured, revise: notConfigured };
    const bot = openBot(settings);
    const outbound = new Outbound({ bot, context });
    void bot.then((opened) => {
      const shared = { bot: opened, context, random: Math.random };
      const inbound = new Inbound(shared);
      const reports = new ChannelReports(CHANNEL, context);
      return new Polling({ ...shared, reports, take: (update) => inbound.take(update) }).run();
    });
    return outbound.handlers;
  },
});

const notConfigured: JobHandler = async () => {
  throw new JobFailure("NOT_CONFIGURED", "the bridge's file has no telegram: with the bot's token");
};
