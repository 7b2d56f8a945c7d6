import { styleText } from "node:util";
import { HouseTime } from "../wire/house-time.js";
import type { Overview, PlantNow } from "../wire/overview.js";
import { waitingLine } from "./approval-words.js";
import { CommandError, WRONG_USE } from "./failure.js";
import { counted, folded, harmless, inLine, timesIn } from "./print.js";
import { type Remote, readOverview } from "./remote.js";

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
  const answer = await remote.call<Overview>("get_overview");
  const overview = readOverview(answer);
  // as the runtime says it, with whatever this program does not know
  const said = { ...answer, plants: plantsNamed(answer.plants, plant) };
  if (json) return harmless(JSON.stringify(said, null, watch ? 0 : 2));
  const chosen = { ...overview, plants: plantsNamed(overview.plants, plant) };
  return folded(describe(chosen), process.stdout.columns ?? Number.POSITIVE_INFINITY);
}

function plantsNamed(plants: PlantNow[], wanted: string | undefined): PlantNow[] {
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
  climate,
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
    ...climate.flatMap((room) => airLines(room, time)),
    ...plants.map((plant) => plantLines(plant, time)),
  ].join("\n");
}

/** The last reading of a room, and what is wrong with its sensor. */
function airLines({ place, reading, fault }: Overview["climate"][number], time: HouseTime): string[] {
  const figures = reading
    ? `${reading.temperature_c.toFixed(1)} °C, ${reading.humidity_percent.toFixed(0)} % humidity, ${reading.pressure_hpa.toFixed(0)} hPa at ${time.minute(reading.timestamp)}`
    : "not read yet";
  return [
    harmless(`air of ${inLine(place)}: ${figures}`),
    ...(fault ? [alarm(`! air of ${place}: ${timesIn(fault.message, time)}`)] : []),
  ];
}

const wellInWords = ({ pump_seconds_left: left }: NonNullable<Overview["interlock"]>) =>
  ` · interlock well, ${left} s of pump time left today`;

const INPUT_WORDS = {
  stop: ["stop button", "pressed: nothing goes on at"],
  leak: ["leak sensor", "wet: no water for"],
  tank: ["tank", "empty: no water for"],
} as const;

function inputLine({ kind, name, plants }: Overview["inputs"][number]): string {
  const [what, effect] = INPUT_WORDS[kind];
  return `${what} "${name}" ${effect} ${plants.join(", ")}`;
}

/** Whatever words of others a status holds, it holds in these lines. */
const alarm = (text: string) =>
  process.stdout.isTTY && !process.env.NO_COLOR ? styleText("red", inLine(text)) : inLine(text);

function plantLines(state: PlantNow, time: HouseTime): string {
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
    ...(water ? [`  water     ${waterInWords(water)}${fitted?.pump === false ? "; no pump" : ""}`] : []),
    ...(light ? [`  light     ${fitted?.light === false ? "none" : lightInWords(light)}`] : []),
  ];
  if (last_status)
    lines.push(
      `  state     ${last_status.plant_state}, says ${inLine(last_status.agent)}, at ${time.minute(last_status.timestamp)}${last_status.proceed ? "" : " (its status was refused)"}`,
    );
  if (care) lines.push(`  care      ${inLine(carerOf(care))} until ${time.minute(care.until)}`);
  const alarms = alarmLines({ uncared, probe_fault, hold, faults }, time);
  return [...lines.map(harmless), ...alarms.map((line) => alarm(`  ${line}`))].join("\n");
}

type Alarms = Pick<PlantNow, "uncared" | "probe_fault" | "hold" | "faults">;

const alarmLines = ({ uncared, probe_fault, hold, faults }: Alarms, time: HouseTime): string[] => [
  ...(uncared ? [`no care   for ${uncared.hours} h, since ${time.minute(uncared.since)}`] : []),
  ...(probe_fault ? [`probe     ${timesIn(probe_fault.message, time)}`] : []),
  ...(hold ? [`on hold   since ${time.minute(hold.since)}: ${hold.reason}`] : []),
  ...faults.map(
    ({ code, since, reason }) => `locked    ${code} since ${time.minute(since)}: ${timesIn(reason, time)}`,
  ),
];

type Water = NonNullable<PlantNow["water"]>;

const waterInWords = ({ used_ml, events, remaining_ml, pouring }: Water) =>
  `${used_ml} ml in 24 h by ${counted(events, "dose")}, ${remaining_ml} ml left${pouring ? ", pouring now" : ""}`;

const limitInWords = (water: Water | null) =>
  water?.not_above ? `; no water above ${water.not_above.percent} % (${water.not_above.from})` : "";

const carerOf = ({ agent, instance }: NonNullable<PlantNow["care"]>) =>
  instance === null ? agent : `${agent} (${instance})`;

type Light = NonNullable<PlantNow["light"]>;

function lightInWords({ status, light_today, minutes_until_available: wait }: Light): string {
  const resting = status === "off" && wait > 0 ? `, rests ${wait} min` : "";
  return `${status}, ${light_today} min today${resting}`;
}
