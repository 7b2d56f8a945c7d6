import { ChildSignal } from "../child-signal.js";
import type { Clock } from "../clock.js";
import type { ToolInfo } from "../connect.js";
import type { Millis } from "../units.js";
import type { Message, Model, Reply } from "./model.js";
import { ModelError } from "./model-error.js";

/** Gives a model no more than `patience` for a reply. */
export class HurriedModel implements Model {
  readonly name: string;

  constructor(
    private readonly model: Model,
    private readonly clock: Clock,
    private readonly patience: Millis,
  ) {
    this.name = model.name;
  }

  async respond(
    conversation: readonly Message[],
    tools: readonly ToolInfo[],
    signal: AbortSignal,
  ): Promise<Reply> {
    const [asking, waiting] = [new ChildSignal(signal), new ChildSignal(signal)];
    const late = `${this.name} did not answer within ${this.patience / 60_000} minutes`;
    const giveUp = () => asking.abort(new ModelError(late, "broken"));
    void this.clock.sleep(this.patience, waiting.signal).then(giveUp, () => undefined);
    try {
      return await this.model.respond(conversation, tools, asking.signal);
    } finally {
      waiting.abort();
      asking.abort();
    }
  }
}
