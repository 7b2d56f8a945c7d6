import { counted } from "./phrases.js";
import type { WaterReason } from "./why-water.js";

/** A reason in English, one or two sentences. `when` makes a time of the record readable. */
export function reasonInWords(reason: WaterReason, when: (iso: string) => string): string {
  switch (reason.kind) {
    case "watered":
      return wateredInWords(reason, when);
    case "earlier":
      return `Before, the agent gave ${Math.round(reason.ml)} ml at ${when(reason.at)}. The reason was: ${ended(reason.because)}`;
    case "hold":
      return `It is on hold since ${when(reason.since)} by ${reason.by}: ${ended(reason.reason)}`;
    case "fault":
      return `The water is locked since ${when(reason.since)} (${reason.code}): ${ended(reason.reason)}`;
    case "held":
      return `It was put on hold${oftenInWords(reason.count)} at ${when(reason.at)} by ${reason.by}: ${ended(reason.reason)}${lasted(reason.until, when)}`;
    case "locked":
      return `The water was locked${oftenInWords(reason.count)} at ${when(reason.at)} (${reason.code}): ${ended(reason.reason)}${lasted(reason.until, when)}`;
    case "tank_was":
      return `The tank ran empty${oftenInWords(reason.count)} at ${when(reason.since)}.${lasted(reason.until, when)}`;
    case "probe":
      return `The moisture probe is faulty since ${when(reason.since)} (${reason.code}). Without it no water flows.`;
    case "probe_was":
      return `The moisture probe was faulty${oftenInWords(reason.count, "longest")} from ${when(reason.since)} to ${when(reason.until)} (${reason.code}). Without it no water flows.`;
    case "off":
      return offInWords(reason, when);
    default:
      return lessOften(reason, when);
  }
}

type LessOften = Exclude<
  WaterReason,
  {
    readonly kind:
      | "watered"
      | "earlier"
      | "hold"
      | "fault"
      | "held"
      | "locked"
      | "probe"
      | "probe_was"
      | "tank_was"
      | "off";
  }
>;

function lessOften(reason: LessOften, when: (iso: string) => string): string {
  switch (reason.kind) {
    case "budget":
      return `Only ${Math.round(reason.left)} ml of the 24-hour budget are left, less than a dose.`;
    case "wet":
      return `The soil reads ${reason.percent.toFixed(1)} %. Above ${Math.round(reason.limit)} % no water flows.`;
    case "decided":
      return `In ${counted(reason.count, "cycle")} the agent planned no water. Last, at ${when(reason.at)}: ${ended(reason.reasoning)}`;
    case "unfinished":
      return `At ${when(reason.at)} the agent planned ${Math.round(reason.ml)} ml, and none of it flowed: the call was refused, nobody said yes, or the agent ended.`;
    case "dose_refused":
      return `${refusedInWords(reason.count, `${Math.round(reason.ml)} ml`)} at ${when(reason.at)}. The runtime said: ${ended(reason.reason)}`;
    case "refused":
      return `The runtime refused ${counted(reason.count, "plan")}. Last, at ${when(reason.at)}: ${ended(reason.reason)}`;
    case "waiting":
      return `The agent wants to ${reason.words}, and waits for a person's yes.`;
    case "nobody":
      return reason.isPast
        ? "No agent looked at it in this time."
        : "No agent has looked at it in this time. Is one running?";
  }
}

function wateredInWords(
  { ml, doses, last, by, isPerson, because }: Extract<WaterReason, { kind: "watered" }>,
  when: (iso: string) => string,
): string {
  const poured = `It was watered: ${Math.round(ml)} ml in ${counted(doses, "dose")}, the last at ${when(last)} by ${by}.`;
  if (isPerson) return `${poured} A person poured the last one.`;
  if (because === null) return `${poured} The last one was outside of a care cycle.`;
  return because === "" ? poured : `${poured} The reason was: ${ended(because)}`;
}

const refusedInWords = (count: number, dose: string): string =>
  count === 1 ? `A dose of ${dose} was refused` : `At least ${count} doses were refused, one of ${dose}`;

const lasted = (until: string | undefined, when: (iso: string) => string): string =>
  until === undefined ? "" : ` That lasted until ${when(until)}.`;

function offInWords(
  { count, since, until }: Extract<WaterReason, { kind: "off" }>,
  when: (iso: string) => string,
): string {
  const off = `The runtime was off${oftenInWords(count, "longest")}`;
  if (since === null) return `${off} until ${when(until)}.`;
  return `${off} from ${when(since)} to ${when(until)}: nothing was measured.`;
}

const oftenInWords = (count: number, which = "last"): string =>
  count === 1 ? "" : ` ${count} times, the ${which}`;

/** With a full stop, unless it has an end already. */
const ended = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
