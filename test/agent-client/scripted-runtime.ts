import type { Arguments } from "../../agent-client/cycle/arguments.js";
import type { CallOptions, Runtime } from "../../agent-client/link/runtime.js";
import type { JsonSchema, ToolInfo, ToolResult } from "../../agent-client/link/tools.js";
import type { Agenda } from "../../runtime/wire/agenda.js";
import { TOOL_CONTRACTS } from "../services/contracts.js";

export interface MadeCall {
  readonly name: string;
  readonly args: Arguments;
  readonly key: string | undefined;
}

export type Answer = (args: Arguments) => ToolResult;

export const ok = (value: unknown): ToolResult => ({ ok: true, value });

export const fail = (
  code: string,
  more: { message?: string; retry_after_s?: number; details?: Record<string, unknown> } = {},
): ToolResult => ({
  ok: false,
  error: { code, message: `no (${code})`, retryable: false, ...more },
});

export const NOON = "2026-06-01T12:30:00.000Z";

/** A dry basil at noon, nothing given yet, dark since yesterday, a photo of an hour ago, no messages and no note. */
const CONTENTED: Readonly<Record<string, Answer>> = {
  get_current_time: () => ok({ timestamp: NOON }),
  read_moisture: () => ok({ value: 17_812, timestamp: NOON, percent: 60, noise: 12, quality: "ok" }),
  get_water_usage_24h: () => ok({ used_ml: 40, remaining_ml: 460, events: 2 }),
  get_light_status: () =>
    ok({
      status: "off",
      last_on: null,
      last_off: null,
      can_activate: true,
      minutes_until_available: 0,
      light_today: 240,
    }),
  list_messages_from_human: () => ok({ messages: [] }),
  list_memories: () => ok({ count: 0, memories: [] }),
  fetch_notes: () => ok({ content: "", timestamp: null, note_length_chars: 0 }),
  get_recent_photos: () => ok({ count: 1, photos: [{ timestamp: "2026-06-01T11:30:00.000Z" }] }),
  get_recent_actions: () => ok({ count: 0, actions: [] }),
  log_thought: () => ok({ timestamp: NOON, success: true }),
  log_action: () => ok({ timestamp: NOON, success: true }),
  write_plant_status: () => ok({ proceed: true }),
  dispense_water: ({ ml }) => ok({ dispensed: ml, remaining_24h: 440, timestamp: NOON }),
  turn_on_light: ({ minutes }) =>
    ok({ status: "on", duration_minutes: minutes, off_at: "2026-06-01T13:30:00.000Z" }),
  capture_photo: () =>
    ok({ url: "http://127.0.0.1/photos/1.jpg", timestamp: NOON, light_on: false, dark: false }),
  send_message_to_human: () => ok({ timestamp: NOON, message_id: "900" }),
  save_notes: ({ content }) => ok({ timestamp: NOON, note_length_chars: String(content).length }),
};

const PER_PLANT = /moisture|water|light|photo|status/;

export interface Script {
  /** In place of the contented plant's answers. */
  readonly answers?: Readonly<Record<string, Answer>>;
  /** Several: the plant tools take `plant`. */
  readonly plants?: readonly string[];
  readonly agenda?: Agenda;
  /** In place of one that takes anything. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}

/** What a runtime says of a tool beside its schema. */
const saidOf = (name: string) => {
  const { speaks = false, inCare = false } = TOOL_CONTRACTS.get(name) ?? {};
  return { speaks, inCare };
};

/** Answers calls from a script and keeps a list of them: what an agent is told, and what it does about it. */
export class ScriptedRuntime implements Runtime {
  readonly calls: MadeCall[] = [];
  private readonly answers: Readonly<Record<string, Answer>>;

  constructor(private readonly script: Script = {}) {
    this.answers = { ...CONTENTED, ...script.answers };
  }

  async instructions(): Promise<string> {
    return "Care well.";
  }

  async tools(): Promise<readonly ToolInfo[]> {
    return Object.keys(this.answers).map((name) => ({
      name,
      description: name,
      inputSchema: this.script.schemas?.[name] ?? { type: "object", properties: this.propertiesOf(name) },
      readOnly: /^(?:get|list|fetch|read)_/.test(name),
      ...saidOf(name),
    }));
  }

  async call(name: string, args: Arguments, { idempotencyKey }: CallOptions = {}): Promise<ToolResult> {
    this.calls.push({ name, args, key: idempotencyKey });
    return this.answers[name]?.(args) ?? fail("UNKNOWN_TOOL");
  }

  async agenda() {
    return this.script.agenda;
  }

  watchAgenda() {
    return () => undefined;
  }

  async close(): Promise<void> {}

  /** The arguments of every call of a tool. */
  argsOf(name: string): readonly Arguments[] {
    return this.calls.filter((call) => call.name === name).map(({ args }) => args);
  }

  private propertiesOf(tool: string): Record<string, unknown> {
    const { plants = [] } = this.script;
    return plants.length > 1 && PER_PLANT.test(tool) ? { plant: { type: "string", examples: plants } } : {};
  }
}

/** Answers one after the other, the last one from then on. */
export function inTurn(...answers: readonly ToolResult[]): Answer {
  let next = 0;
  return () => answers[Math.min(next++, answers.length - 1)] ?? fail("SCRIPT_EMPTY");
}
