import { styleText } from "node:util";
import { roomInWords } from "../../drivers/room-quantities.js";
import { harmless, inLine } from "../log.js";
import { agentInWords } from "../wire/approval-words.js";
import { HouseTime, timesIn } from "../wire/house-time.js";
import type { Overview, PlantNow } from "../wire/overview.js";
import { counted } from "../wire/phrases.js";
import { waitingLine } from "./approvals.js";
import { moreOfBridge, whyBridgeIsAway } from "./bridge-child.js";
import { wrongUse } from "./failure.js";
import { wordsFor } from "./messages.js";
import { asCalledHere, fitting } from "./print.js";
import { isNamed, type Remote, readOverview } from "./remote.js";

interface StatusOptions {
  readonly plant?: string;
  readonly json?: boolean;
  /** Repeats; each JSON output is then one line. */
  readonly watch?: boolean;
  /** The state folder, if it is on this machine. */
  readonly state?: string;
}

export async function status(
  remote: Remote,
  { plant, json = false, watch = false, state = "." }: StatusOptions,
): Promise<string> {
  const answer = await remote.call<Overview>("get_overview");
  const overview = readOverview(answer);
  // the runtime's answer, with fields that this version does not know
  const said = { ...answer, plants: plantsNamed(answer.plants, plant) };
  if (json) return harmless(JSON.stringify(said, null, watch ? 0 : 2));
  const chosen = { ...overview, plants: plantsNamed(overview.plants, plant) };
  return fitting(process.stdout, describe(chosen, state));
}

function plantsNamed(plants: PlantNow[], wanted: string | undefined): PlantNow[] {
  if (wanted === undefined) return plants;
  const found = plants.filter((each) => isNamed(each, wanted));
  if (found.length > 0) return found;
  const all = plants.map(({ plant }) => plant).join(", ");
  throw wrongUse(`there is no plant ${wanted}; there is: ${all}`);
}

export function describe(overview: Overview, state = "."): string {
  const { timestamp, zone, board, warnings, interlock, paused, inputs, approvals, climate, plants } =
    overview;
  const time = new HouseTime(zone);
  const heading = `${time.minute(timestamp)} ${time.zone} · ${board}${interlock?.state === "ok" ? wellInWords(interlock) : ""}`;
  const problem = interlock?.problem ?? undefined;
  const alarms = [
    ...warnings.map(asCalledHere),
    ...(problem === undefined ? [] : [`${problem}: no water, no light`]),
    ...inputs.filter(({ active }) => active).map(inputLine),
    ...(paused ? [pauseLine(paused, time)] : []),
    ...outsideLines(overview, state, time),
  ];
  const questions = approvals.map((each) =>
    alarm(`? ${asCalledHere(waitingLine(each, wordsFor(overview), timestamp))}`),
  );
  return [
    harmless(heading),
    ...alarms.map((line) => alarm(`! ${line}`)),
    ...questions,
    ...climate.flatMap((room) => roomLines(room, time)),
    ...plants.map((plant) => plantLines(plant, time)),
  ].join("\n");
}

/** What is wrong with the bridge and the ways to people. Without a bridge all ways are away: that is told once. */
function outsideLines({ bridge, channels }: Overview, state: string, time: HouseTime): readonly string[] {
  if (bridge?.connected === false)
    return [
      `the bridge has been away since ${time.minute(bridge.since)}: nothing comes in from outside; ${whyBridgeIsAway(state)}`,
    ];
  const problems = (bridge?.problems ?? []).map(
    (problem) => `bridge.yaml: ${problem} (correct the file, then restart the bridge)`,
  );
  const troubled = channels.filter(({ state }) => state !== "ok");
  const ways = troubled.map(
    ({ channel, state: how, since, code, message }) =>
      `${channel} has been ${how} since ${time.minute(since)}: ${message ?? "the bridge has not reported about it"}${code === null ? "" : ` (${code})`}${moreOfBridge(state)}`,
  );
  return [...problems, ...ways];
}

/** The last reading of a room, and its sensor's fault. */
function roomLines({ place, reading, fault }: Overview["climate"][number], time: HouseTime): string[] {
  const figures = reading ? `${roomInWords(reading)} at ${time.minute(reading.timestamp)}` : "not read yet";
  return [
    harmless(`${inLine(place)}: ${figures}`),
    ...(fault ? [alarm(`! ${place}: ${timesIn(fault.message, time)}`)] : []),
  ];
}

