import { HouseTime } from "../../wire/house-time.js";
import type { OverviewResult, PlantResult } from "../../wire/overview.js";

export const HELP = [
  "Write to me, and the agent answers here. Commands:",
  "/status – every plant at a glance",
  "/photo – a photo, now",
  "/why – what was decided last, and why",
  "/hold – nothing may be switched on",
  "/off – switches everything off at once, and holds it",
].join("\n");

/** `get_overview` on a phone: a line or two a plant. */
export function statusWords({ warnings, inputs, approvals, plants }: OverviewResult, zone: string): string {
  const time = new HouseTime(zone);
  const active = inputs.filter(({ active }) => active).map(({ kind, name }) => `❗ ${kind} "${name}"`);
  const open = (approvals ?? []).map(({ id, words }) => `❓ request ${id}: ${words}`);
  return [
    ...warnings.map((each) => `❗ ${each}`),
    ...active,
    ...open,
    ...plants.map((each) => plantWords(each, time)),
  ].join("\n");
}

function plantWords(
  { name, moisture, probe_fault, water, light, hold, faults }: PlantResult,
  time: HouseTime,
): string {
  const soil = moisture
    ? `soil ${Math.round(Number(moisture.percent))} % at ${time.clock(String(moisture.timestamp))}`
    : "soil not read yet";
  const troubles = [
    ...(probe_fault ? [`probe faulty (${String(probe_fault.code)})`] : []),
    ...faults.map(({ code }) => `locked (${String(code)})`),
    ...(hold ? [`on hold: ${String(hold.reason)}`] : []),
  ];
  const poured = `${water.used_ml} ml in 24 h, ${water.remaining_ml} ml left`;
  const line = `${name}: ${soil}, ${poured}, light ${String(light.status)}${water.pouring ? ", pouring now" : ""}`;
  return [line, ...troubles.map((each) => `❗ ${each}`)].join("\n");
}

/** Why something was done, or not, from the record: each plant's last status. */
export const whyWords = ({ plants }: OverviewResult, zone: string): string =>
  plants.map((plant) => decisionWords(plant, new HouseTime(zone))).join("\n\n");

function decisionWords({ name, last_status, hold }: PlantResult, time: HouseTime): string {
  const held = hold
    ? [`${name} is on hold since ${time.minute(String(hold.since))}: ${String(hold.reason)}`]
    : [];
  if (!last_status) return [`No agent has decided anything for ${name} yet.`, ...held].join("\n");
  const { timestamp, agent, proceed, reason, plant_state, reasoning, next_action_sequence } =
    last_status as Decision;
  const plan = next_action_sequence.map(
    ({ action, value }) => `${action}${value === undefined ? "" : ` ${value}`}`,
  );
  return [
    `${name}, ${time.minute(timestamp)}, ${agent}: ${plant_state}`,
    reasoning,
    proceed ? `Planned: ${plan.join(", ") || "nothing"}` : `Refused: ${reason ?? "no reason is recorded"}`,
    ...held,
  ].join("\n");
}

/** `last_status` of get_overview. */
interface Decision {
  readonly timestamp: string;
  readonly agent: string;
  readonly proceed: boolean;
  readonly reason: string | null;
  readonly plant_state: string;
  readonly reasoning: string;
  readonly next_action_sequence: readonly { readonly action: string; readonly value?: number }[];
}
