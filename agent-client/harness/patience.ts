import type { ToolInfo } from "../connect.js";
import type { Message, Model, Reply } from "../models/model.js";

/** Failures in a row after which nobody answers: a month of them would only look like a bad agent. A choice. */
const PATIENCE = 3;

/** Nobody answers. */
export class ModelGivenUp extends Error {
  override readonly name = "ModelGivenUp";
}

/** A model that is given up when it fails again and again: the run stops, and can be gone on with. */
export class PatientModel implements Model {
  readonly name: string;
  private failures = 0;

  constructor(
    private readonly model: Model,
    private readonly giveUp: (reason: ModelGivenUp) => void,
  ) {
    this.name = model.name;
  }

  async respond(
    conversation: readonly Message[],
    tools: readonly ToolInfo[],
    signal: AbortSignal,
  ): Promise<Reply> {
    try {
      const reply = await this.model.respond(conversation, tools, signal);
      this.failures = 0;
      return reply;
    } catch (error) {
      this.failures += 1;
      if (this.failures === PATIENCE) this.giveUp(givenUp(this.name, error));
      throw error;
    }
  }
}

const givenUp = (name: string, error: unknown): ModelGivenUp =>
  new ModelGivenUp(
    `${name} failed ${PATIENCE} times in a row: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error },
  );
