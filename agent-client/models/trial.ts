import { ChildSignal, type Clock, type Millis, minutes } from "../clock.js";
import type { Arguments } from "../cycle/arguments.js";
import { runCycle } from "../cycle/cycle.js";
import type { ToolInfo } from "../link/tools.js";
import { refused, type ToolResult } from "../link/tools.js";
import type { Model } from "./model.js";

interface TrialResult {
  readonly canCall: boolean;
  /** For a person: what it did or failed to do. */
  readonly why: string;
  /** False: the model could not be asked, so another test may end differently. */
  readonly isSure: boolean;
}

/** A choice: a model that needs longer for the test plant needs a quarter of an hour for a real one. */
const PATIENCE: Millis = minutes(3);
/** A choice: twice what a good model needs with one call per reply. */
const MAX_REPLIES = 14;

const RULES = `You care for a plant through tools. Do this, in this order, and then stop:
1. Call get_current_time, read_moisture, get_water_usage_24h and get_light_status.
2. Call log_thought with what you saw.
3. Call write_plant_status with the figures exactly as you read them, and one water action of 20 ml.
4. Call dispense_water with 20 ml.
5. Call log_action with what you did.`;

/**
 * Lets a model care for a test plant, with tools that have the names and parameters of the real ones. A model that cannot do
 * this in a few minutes cannot do it with the real tools, which are more. Rejects with the signal's reason.
 */
export async function tryTools(model: Model, clock: Clock, signal: AbortSignal): Promise<TrialResult> {
  const { outcome, poured } = await runTestCycle(model, clock, signal);
  if (!outcome)
    return {
      canCall: false,
      isSure: true,
      why: `it was not done with a test plant within ${PATIENCE / minutes(1)} minutes`,
    };
  const isSure = outcome.rounds > 1 || outcome.failure?.kind === "incomplete" || !outcome.failure;
  if (!outcome.completed) return { canCall: false, isSure, why: outcome.reason };
  return {
    canCall: poured,
    isSure,
    why: poured ? "it cared for a test plant" : "it did not water a test plant",
  };
}

/** One cycle for the test plant; the outcome is undefined if it was not done in time. */
export async function runTestCycle(model: Model, clock: Clock, signal: AbortSignal) {
  const plant = new TestPlant();
  const trying = new ChildSignal(signal);
  const late = clock.sleep(PATIENCE, trying.signal).catch(() => undefined);
  try {
    const cycle = runCycle({
      runtime: plant,
      model,
      prompt: { system: RULES, opening: "Plant 0: Test1 (basil)\nIt is time for a care cycle." },
      maxRounds: MAX_REPLIES,
      clock,
      log: SILENT,
      signal: trying.signal,
      newKey: () => "probe",
    });
    const outcome = (await Promise.race([cycle, late])) ?? undefined;
    return { outcome, poured: plant.poured > 0 };
  } finally {
    trying.abort();
  }
}

export const SILENT = { began() {}, progress() {}, waits() {}, answered() {}, ended() {} };

/** The readings of the test plant, which the model has to copy. */
const READ = { value: 11_734, used_ml: 35, light_today: 240 };
const timestamp = "2026-06-01T10:00:00.000Z";

const ANSWERS: Readonly<Record<string, unknown>> = {
  get_current_time: { timestamp },
  read_moisture: { value: READ.value, percent: 31.4, timestamp },
  get_water_usage_24h: { used_ml: READ.used_ml, remaining_ml: 465 },
  get_light_status: { status: "off", can_activate: false, light_today: READ.light_today },
  log_thought: { timestamp, id: 1 },
  log_action: { timestamp, id: 2 },
};

class TestPlant {
  poured = 0;
  private isCleared = false;

  async tools(): Promise<readonly ToolInfo[]> {
    return TOOLS;
  }

  async call(name: string, args: Arguments): Promise<ToolResult> {
    if (name === "write_plant_status") return this.judge(args);
    if (name === "dispense_water") return this.pour(args);
    return { ok: true, value: ANSWERS[name] };
  }

  private judge(args: Arguments): ToolResult {
    const { sensor_reading, water_24h, light_today, next_action_sequence: plan } = args;
    const wrong = [
      ...(sensor_reading === READ.value ? [] : [`sensor_reading is ${READ.value}`]),
      ...(water_24h === READ.used_ml ? [] : [`water_24h is ${READ.used_ml}`]),
      ...(light_today === READ.light_today ? [] : [`light_today is ${READ.light_today}`]),
      ...(Array.isArray(plan) && plan.length > 0 ? [] : ["next_action_sequence holds an action"]),
    ];
    this.isCleared = wrong.length === 0;
    const reason = `${wrong.join(", ")}: correct the status`;
    return { ok: true, value: this.isCleared ? { proceed: true } : { proceed: false, reason } };
  }

  private pour({ ml }: Arguments): ToolResult {
    if (!this.isCleared) return refused("INVALID_ARGUMENT", "dispense_water: write_plant_status comes first");
    this.poured += Number(ml);
    return { ok: true, value: { dispensed: ml, timestamp } };
  }
}

const tool = (name: string, description: string, properties: object = {}): ToolInfo => ({
  name,
  description,
  inputSchema: { type: "object", additionalProperties: false, required: Object.keys(properties), properties },
  readOnly: /^(?:get|read)_/.test(name),
});
const [text, number] = [{ type: "string" }, { type: "number" }];
const action = {
  order: { type: "integer" },
  action: { type: "string", enum: ["water", "light"] },
  value: number,
};

const TOOLS: readonly ToolInfo[] = [
  tool("get_current_time", "The current date and time, UTC."),
  tool("read_moisture", "The moisture of the soil: value as the probe gives it, and percent."),
  tool("get_water_usage_24h", "Water of the last 24 hours."),
  tool("get_light_status", "Whether the lamp is on, and minutes of light today."),
  tool("log_thought", "Write down what you see and think.", { observation: text, reasoning: text }),
  tool("write_plant_status", "The plant's state and what you mean to do. The answer says whether you may.", {
    timestamp: { ...text, description: "of get_current_time" },
    sensor_reading: { ...number, description: "value of read_moisture" },
    water_24h: { ...number, description: "used_ml of get_water_usage_24h" },
    light_today: { ...number, description: "of get_light_status" },
    plant_state: { type: "string", enum: ["healthy", "stressed", "concerning", "critical", "unknown"] },
    next_action_sequence: {
      type: "array",
      items: {
        type: "object",
        required: Object.keys(action),
        properties: action,
        additionalProperties: false,
      },
    },
    reasoning: text,
  }),
  tool("log_action", "Write down what you did.", {
    type: { type: "string", enum: ["water", "light"] },
    details: { type: "object" },
  }),
  tool("dispense_water", "Pour water.", { ml: { ...number, description: "millilitres, 10 to 25" } }),
];
