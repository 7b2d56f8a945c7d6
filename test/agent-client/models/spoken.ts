import type { AskOptions, Message, Model, Reply } from "../../../agent-client/models/model.js";
import { type FailureKind, ModelError } from "../../../agent-client/models/model-error.js";

export const DONE: Reply = { text: "done", toolCalls: [] };
export const failure = (kind: FailureKind, message = `it is ${kind}`) => new ModelError(message, kind);

/** Replies or fails by a script, the last of it from then on. */
export class Spoken implements Model {
  asked = 0;
  /** How it was asked, each time. */
  readonly options: (AskOptions | undefined)[] = [];

  constructor(
    readonly name: string,
    private readonly script: readonly (Reply | ModelError | (() => Promise<Reply>))[],
  ) {}

  async respond(
    _conversation?: readonly Message[],
    _tools?: unknown,
    _signal?: AbortSignal,
    options?: AskOptions,
  ): Promise<Reply> {
    const said = this.script[Math.min(this.asked, this.script.length - 1)] ?? DONE;
    this.asked += 1;
    this.options.push(options);
    if (said instanceof ModelError) throw said;
    return typeof said === "function" ? said() : said;
  }
}
