import { type Millis, seconds } from "../../../drivers/units.js";
import { pairedAccounts } from "../../wire/channels.js";
import { isUnwanted, tellUnwanted } from "../channel-reports.js";
import { type ChannelParts, callUntilTaken } from "./calls.js";

export const CHANNEL = "telegram";

/** The runtime is asked for the accounts at most so often for a stranger. A choice. */
const ACCOUNTS_EVERY = seconds(10);

/** The accounts whose messages are taken. */
export class PairedAccounts {
  private known: ReadonlySet<string> = new Set();
  private askedAt: Millis | undefined;
  private asking: Promise<void> | undefined;

  constructor(private readonly parts: ChannelParts) {}

  /** Resolves when the accounts are known: before that everybody is a stranger. Rejects when the bridge stops. */
  async ready(): Promise<void> {
    const { context } = this.parts;
    const { clock, signal, say } = context;
    for (;;) {
      try {
        if (!isUnwanted(CHANNEL, context)) return await this.ask();
      } catch (error) {
        const isTold = tellUnwanted(CHANNEL, error, context);
        if (!signal.aborted && !isTold) say(`telegram: whose accounts are paired is not known: ${error}`);
      }
      await clock.sleep(ACCOUNTS_EVERY, signal);
    }
  }

  has(account: string): boolean {
    return this.known.has(account);
  }

  /** Asks the runtime about an unknown account, now and then. */
  async find(account: string): Promise<boolean> {
    const { clock } = this.parts.context;
    const isDue = this.askedAt === undefined || clock.monotonic() - this.askedAt >= ACCOUNTS_EVERY;
    if (!this.has(account) && (isDue || this.asking)) await this.ask();
    return this.has(account);
  }

  add(account: string): void {
    this.known = new Set([...this.known, account]);
  }

  /** The runtime does not know it any more. */
  drop(account: string): void {
    this.known = new Set([...this.known].filter((each) => each !== account));
  }

  private ask(): Promise<void> {
    this.asking ??= this.read().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async read(): Promise<void> {
    const answer = await callUntilTaken(this.parts, "list_accounts", { channel: CHANNEL });
    this.askedAt = this.parts.context.clock.monotonic();
    this.known = new Set(pairedAccounts.parse(answer).accounts);
  }
}
