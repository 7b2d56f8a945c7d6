import { z } from "zod";
import type { ToolInfo } from "../connect.js";
import type { CycleOutcome } from "../cycle.js";
import type { DurableFile } from "../durable-file.js";
import type { Message, Model, Reply } from "./model.js";
import { ModelError } from "./model-error.js";

/** What the person has been told of the model, so that a restart does not tell it again. */
export const standing = z.strictObject({
  version: z.literal(1),
  model: z.string(),
  /** Cycles in a row that the model failed. */
  failures: z.int().min(0),
  /** Failed too often, or in a way that only a person mends. */
  isOut: z.boolean(),
  /** Why it is out, as the person has been told. */
  told: z.string().nullable(),
  /** The day's limit that the person was told of last. */
  toldLimit: z.string().nullable(),
});

type Standing = z.output<typeof standing>;

export interface FailoverParts {
  /** The model, with all patience. */
  readonly model: Model;
  /** The same model, asked once and without much waiting: whether it is back. */
  readonly probe: Model;
  /** Takes the cycles that the model cannot. */
  readonly fallback: Model | undefined;
  /** Failed cycles in a row after which the model is out. */
  readonly failedCycles: number;
  readonly file: DurableFile<Standing>;
  /** Whether the person has it now. */
  readonly tell: (message: string) => Promise<boolean>;
  readonly say: (text: string) => void;
}

/**
 * Who decides in each cycle: the model, or while that is out the fallback, if there is one. A model that is out is asked
 * first at the beginning of each cycle: its reply is as good as any, and one that is refused costs nothing.
 */
export class Failover implements Model {
  private state: Standing;
  private current: Model;
  /** Why the fallback has this cycle. */
  private stoodIn: ModelError | undefined;
  private replied = false;
  /** It came back and failed in the middle of the cycle: the next is the fallback's, or the plant would get none. */
  private skipModel = false;

  constructor(private readonly parts: FailoverParts) {
    this.current = parts.model;
    this.state = this.read();
  }

  /** Of whoever replies just now. */
  get name(): string {
    return this.current.name;
  }

  async respond(
    conversation: readonly Message[],
    tools: readonly ToolInfo[],
    signal: AbortSignal,
  ): Promise<Reply> {
    const beginning = !conversation.some(({ role }) => role === "assistant");
    if (beginning) return this.begin(conversation, tools, signal);
    return this.current.respond(conversation, tools, signal);
  }

  /** Tells the person what the cycle showed. Rejects with a LinkError. */
  async ended({ failure }: Pick<CycleOutcome, "failure">): Promise<void> {
    const failed = this.stoodIn ?? failure;
    if (failed?.kind === "limit") await this.tellLimit(failed.message);
    else if (this.stoodIn && this.state.isOut) await this.tellOut(this.stoodIn.message);
    else if (failed) await this.failed(failed);
    else if (this.replied) await this.recovered();
  }

  private async begin(...asked: Parameters<Model["respond"]>): Promise<Reply> {
    const { model, probe, fallback } = this.parts;
    this.current = model;
    this.stoodIn = undefined;
    this.replied = false;
    try {
      this.assertNotSkipped();
      const reply = await (this.state.isOut && fallback ? probe : model).respond(...asked);
      this.replied = true;
      return reply;
    } catch (error) {
      if (!(error instanceof ModelError) || !fallback) throw error;
      return this.standIn(error, fallback, asked);
    }
  }

  private assertNotSkipped(): void {
    if (!this.skipModel) return;
    this.skipModel = false;
    throw new ModelError(`${this.parts.model.name} failed in the middle of its last cycle`, "broken");
  }

  private standIn(error: ModelError, fallback: Model, asked: Parameters<Model["respond"]>): Promise<Reply> {
    this.stoodIn = error;
    this.current = fallback;
    this.parts.say(`${error.message}; ${fallback.name} takes this cycle`);
    return fallback.respond(...asked);
  }

  private async failed({ kind, message }: NonNullable<CycleOutcome["failure"]>): Promise<void> {
    const { failedCycles, fallback } = this.parts;
    const failures = this.state.failures + 1;
    this.skipModel = this.state.isOut && fallback !== undefined;
    this.keep({ failures });
    if (kind === "person" || failures >= failedCycles) await this.tellOut(message);
  }

  private async tellOut(reason: string): Promise<void> {
    const { model, fallback, tell, say } = this.parts;
    const wasOut = this.state.isOut;
    this.keep({ isOut: true });
    const then = fallback
      ? `${fallback.name} looks after the plants until it answers again`
      : "nobody looks after the plants until it answers again; with --fallback caretaker, a set of rules would";
    if (!wasOut) say(`${model.name} is out: ${then}`);
    if (this.state.told !== null) return;
    if (await tell(`**The model ${model.name} is out.** ${reason}. Now ${then}. ${SENDER}`))
      this.keep({ told: reason });
  }

  private async tellLimit(reason: string): Promise<void> {
    const { fallback, tell } = this.parts;
    if (this.state.toldLimit === reason) return;
    const then = fallback
      ? `${fallback.name} looks after the plants until then`
      : "nobody looks after the plants until then; with --fallback caretaker, a set of rules would";
    if (await tell(`**A limit of the day.** ${reason}. Now ${then}. ${SENDER}`))
      this.keep({ toldLimit: reason });
  }

  private async recovered(): Promise<void> {
    const { model, fallback, tell, say } = this.parts;
    const { isOut, told, failures } = this.state;
    if (failures > 0 || isOut) this.keep({ failures: 0, isOut: false });
    const back = `${model.name} answers again${fallback ? ` and takes over from ${fallback.name}` : ""}`;
    if (isOut) say(back);
    if (told !== null && (await tell(`**All is well again.** ${back}. ${SENDER}`))) this.keep({ told: null });
  }

  private read(): Standing {
    const { file, model, say } = this.parts;
    const held = file.read();
    if (held.is === "value" && held.value.model === model.name) return held.value;
    if (held.is === "unreadable") say(`${file.path} cannot be read: what the person was told is told again`);
    return { version: 1, model: model.name, failures: 0, isOut: false, told: null, toldLimit: null };
  }

  /** In force at once; where the disk refuses it, a restart costs a message more. */
  private keep(change: Partial<Standing>): void {
    this.state = { ...this.state, ...change };
    try {
      this.parts.file.write(this.state);
    } catch (error) {
      this.parts.say(`${this.parts.file.path} cannot be written: ${String(error)}`);
    }
  }
}

const SENDER = "(Written by the agent program, not by a model.)";
