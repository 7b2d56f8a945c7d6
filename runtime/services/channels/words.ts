import type { LetterToSend } from "../../wire/channels.js";
import { HouseTime, timesIn } from "../../wire/house-time.js";
import { notificationWords, questionWords } from "../../wire/notification-words.js";
import { type NewsKind, newsIn } from "../../wire/notifications.js";
import type { LastStatus, OverviewResult, PlantResult } from "../../wire/overview.js";
import type { ApprovalRecord } from "../approvals/declarations.js";
import type { MessageRecord } from "../people/message-log.js";
import { tellingIn } from "../people/messages.js";

/** What the words of a letter depend on beside the message. */
export interface Reader {
  readonly zone: string;
  name(plant: string): string;
}

const TITLES: Readonly<Record<NewsKind, string>> = {
  approval_requested: "Shall it go ahead?",
  approval_answered: "A yes was given",
  approval_void: "A question is over",
  task_due: "Reminder",
  leak: "Leak",
  stop_pressed: "Stop button",
  hardware_trouble: "Trouble with the hardware",
  interlock_fault: "Trouble with the interlock",
  probe_fault: "Probe faulty",
  probe_works: "Probe works again",
  water_unanswered: "Water without an answer",
  pump_locked: "Pump locked",
  soil_stays_wet: "Soil stays wet",
  tank_empty: "Tank empty",
  uncared: "Nobody cares for your plant",
  weekly: "The week",
  channel_down: "A channel does not work",
  tls_trouble: "Trouble with the certificate",
  chat_unanswered: "A chat without an answer",
  job_unknown: "Perhaps not done",
};

type LetterWords = Pick<LetterToSend, "title" | "text">;

/** `withButtons`: the reader answers by a button, so the words name no command for it. */
export function letterWords(
  { content, notification }: MessageRecord,
  reader: Reader,
  withButtons: boolean,
): LetterWords {
  const news = notification && newsIn(notification);
  const inZone = (text: string) => timesIn(text, new HouseTime(reader.zone));
  if (!news) return { title: notification ? "Tendril" : "From the agent", text: inZone(content) };
  const telling = { ...tellingIn(reader.zone, reader.name), plant: notification.plant };
  const question = withButtons ? questionWords(news, telling) : undefined;
  return {
    title: TITLES[news.kind],
    text: inZone(question ?? notificationWords(news, telling)),
  };
}

const LABELS: Readonly<Record<string, string>> = {
  yes: "✅ Yes",
  no: "❌ No",
  done: "✅ Done",
  later: "⏰ In an hour",
};

/** On a button, and of one that was pressed. */
export const labelOf = (answer: string): string => LABELS[answer] ?? answer;
export const saidOf = (answer: string): string =>
  answer === "later" ? "⏰ Once more in an hour" : labelOf(answer);

/** "anna on telegram", of the name under which the runtime acts for a person on a channel. */
export const shownWho = (by: string | null): string => (by ?? "").replace("@", " on ") || "somebody";

/** What became of a request; undefined while it waits. */
export function approvalOutcome(record: ApprovalRecord, { zone }: Reader): string | undefined {
  const { state, answered_by, answered_at, reason, used_at } = record;
  const time = new HouseTime(zone);
  const at = answered_at === null ? "" : ` at ${time.clock(answered_at)}`;
  if (state === "pending") return undefined;
  if (state === "approved") return `✅ Yes, by ${shownWho(answered_by)}${at}.`;
  if (state === "used")
    return `✅ Yes, by ${shownWho(answered_by)}${at}. The agent went ahead at ${time.clock(used_at ?? "")}.`;
  if (state === "denied")
    return `❌ No, by ${shownWho(answered_by)}${at}${reason === null ? "" : ` (${reason})`}.`;
  const what = answered_at === null ? "That counts as a no" : `The yes by ${shownWho(answered_by)} is void`;
  return `⌛ ${what}: ${reason ?? "the time is over"}.`;
}

const TASK_OVER = "This reminder is over.";
const NEWS_OVER = "This is over.";

export const overWords = (kind: string | undefined): string => (kind === "task_due" ? TASK_OVER : NEWS_OVER);

export const HELP = [
  "Write to me, and the agent answers here. Commands:",
  "/status – every plant at a glance",
  "/photo – a photo, now",
  "/why – what was decided last, and why",
  "/hold – nothing more is switched on; what is on stays on until its end",
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
  const assumed = water.assumed_ml > 0 ? ` (${water.assumed_ml} of them since a record was lost)` : "";
  const poured = `${water.used_ml} ml in 24 h${assumed}, ${water.remaining_ml} ml left`;
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
    last_status as LastStatus;
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
