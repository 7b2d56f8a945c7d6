import { type Millis, minutes, seconds } from "../../drivers/units.js";
import type { BridgeContext, JobResult } from "./adapter.js";
import { Refused } from "./link.js";

/** The runtime expects a report so often (runtime/services/channels/health.ts). */
export const REPORT_EVERY: Millis = minutes(1);

/** The runtime is away. A choice. */
const AGAIN_AFTER = seconds(1);

interface Trouble {
  readonly code: string;
  /** For people, without an address or a secret. */
  readonly message: string;
}

/**
 * Tells the runtime how a channel is: at once if that is new, else every minute. The channel's own loop calls it, at least
 * every minute: a channel that hangs says nothing, and counts as down.
 */
export class ChannelReports {
  private wanted = "";
  private told = "";
  private toldAt: Millis | undefined;
  private telling: Promise<void> | undefined;
  private report: JobResult = {};

  constructor(
    private readonly channel: string,
    private readonly context: Pick<BridgeContext, "call" | "clock" | "onConnected" | "say" | "signal">,
  ) {
    // a runtime that was restarted knows nothing of the channel
    context.onConnected(() => {
      this.told = "";
      this.begin();
    });
  }

  ok(): void {
    this.tell("ok", undefined);
  }

  down(trouble: Trouble): void {
    this.tell("down", trouble);
  }

  /** At once if it is new, else every minute. */
  private tell(state: "ok" | "down", trouble: Trouble | undefined): void {
    const { clock, say } = this.context;
    const before = this.wanted;
    this.wanted = `${state} ${trouble?.code ?? ""}`;
    this.report = {
      channel: this.channel,
      state,
      ...(trouble && { code: trouble.code, message: trouble.message }),
    };
    if (this.wanted !== before) say(`${this.channel}: ${trouble?.message ?? "connected"}`);
    if (this.toldAt === undefined || clock.monotonic() - this.toldAt >= REPORT_EVERY) this.told = "";
    this.begin();
  }

  private begin(): void {
    this.telling ??= this.send().finally(() => {
      this.telling = undefined;
    });
  }

  /** Until the runtime has the newest. Never rejects. Where the runtime has no such channel, nobody waits for it. */
  private async send(): Promise<void> {
    const { call, clock, signal } = this.context;
    while (this.told !== this.wanted && !signal.aborted) {
      const [news, at] = [this.wanted, clock.monotonic()];
      try {
        await call("note_channel", this.report);
        this.told = news;
        this.toldAt = at;
      } catch (error) {
        const isUnwanted = error instanceof Refused && error.code === "NO_CHANNEL";
        await clock.sleep(isUnwanted ? REPORT_EVERY : AGAIN_AFTER, signal).catch(() => undefined);
      }
    }
  }
}
