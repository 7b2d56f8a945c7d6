import { type Millis, minutes } from "../../drivers/units.js";
import type { BridgeContext } from "./adapter.js";

/** The runtime expects a report so often (runtime/services/channels/health.ts). */
const EVERY: Millis = minutes(1);

interface Trouble {
  readonly code: string;
  /** For people, without an address or a secret. */
  readonly message: string;
}

/**
 * Tells the runtime how a channel is. Only work that succeeds or fails calls it, never a timer: a channel that hangs says
 * nothing, and counts as down.
 */
export class ChannelReports {
  private told = "";
  private toldAt: Millis | undefined;
  private isTelling = false;

  constructor(
    private readonly channel: string,
    private readonly context: Pick<BridgeContext, "call" | "clock" | "say">,
  ) {}

  ok(): void {
    this.tell("ok", undefined);
  }

  down(trouble: Trouble): void {
    this.tell("down", trouble);
  }

  /** At once if it is new, else every minute. One that does not arrive is made up for by the next. */
  private tell(state: "ok" | "down", trouble: Trouble | undefined): void {
    const { clock, call, say } = this.context;
    const news = `${state} ${trouble?.code ?? ""}`;
    const isDue = this.toldAt === undefined || clock.monotonic() - this.toldAt >= EVERY;
    if (this.isTelling || (news === this.told && !isDue)) return;
    if (news !== this.told) say(`${this.channel}: ${trouble?.message ?? "connected"}`);
    this.isTelling = true;
    this.told = news;
    call("note_channel", { channel: this.channel, state, ...trouble })
      .then(() => {
        this.toldAt = clock.monotonic();
      })
      .catch(() => {
        this.toldAt = undefined;
      })
      .finally(() => {
        this.isTelling = false;
      });
  }
}
