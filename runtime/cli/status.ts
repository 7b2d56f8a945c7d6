import { styleText } from "node:util";
import { HouseTime } from "../house-time.js";
import { type Approval, waitingLine } from "./approval-words.js";
import { CommandError, WRONG_USE } from "./failure.js";
import { counted, folded, harmless, inLine, timesIn } from "./print.js";
import type { Remote } from "./remote.js";

interface PlantState {
  readonly plant: string;
  readonly name: string;
  readonly moisture: { readonly value: number; readonly percent: number; readonly timestamp: string } | null;
  readonly probe_fault: { readonly message: string } | null;
  readonly water: {
    readonly used_ml: number;
    readonly remaining_ml: number;
    readonly events: number;
    readonly pouring: boolean;
    /** Absent of a runtime that knows no such limit yet. */
    readonly not_above?: { readonly percent: number; readonly from: string } | null;
  };
  readonly light: {
    readonly status: string;
    readonly light_today: number;
    readonly minutes_until_available: number;
  };
  readonly hold: { readonly since: string; readonly reason: string } | null;
  readonly faults: readonly { readonly code: string; readonly since: string; readonly reason: string }[];
  readonly fitted: { readonly pump: boolean; readonly light: boolean; readonly camera: boolean };
  readonly care: { readonly agent: string; readonly instance: string | null; readonly until: string } | null;
  readonly uncared: { readonly since: string; readonly hours: number } | null;
  readonly last_status: {
    readonly timestamp: string;
    readonly agent: string;
    readonly plant_state: string;
    readonly proceed: boolean;
  } | null;
}

interface Input {
  readonly kind: "stop" | "leak" | "tank";
  readonly name: string;
  readonly plants: readonly string[];
  readonly active: boolean;
}

interface Interlock {
  readonly state: "ok" | "lost" | "unfit" | "fault";
  readonly problem: string | null;
  readonly pump_seconds_left: number | null;
}

interface Overview {
  readonly timestamp: string;
  /** Absent of a runtime of before. */
  readonly zone?: string;
  readonly board: string;
  readonly warnings: readonly string[];
  readonly interlock: Interlock | null;
  readonly inputs: readonly Input[];
  readonly approvals: readonly Approval[];
  readonly plants: readonly PlantState[];
}

export interface StatusOptions {
  readonly plant?: string;
  readonly json?: boolean;
  /** Again and again: then the JSON of each look is one line. */
  readonly watch?: boolean;
}

/** Everything at a glance, or one plant. */
export async function status(
  remote: Remote,
  { plant, json = false, watch = false }: StatusOptions,
): Promise<string> {
  const overview = await remote.call<Overview>("get_overview");
  const chosen = { ...overview, plants: plantsNamed(overview.plants, plant) };
  if (json) return harmless(JSON.stringify(chosen, null, watch ? 0 : 2));
  return folded(describe(chosen), process.stdout.columns ?? Number.POSITIVE_INFINITY);
}

function plantsNamed(plants: readonly PlantState[], wanted: string | undefined): readonly PlantState[] {
  if (wanted === undefined) return plants;
  const isWanted = (name: string) => name.toLowerCase() === wanted.toLowerCase();
  const found = plants.filter(({ plant, name }) => isWanted(plant) || isWanted(name));
  if (found.length > 0) return found;
  const all = plants.map(({ plant }) => plant).join(", ");
  throw new CommandError(`there is no plant ${wanted}; there is: ${all}`, WRONG_USE);
}

