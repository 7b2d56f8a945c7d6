import type { Message, Model, Reply, ToolCall } from "../../agent-client/models/model.js";

export const call = (name: string, args: unknown = {}): ToolCall => ({
  id: `id-${name}`,
  name,
  arguments: args,
});

/** Replies from a list, then stops; keeps what it was shown. */
export class ScriptedModel implements Model {
  readonly name = "scripted";
  seen: readonly Message[] = [];
  private round = 0;

  constructor(private readonly replies: readonly (readonly ToolCall[])[]) {}

  async respond(conversation: readonly Message[]): Promise<Reply> {
    this.seen = [...conversation];
    return { toolCalls: this.replies[this.round++] ?? [] };
  }

  /** What the model was told of its calls, parsed. */
  get answers(): readonly unknown[] {
    return this.seen.flatMap((message) => (message.role === "tool" ? [JSON.parse(message.content)] : []));
  }
}
