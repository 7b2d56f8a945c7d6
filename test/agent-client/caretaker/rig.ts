import { type CycleOutcome, runCycle } from "../../../agent-client/cycle.js";
import { Log } from "../../../agent-client/log.js";
import { Caretaker } from "../../../agent-client/models/caretaker.js";
import type { Arguments } from "../../../agent-client/tool-runner.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { NOON, ok, type Script, ScriptedRuntime } from "../scripted-runtime.js";

export interface Cared {
  readonly runtime: ScriptedRuntime;
  readonly outcome: CycleOutcome;
  /** What the person would see. */
  readonly log: string;
  /** The last status that was written. */
  readonly status: Arguments;
  /** What was done, in order: "water 20", "light 60", "photo". */
  readonly deeds: readonly string[];
  readonly messages: readonly string[];
  /** The note as saved. */
  readonly note: string;
}

/** One cycle of the caretaker against a script. */
export async function care(script: Script = {}, plantInfo = "Plant 0: the only one"): Promise<Cared> {
  const runtime = new ScriptedRuntime(script);
  const lines: string[] = [];
  const outcome = await runCycle({
    runtime,
    model: new Caretaker(),
    prompt: `You care for a plant.\n${plantInfo}\n`,
    maxRounds: 24,
    clock: new SimulatedClock(),
    log: new Log({ write: (text) => lines.push(text) }, {}).cycle(1, undefined),
    signal: new AbortController().signal,
    newKey: () => `key-${runtime.calls.length}`,
  });
  return {
    runtime,
    outcome,
    log: lines.join(""),
    status: runtime.argsOf("write_plant_status").at(-1) ?? {},
    deeds: runtime.calls.flatMap(({ name, args }) => deed(name, args)),
    messages: runtime.argsOf("send_message_to_human").map(({ message }) => String(message)),
    note: String(runtime.argsOf("save_notes").at(-1)?.content ?? ""),
  };
}

function deed(name: string, args: Arguments): string[] {
  if (name === "dispense_water") return [`water ${args.ml}`];
  if (name === "turn_on_light") return [`light ${args.minutes}`];
  return name === "capture_photo" ? ["photo"] : [];
}

/** A good reading of so many percent. */
export const soil =
  (percent: number, value = 17_812) =>
  () =>
    ok({ value, timestamp: "2026-06-01T12:30:00.000Z", percent, noise: 12, quality: "ok" });

export const budget = (used_ml: number) => () => ok({ used_ml, remaining_ml: 500 - used_ml, events: 1 });

export const light =
  (light_today: number, more: Record<string, unknown> = {}) =>
  () =>
    ok({
      status: "off",
      last_on: null,
      last_off: null,
      can_activate: true,
      minutes_until_available: 0,
      light_today,
      ...more,
    });

export const at = (timestamp: string) => () => ok({ timestamp });

export const note = (content: string) => () =>
  ok({ content, timestamp: "2026-06-01T12:00:00.000Z", note_length_chars: content.length });

/** Two days of soil and doses, as the histories tell them in buckets of 20 minutes up to the contented plant's noon. */
export function past(
  percent: (hoursAgo: number) => number | null,
  doses: readonly { readonly hoursAgo: number; readonly ml: number }[] = [],
): NonNullable<Script["answers"]> {
  const agos = Array.from({ length: 144 }, (_, index) => (144 - index) / 3);
  const pouredIn = (ago: number) =>
    doses
      .filter(({ hoursAgo }) => hoursAgo <= ago && hoursAgo > ago - 1 / 3)
      .reduce((sum, { ml }) => sum + ml, 0);
  return {
    get_moisture_history: () => ok({ items: agos.map((ago) => bucket(ago, percent(ago - 1 / 6))) }),
    get_water_history: () => ok({ items: agos.map((ago) => bucket(ago, pouredIn(ago))) }),
  };
}

const bucket = (hoursAgo: number, value: number | null) => {
  const from = Date.parse(NOON) - hoursAgo * 3_600_000;
  const [bucket_start, bucket_end] = [from, from + 1_200_000].map((at) => new Date(at).toISOString());
  return { bucket_start, bucket_end, value, count: 1 };
};