export function describe({
  timestamp,
  zone,
  board,
  warnings,
  interlock,
  inputs,
  approvals,
  plants,
}: Overview): string {
  const time = new HouseTime(zone);
  const heading = `${time.minute(timestamp)} ${time.zone} · ${board}${interlock?.state === "ok" ? wellInWords(interlock) : ""}`;
  const problem = interlock?.problem ?? undefined;
  const alarms = [
    ...warnings,
    ...(problem === undefined ? [] : [`${problem}: no water, no light`]),
    ...inputs.filter(({ active }) => active).map(inputLine),
  ];
  const questions = approvals.map((approval) => alarm(`? ${waitingLine(approval, time, timestamp)}`));
  return [
    harmless(heading),
    ...alarms.map((line) => alarm(`! ${line}`)),
    ...questions,
    ...plants.map((plant) => plantLines(plant, time)),
  ].join("\n");
}

const wellInWords = ({ pump_seconds_left: left }: Interlock) =>
  ` · interlock well, ${left} s of pump time left today`;

const INPUT_WORDS = {
  stop: ["stop button", "pressed: nothing goes on at"],
  leak: ["leak sensor", "wet: no water for"],
  tank: ["tank", "empty: no water for"],
} as const;

function inputLine({ kind, name, plants }: Input): string {
  const [what, effect] = INPUT_WORDS[kind];
  return `${what} "${name}" ${effect} ${plants.join(", ")}`;
}

/** Whatever words of others a status holds, it holds in these lines. */
const alarm = (text: string) =>
  process.stdout.isTTY && !process.env.NO_COLOR ? styleText("red", inLine(text)) : inLine(text);

function plantLines(state: PlantState, time: HouseTime): string {
  const {
    plant,
    name,
    moisture,
    probe_fault,
    water,
    light,
    hold,
    faults,
    fitted,
    care,
    uncared,
    last_status,
  } = state;
  const lines = [
    `\n${inLine(name)}${name === plant ? "" : ` (${plant})`}`,
    `  moisture  ${moisture ? `${moisture.percent} % (raw ${moisture.value}) at ${time.minute(moisture.timestamp)}` : "not read yet"}${limitInWords(water)}`,
    `  water     ${water.used_ml} ml in 24 h by ${counted(water.events, "dose")}, ${water.remaining_ml} ml left${water.pouring ? ", pouring now" : ""}${fitted.pump ? "" : "; no pump"}`,
    `  light     ${fitted.light ? lightInWords(light) : "none"}`,
  ];
  if (last_status)
    lines.push(
      `  state     ${last_status.plant_state}, says ${inLine(last_status.agent)}, at ${time.minute(last_status.timestamp)}${last_status.proceed ? "" : " (its status was refused)"}`,
    );
  if (care) lines.push(`  care      ${inLine(carerOf(care))} until ${time.minute(care.until)}`);
  const alarms = alarmLines({ uncared, probe_fault, hold, faults }, time);
  return [...lines.map(harmless), ...alarms.map((line) => alarm(`  ${line}`))].join("\n");
}

type Alarms = Pick<PlantState, "uncared" | "probe_fault" | "hold" | "faults">;

const alarmLines = ({ uncared, probe_fault, hold, faults }: Alarms, time: HouseTime): string[] => [
  ...(uncared ? [`no care   for ${uncared.hours} h, since ${time.minute(uncared.since)}`] : []),
  ...(probe_fault ? [`probe     ${timesIn(probe_fault.message, time)}`] : []),
  ...(hold ? [`on hold   since ${time.minute(hold.since)}: ${hold.reason}`] : []),
  ...faults.map(
    ({ code, since, reason }) => `locked    ${code} since ${time.minute(since)}: ${timesIn(reason, time)}`,
  ),
];

const limitInWords = ({ not_above: limit }: PlantState["water"]) =>
  limit ? `; no water above ${limit.percent} % (${limit.from})` : "";

const carerOf = ({ agent, instance }: NonNullable<PlantState["care"]>) =>
  instance === null ? agent : `${agent} (${instance})`;

function lightInWords({ status, light_today, minutes_until_available: wait }: PlantState["light"]): string {
  const resting = status === "off" && wait > 0 ? `, rests ${wait} min` : "";
  return `${status}, ${light_today} min today${resting}`;
}
