import type { Update } from "grammy/types";
import { z } from "zod";
import { within } from "../../../drivers/clock/waiting.js";
import { type Millis, millis, minutes, seconds } from "../../../drivers/units.js";
import { exponentialBackoff } from "../../wire/program.js";
import { type BridgeContext, defineAdapter, notConfigured } from "../adapter.js";
import { ChannelReports, reportMissing, stayDown } from "../channel-reports.js";
import { isLoopback } from "../http/address.js";
import { CHANNEL } from "./accounts.js";
import {
  ANSWER_FOR_S,
  type Bot,
  type BotTrouble,
  botError,
  loadLibrary,
  openBot,
  POLL_FOR_S,
  saysOff,
  waitOf,
} from "./bot-api.js";
import { Inbound } from "./inbound.js";
import { Outbound } from "./outbound.js";

/** Choices: a person mends these; until then Telegram is asked now and then. */
const AFTER_CONFLICT = seconds(30);
const AFTER_UNAUTHORIZED = minutes(1);
/** A line that is down for a moment is no news. A choice. */
const TROUBLE_AFTER: Millis = minutes(1);
/** Updates of one answer: core.telegram.org/bots/api#getupdates. */
const MAX_UPDATES = 100;
/** A choice: most updates are dealt with sooner; Telegram is asked twice a second while one is not. */
const ASK_AGAIN_AFTER: Millis = millis(500);

interface PollingParts {
  readonly bot: Bot;
  readonly context: Pick<BridgeContext, "clock" | "signal">;
  readonly reports: ChannelReports;
  /** Begins with an update. The promise never rejects; undefined: it need not come again. */
  readonly take: (update: Update) => Promise<void> | undefined;
  /** [0, 1) */
  readonly random: () => number;
}

/**
 * Fetches what people write and press, by long polling, also while earlier updates are dealt with. An update is confirmed
 * when it is dealt with: what a crash cuts off comes again. Only if 100 wait, they are confirmed at once: else Telegram
 * would not give those after them, and one may say off. It never ends by itself: what another program or Telegram ends is
 * begun again, and reported.
 */
export class Polling {
  private offset: number | undefined;
  /** Of the last answer, what may come again. */
  private given: readonly number[] = [];
  /** What is not dealt with, by the update's id. */
  private readonly open = new Map<number, Promise<void>>();
  private failingSince: Millis | undefined;
  /** Whether the last question was answered. If not, the next does not wait: the runtime is to know soon. */
  private works = false;
  private waits: Generator<number, never>;

  constructor(private readonly parts: PollingParts) {
    this.waits = exponentialBackoff(parts.random);
  }

  async run(): Promise<void> {
    const { signal, clock } = this.parts.context;
    while (!signal.aborted)
      try {
        await this.poll(signal);
      } catch (error) {
        if (signal.aborted) return;
        await clock.sleep(this.waitAfter(botError(error)), signal).catch(() => undefined);
      }
  }

  private async poll(signal: AbortSignal): Promise<void> {
    const { reports } = this.parts;
    this.confirm();
    const updates = await this.fetch(signal);
    this.failingSince = undefined;
    this.works = true;
    this.waits = exponentialBackoff(this.parts.random);
    reports.ok();
    const fresh = updates.filter(({ update_id: id }) => !this.given.includes(id) && !this.open.has(id));
    this.given = updates.map(({ update_id }) => update_id);
    for (const update of inOrder(fresh)) this.begin(update);
    if (updates.length < MAX_UPDATES) await this.settled();
  }

  /** A connection that a router has forgotten never answers: it is given up, and the next question has a new one. */
  private async fetch(signal: AbortSignal): Promise<readonly Update[]> {
    const { bot, context } = this.parts;
    const waitFor = this.works ? POLL_FOR_S : 0;
    const wanted = {
      ...(this.offset !== undefined && { offset: this.offset }),
      limit: MAX_UPDATES,
      timeout: waitFor,
      allowed_updates: ["message", "callback_query"] as const,
    };
    const limits = { clock: context.clock, longest: seconds(waitFor + ANSWER_FOR_S), signal };
    // the library's own type of signal is an older one
    return within(limits, (ends) => bot.api.getUpdates(wanted, ends as never));
  }

  private begin(update: Update): void {
    const { update_id: id } = update;
    const work = this.parts.take(update);
    if (work)
      this.open.set(
        id,
        work.then(() => void this.open.delete(id)),
      );
  }

  /** The ids are in Telegram's order, which begins anew after a quiet week: never compare them by size. */
  private confirm(): void {
    const last = this.given.at(-1);
    if (last === undefined) return;
    const first = this.given.findIndex((id) => this.open.has(id));
    const isFull = this.given.length >= MAX_UPDATES;
    this.given = isFull || first === -1 ? [] : this.given.slice(first);
    this.offset = this.given[0] ?? last + 1;
  }

  /** Until all is dealt with, but not for long. */
  private async settled(): Promise<void> {
    if (this.open.size === 0) return;
    const enough = new AbortController();
    const waited = this.parts.context.clock.sleep(ASK_AGAIN_AFTER, enough.signal).catch(() => undefined);
    await Promise.race([waited, Promise.all(this.open.values())]);
    enough.abort();
  }

  private waitAfter(error: BotTrouble): Millis {
    const { clock } = this.parts.context;
    this.works = false;
    this.failingSince ??= clock.monotonic();
    const isLong = clock.monotonic() - this.failingSince >= TROUBLE_AFTER;
    if (error.code === "CONFLICT" || error.code === "UNAUTHORIZED" || isLong) this.parts.reports.down(error);
    if (error.code === "CONFLICT") return AFTER_CONFLICT;
    if (error.code === "UNAUTHORIZED") return AFTER_UNAUTHORIZED;
    return millis(Math.max(waitOf(error), this.waits.next().value));
  }
}

/** What switches off comes first: nothing that came before may delay it. */
const inOrder = (updates: readonly Update[]): readonly Update[] => [
  ...updates.filter(saysOff),
  ...updates.filter((each) => !saysOff(each)),
];

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
