import type { Update } from "grammy/types";
import { type Millis, millis, minutes, seconds } from "../../../drivers/units.js";
import { exponentialBackoff } from "../../wire/backoff.js";
import type { BridgeContext } from "../adapter.js";
import type { ChannelReports } from "../channel-reports.js";
import { type Bot, type BotTrouble, botError, POLL_FOR_S, waitOf } from "./bot-api.js";

/** Choices: a person mends these; until then Telegram is asked now and then. */
const AFTER_CONFLICT = seconds(30);
const AFTER_UNAUTHORIZED = minutes(1);
/** A line that is down for a moment is no news. A choice. */
const TROUBLE_AFTER: Millis = minutes(1);

interface PollingParts {
  readonly bot: Bot;
  readonly context: Pick<BridgeContext, "clock" | "signal">;
  readonly reports: ChannelReports;
  /** Takes an update in. Never rejects; waits as long as the runtime is away, so that nothing is lost. */
  readonly take: (update: Update) => Promise<void>;
  /** [0, 1) */
  readonly random: () => number;
}

/**
 * Fetches what people write and press, by long polling. An update is confirmed when it is dealt with: what a crash cuts
 * off comes again. It never ends by itself: what another program or Telegram ends is begun again, and reported.
 */
export class Polling {
  private offset: number | undefined;
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
    const { bot, reports, take } = this.parts;
    const updates = await bot.api.getUpdates(
      {
        ...(this.offset !== undefined && { offset: this.offset }),
        timeout: this.works ? POLL_FOR_S : 0,
        allowed_updates: ["message", "callback_query"],
      },
      // the library's own type of signal is an older one
      signal as never,
    );
    this.failingSince = undefined;
    this.works = true;
    this.waits = exponentialBackoff(this.parts.random);
    reports.ok();
    for (const update of inOrder(updates)) {
      if (signal.aborted) return;
      await take(update);
    }
    const last = updates.at(-1);
    if (last) this.offset = last.update_id + 1;
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
const inOrder = (updates: readonly Update[]): readonly Update[] => {
  const isOff = ({ message }: Update) => /^\/off\b/i.test(message?.text ?? "");
  return [...updates.filter(isOff), ...updates.filter((each) => !isOff(each))];
};
