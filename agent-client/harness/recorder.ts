import { isoUtc } from "../../runtime/tools/iso-time.js";
import type { CycleLog, CycleOutcome } from "../cycle/cycle.js";
import type { ToolResult } from "../link/tools.js";
import type { CycleRecord, EventRecord, MessageRecord, RefusalRecord } from "./result.js";
import { tenth } from "./tenth.js";
import type { World } from "./world.js";

/** Told of each cycle, and of what happens beside the cycles: for a person to read. */
export interface SimulationStory {
  cycle(number: number, plant: string | undefined): CycleLog;
  happened?(at: string, who: string, text: string): void;
}

/** Writes down what happens, by true time. */
export class Recorder {
  readonly cycles: CycleRecord[] = [];
  readonly refusals: RefusalRecord[] = [];
  readonly messages: MessageRecord[] = [];
  readonly events: EventRecord[] = [];
  /** Texts of the agent's messages; what else reaches the person is the runtime's. */
  readonly sentByAgent = new Set<unknown>();
  readonly doses = new Map<string, { at: string; ml: number; arrived: number }[]>();

  constructor(
    private readonly world: World,
    private readonly plants: readonly string[],
    private readonly story: SimulationStory,
  ) {}

  /** The log of one cycle; `plant` is undefined where there is only one. */
  cycle(number: number, plant: string | undefined): CycleLog {
    const story = this.story.cycle(number, plant);
    const id = plant ?? this.plants[0] ?? "";
    return {
      began: (beginning) => story.began(beginning),
      replied: (reply, timing) => story.replied(reply, timing),
      progress: (tool, progress) => story.progress(tool, progress),
      waits: (tool, waiting) => story.waits(tool, waiting),
      answered: (tool, args, result, timing) => {
        this.answered(id, tool, result);
        if (tool === "send_message_to_human" && result.ok) this.sentByAgent.add(args.message);
        story.answered(tool, args, result, timing);
      },
      ended: (outcome, next) => {
        this.ended(id, outcome);
        story.ended(outcome, next);
      },
    };
  }

  event(by: EventRecord["by"], text: string): void {
    const at = this.at();
    this.events.push({ at, by, text });
    this.story.happened?.(at, by === "person" ? "the person" : "event", text);
  }

  message(from: MessageRecord["from"], text: string): void {
    const at = this.at();
    this.messages.push({ at, from, text });
    if (from !== "agent") this.story.happened?.(at, from === "person" ? "the person" : "runtime", text); // the agent's is a deed
  }

  poured(plant: string, ml: number, arrived: number): void {
    const doses = this.doses.get(plant) ?? [];
    this.doses.set(plant, doses);
    doses.push({ at: this.at(), ml, arrived: tenth(arrived) });
  }

  at(): string {
    return isoUtc(this.world.now());
  }

  private answered(plant: string, tool: string, result: ToolResult): void {
    const refusal = refusalOf(tool, result);
    if (refusal) this.refusals.push({ at: this.at(), plant, tool, ...refusal });
  }

  private ended(plant: string, { completed, reason, rounds, calls, tokens }: CycleOutcome): void {
    const sum = tokens.input + tokens.output;
    this.cycles.push({ at: this.at(), plant, completed, reason, rounds, calls, tokens: sum });
  }
}

function refusalOf(tool: string, result: ToolResult): Pick<RefusalRecord, "code" | "message"> | undefined {
  if (!result.ok && result.error.code === "LINK_BROKEN") return undefined; // a power cut is nobody's mistake
  if (!result.ok) return { code: result.error.code, message: result.error.message };
  const { value } = result;
  if (tool !== "write_plant_status" || typeof value !== "object" || value === null) return undefined;
  if (!("proceed" in value) || value.proceed !== false) return undefined;
  return { code: "STATUS_REFUSED", message: "reason" in value ? String(value.reason) : "" };
}
