import type { Model, Reply } from "../models/model.js";

/** Failed replies in a row after which nobody answers: a month of them would only look like a bad agent. A choice. */
const MOST_FAILURES = 3;

/** Nobody answers. */
export class ModelGivenUp extends Error {
  override readonly name = "ModelGivenUp";
}

/** The same model. The run stops when it fails again and again, and can be gone on with. */
export class StopOnFailures implements Model {
  readonly name: string;
  private failures = 0;

  constructor(
    private readonly model: Model,
    private readonly giveUp: (reason: ModelGivenUp) => void,
  ) {
    this.name = model.name;
  }

  async respond(...asked: Parameters<Model["respond"]>): Promise<Reply> {
    try {
      const reply = await this.model.respond(...asked);
      this.failures = 0;
      return reply;
    } catch (error) {
      this.failures += 1;
      if (this.failures === MOST_FAILURES) this.giveUp(givenUp(this.name, error));
      throw error;
    }
  }
}

const givenUp = (name: string, error: unknown): ModelGivenUp =>
  new ModelGivenUp(
    `${name} failed ${MOST_FAILURES} times in a row: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error },
  );
