import { z } from "zod";
import type { CycleOutcome } from "../cycle.js";
import type { DurableFile } from "../durable-file.js";

/** What the person has been told of the model, so that a restart does not tell it again. */
export const standingFile = z.strictObject({
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

type State = z.output<typeof standingFile>;

export type Failure = NonNullable<CycleOutcome["failure"]>;

export interface StandingParts {
  /** Failed cycles in a row after which the model is out. */
  readonly failedCycles: number;
  readonly file: DurableFile<State>;
  /** Whether the person has it now. */
  readonly tell: (message: string) => Promise<boolean>;
  readonly say: (text: string) => void;
}

/** Whether a model counts as out, and what the person hears of it: each thing once, also through restarts. */
export class Standing {
  private state: State;

  /** `model` and `fallback`: their names. */
  constructor(
    private readonly model: string,
    private readonly fallback: string | undefined,
    private readonly parts: StandingParts,
  ) {
    this.state = this.read();
  }

  get isOut(): boolean {
    return this.state.isOut;
  }

  /** Counts a failed cycle. Rejects with a LinkError, as all that tell. */
  async failed({ kind, message }: Failure): Promise<void> {
    const failures = this.state.failures + 1;
    if (!this.isOut) this.keep({ failures });
    if (this.isOut || kind === "person" || failures >= this.parts.failedCycles) await this.tellOut(message);
  }

  async limitReached(reason: string): Promise<void> {
    if (this.state.toldLimit === reason) return;
    if (await this.parts.tell(`**A limit of the day.** ${reason}. Now ${this.until("then")}. ${SENDER}`))
      this.keep({ toldLimit: reason });
  }

  async works(): Promise<void> {
    const { tell, say } = this.parts;
    const { isOut, told, failures } = this.state;
    if (failures > 0 || isOut) this.keep({ failures: 0, isOut: false });
    const back = `${this.model} answers again${this.fallback ? ` and takes over from ${this.fallback}` : ""}`;
    if (isOut) say(back);
    if (told !== null && (await tell(`**All is well again.** ${back}. ${SENDER}`))) this.keep({ told: null });
  }

  private async tellOut(reason: string): Promise<void> {
    const { tell, say } = this.parts;
    const wasOut = this.isOut;
    this.keep({ isOut: true });
    const then = this.until("it answers again");
    if (!wasOut) say(`${this.model} is out: ${then}`);
    if (this.state.told !== null) return;
    if (await tell(`**The model ${this.model} is out.** ${reason}. Now ${then}. ${SENDER}`))
      this.keep({ told: reason });
  }

  private until(when: string): string {
    return this.fallback
      ? `${this.fallback} looks after the plants until ${when}`
      : `nobody looks after the plants until ${when}; with --fallback caretaker, a set of rules would`;
  }

  private read(): State {
    const { file, say } = this.parts;
    const held = file.read();
    if (held.is === "value" && held.value.model === this.model) return held.value;
    if (held.is === "unreadable") say(`${file.path} cannot be read: what the person was told is told again`);
    return { version: 1, model: this.model, failures: 0, isOut: false, told: null, toldLimit: null };
  }

  /** In force at once; where the disk refuses it, a restart costs a message more. */
  private keep(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    try {
      this.parts.file.write(this.state);
    } catch (error) {
      this.parts.say(`${this.parts.file.path} cannot be written: ${String(error)}`);
    }
  }
}

const SENDER = "(Written by the agent program, not by a model.)";
