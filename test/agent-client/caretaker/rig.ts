import type { Arguments } from "../../../agent-client/cycle/arguments.js";
import { type CycleOutcome, runCycle } from "../../../agent-client/cycle/cycle.js";
import { Log } from "../../../agent-client/cycle/log.js";
import { Caretaker } from "../../../agent-client/models/caretaker.js";
import type { Model } from "../../../agent-client/models/model.js";
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

/** One cycle of the caretaker, or of another model, against a script. */
export async function care(
  script: Script = {},
  plantInfo = "Plant 0: the only one",
  model: Model = new Caretaker(),
): Promise<Cared> {
  const runtime = new ScriptedRuntime(script);
  const lines: string[] = [];
  const log = new Log({ write: (text) => lines.push(text) }, {}).cycle(1, undefined);
  const outcome = await runCycle({
    runtime,
    model,
    prompt: {
      system: "You care for a plant.",
      opening: `${plantInfo}
Now.`,
    },
    maxRounds: 24,
    clock: new SimulatedClock(),
    log,
    signal: new AbortController().signal,
    newKey: () => `key-${runtime.calls.length}`,
  });
  log.ended(outcome);
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

/** Forty hours of soil and doses, as the histories tell them in half-hour buckets up to the contented plant's noon. */
export function past(
  percent: (hoursAgo: number) => number | null,
  doses: readonly { readonly hoursAgo: number; readonly ml: number }[] = [],
): NonNullable<Script["answers"]> {
  const begins = Array.from({ length: 80 }, (_, index) => (80 - index) / 2);
  const pouredIn = (began: number) =>
    doses
      .filter(({ hoursAgo }) => hoursAgo <= began && hoursAgo > began - 0.5)
      .reduce((sum, { ml }) => sum + ml, 0);
  const history = (value: (began: number) => number | null) => () =>
    ok({
      bucket_seconds: 1800,
      items: begins.map((began) => ({ bucket_end: ago(began - 0.5), value: value(began) })),
    });
  return {
    get_moisture_history: history((began) => percent(began - 0.25)),
    get_water_history: history(pouredIn),
  };
}

const ago = (hours: number) => new Date(Date.parse(NOON) - hours * 3_600_000).toISOString();
