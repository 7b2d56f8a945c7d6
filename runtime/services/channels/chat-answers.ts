import { MutexByKey } from "../../../drivers/mutex.js";
import { hours, type Millis, plus, seconds } from "../../../drivers/units.js";
import type { ChatAnswer } from "../module.js";
import type { ChannelParts, Delivery } from "./delivery.js";
import type { Account } from "./letters.js";
import { chatOf } from "./receiver.js";

/** Choices: a bridge that is started again is soon there; after an hour the page and the terminal have it. */
const AGAIN_AFTER = seconds(15);
const GIVEN_UP_AFTER = hours(1);

/** Brings what the agent writes in a chat of a channel to that channel: one after the other, at any hour. */
export class ChatAnswers {
  private readonly turns = new MutexByKey<number>();
  private readonly closing = new AbortController();

  constructor(
    private readonly parts: ChannelParts,
    private readonly delivery: Delivery,
  ) {}

  bring(answer: ChatAnswer): void {
    const { plans, accounts, house } = this.parts;
    const plan = plans.find(({ name }) => chatOf(name, answer.person) === answer.chat_id);
    if (!plan) return;
    const until = plus(house.realClock.monotonic(), GIVEN_UP_AFTER);
    for (const account of accounts.of(plan.name, answer.person))
      void this.turns.run(account.id, () => this.sent(account, answer, until));
  }

  close(): void {
    this.closing.abort();
  }

  /** Never rejects. */
  private async sent(account: Account, { message_id, text }: ChatAnswer, until: Millis): Promise<void> {
    const clock = this.parts.house.realClock;
    const { signal } = this.closing;
    while (!signal.aborted && clock.monotonic() < until)
      try {
        return await this.delivery.write(account, `chat-${message_id}-${account.id}`, {
          title: "",
          text,
        });
      } catch {
        await clock.sleep(AGAIN_AFTER, signal).catch(() => undefined);
      }
  }
}
