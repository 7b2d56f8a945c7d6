import type { ToolInfo } from "../connect.js";
import type { Message, Model, Reply } from "./model.js";

/** A choice: ten million is the longest context that any model is sold with (Llama 4 Scout, 2025). */
const MOST_TOKENS = 10_000_000;

/** Takes counts of tokens that cannot be true out of a model's replies, and says so once: who counts then estimates. */
export class BelievableModel implements Model {
  readonly name: string;
  private said = false;

  constructor(
    private readonly model: Model,
    private readonly say: (text: string) => void,
  ) {
    this.name = model.name;
  }

  async respond(
    conversation: readonly Message[],
    tools: readonly ToolInfo[],
    signal: AbortSignal,
  ): Promise<Reply> {
    const reply = await this.model.respond(conversation, tools, signal);
    const { usage, ...rest } = reply;
    if (!usage || (isCount(usage.input) && isCount(usage.output))) return reply;
    this.doubt(usage);
    return rest;
  }

  private doubt({ input, output }: NonNullable<Reply["usage"]>): void {
    if (this.said) return;
    this.said = true;
    this.say(
      `${this.name} says that a reply took ${input} tokens in and ${output} out, which cannot be: such counts are estimated`,
    );
  }
}

export const isCount = (tokens: number): boolean =>
  Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS;