const wellInWords = ({ pump_seconds_left: left }: NonNullable<Overview["interlock"]>) =>
  ` · interlock ok, ${left} s of pump time left today`;

const INPUT_WORDS = {
  stop: ["stop button", "pressed: nothing goes on at"],
  leak: ["leak sensor", "wet: no water for"],
  tank: ["tank", "empty: no water for"],
} as const;

function inputLine({ kind, name, plants }: Overview["inputs"][number]): string {
  const [what, effect] = INPUT_WORDS[kind];
  return `${what} "${name}" ${effect} ${plants.join(", ")}`;
}

/** A line in red, with texts of others made harmless. */
const alarm = (text: string) =>
  process.stdout.isTTY && !process.env.NO_COLOR ? styleText("red", inLine(text)) : inLine(text);

function plantLines(state: PlantNow, time: HouseTime): string {
  const { plant, name, moisture, water, light, fitted, care, last_status } = state;
  const lines = [
    `\n${inLine(name)}${name === plant ? "" : ` (${plant})`}`,
    `  moisture  ${moisture ? `${moisture.percent} % at ${time.minute(moisture.timestamp)}` : "not read yet"}${limitInWords(water)}`,
    ...(water ? [`  water     ${waterInWords(water)}${fitted?.pump === false ? "; no pump" : ""}`] : []),
    ...(light ? [`  light     ${fitted?.light === false ? "none" : lightInWords(light)}`] : []),
    ...(last_status ? [`  state     ${stateInWords(last_status, time)}`] : []),
    ...(care ? [`  care      ${inLine(agentInWords(care))} until ${time.minute(care.until)}`] : []),
  ];
  const alarms = alarmLines(state, time);
  return [...lines.map(harmless), ...alarms.map((line) => alarm(`  ${line}`))].join("\n");
}

const stateInWords = (
  { plant_state, agent, timestamp, proceed }: NonNullable<PlantNow["last_status"]>,
  time: HouseTime,
) =>
  `${plant_state}, says ${inLine(agent)}, at ${time.minute(timestamp)}${proceed ? "" : " (its status was refused)"}`;

const pauseLine = ({ since, reason }: NonNullable<Overview["paused"]>, time: HouseTime): string =>
  `agents have been paused since ${time.minute(since)}: ${reason}; they continue after: ${asCalledHere("tendril unpause")}`;

const alarmLines = ({ plant, uncared, probe_fault, hold, faults }: PlantNow, time: HouseTime): string[] => [
  ...(uncared ? [`no care   for ${uncared.hours} h, since ${time.minute(uncared.since)}`] : []),
  ...(probe_fault ? [`probe     ${timesIn(probe_fault.message, time)}`] : []),
  ...(hold
    ? [
        `on hold   since ${time.minute(hold.since)}: ${hold.reason}; lift it: ${asCalledHere("tendril resume")}`,
      ]
    : []),
  ...faults.map(
    ({ code, since, reason }) =>
      `locked    ${code} since ${time.minute(since)}: ${timesIn(reason, time)}; once you have removed the cause: ${asCalledHere(`tendril clear ${plant}`)}`,
  ),
];

type Water = NonNullable<PlantNow["water"]>;

const waterInWords = ({ used_ml, assumed_ml, events, remaining_ml, pouring }: Water) => {
  const poured =
    assumed_ml > 0
      ? `${used_ml - assumed_ml} ml in 24 h, and ${assumed_ml} ml count as poured since a record was lost`
      : `${used_ml} ml in 24 h by ${counted(events, "dose")}`;
  return `${poured}, ${remaining_ml} ml left${pouring ? ", pouring now" : ""}`;
};

const limitInWords = (water: Water | null) =>
  water?.not_above
    ? `; no water above ${water.not_above.percent} % (${LIMIT_FROM[water.not_above.from]})`
    : "";

/** Where the limit on wet soil is from. */
const LIMIT_FROM = {
  configured: "as configured",
  fitted: "as the pot has shown",
  default: "Tendril's default, until the pot has shown its own",
} as const;

type Light = NonNullable<PlantNow["light"]>;

function lightInWords({ status, light_today, minutes_until_available: wait }: Light): string {
  const resting = status === "off" && wait > 0 ? `, rests ${wait} min` : "";
  return `${status}, ${light_today} min today${resting}`;
}
