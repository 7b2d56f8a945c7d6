import { type EpochMillis, hours, plus } from "../../drivers/units.js";
import { type Message, messagesFromAgent, sentMessage } from "../../runtime/wire/people.js";
import type { Runtime } from "../link/runtime.js";
import type { Recorder } from "./recorder.js";
import type { Troubles } from "./troubles.js";
import type { World } from "./world.js";

/** Messages read at once. A choice: more than that in an hour would be a fault of the agent. */
const PAGE = 50;

/** The simulated person: reads messages once an hour, and repairs what a message reports. */
export class Person {
  private readonly asked = new Map<string, string>();
  private lastRead = 0;
  private written = 0;

  constructor(
    private readonly house: {
      readonly world: World;
      readonly runtime: Runtime;
      readonly troubles: Troubles;
      readonly recorder: Recorder;
      readonly repairAfterHours: number;
    },
  ) {}

  /** Messages of the person that the agent has not answered. */
  get unanswered(): number {
    return this.asked.size;
  }

  /** Messages of the agent that are not replies. */
  get unasked(): number {
    return this.written;
  }

  async write(text: string): Promise<void> {
    const { runtime, recorder } = this.house;
    const result = await runtime.call("send_message_to_agent", { message: text });
    if (!result.ok) throw new Error(`the person cannot write: ${result.error.message}`);
    this.asked.set(sentMessage.parse(result.value).message_id, text);
    recorder.message("person", text);
  }

  async lookAfter(): Promise<void> {
    await this.read();
    await this.mend();
  }

  private async read(): Promise<void> {
    const result = await this.house.runtime.call("list_messages_from_agent", { limit: PAGE });
    if (!result.ok) throw new Error(`the person cannot read messages: ${result.error.message}`);
    const news = messagesFromAgent
      .parse(result.value)
      .messages.filter(({ message_id }) => Number(message_id) > this.lastRead);
    for (const message of news.reverse()) this.take(message);
  }

  private take({ message_id, in_reply_to, content = "" }: Message): void {
    const { recorder, troubles, world } = this.house;
    this.lastRead = Number(message_id);
    const byAgent = recorder.sentByAgent.has(content);
    recorder.message(byAgent ? "agent" : "runtime", content);
    if (in_reply_to !== null) this.asked.delete(in_reply_to);
    else troubles.readByPerson(content, world.now());
    if (byAgent && in_reply_to === null) this.written += 1;
  }

  /** Also clears the fault of a pump after the repair. */
  private async mend(): Promise<void> {
    const { world, troubles, recorder, runtime, repairAfterHours } = this.house;
    const toldBefore = plus(world.now(), -hours(repairAfterHours)) as EpochMillis;
    for (const { trouble, plants } of troubles.repair(world.bench, toldBefore)) {
      recorder.event("person", `mends: ${trouble}`);
      for (const plant of plants) await runtime.call("clear_fault", { plant });
    }
  }
}
