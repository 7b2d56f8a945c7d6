import { counted, textBy } from "./phrases.js";
import type { WaterReason } from "./why-water.js";

/** A reason in English, one or two sentences. `when` makes a time of the record readable. */
export function reasonInWords(reason: WaterReason, when: (iso: string) => string): string {
  const lasted = (until: string | undefined) =>
    until === undefined ? "" : ` That lasted until ${when(until)}.`;
  return textBy(reason, "kind", {
    watered: ({ ml, doses, last, by, isPerson, because }) => {
      const poured = `It was watered: ${Math.round(ml)} ml in ${counted(doses, "dose")}, the last at ${when(last)} by ${by}.`;
      if (isPerson) return `${poured} A person poured the last one.`;
      if (because === null) return `${poured} The last one was outside of a care cycle.`;
      return because === "" ? poured : `${poured} The reason was: ${ended(because)}`;
    },
    earlier: ({ ml, at, because }) =>
      `Before, the agent gave ${Math.round(ml)} ml at ${when(at)}. The reason was: ${ended(because)}`,
    hold: ({ since, by, reason: why }) => `It is on hold since ${when(since)} by ${by}: ${ended(why)}`,
    fault: ({ since, code, reason: why }) =>
      `The water is locked since ${when(since)} (${code}): ${ended(why)}`,
    held: ({ count, at, by, reason: why, until }) =>
      `It was put on hold${often(count)} at ${when(at)} by ${by}: ${ended(why)}${lasted(until)}`,
    locked: ({ count, at, code, reason: why, until }) =>
      `The water was locked${often(count)} at ${when(at)} (${code}): ${ended(why)}${lasted(until)}`,
    tank_was: ({ count, since, until }) =>
      `The tank ran empty${often(count)} at ${when(since)}.${lasted(until)}`,
    probe: ({ since, code }) =>
      `The moisture probe is faulty since ${when(since)} (${code}). Without it no water flows.`,
    probe_was: ({ count, since, until, code }) =>
      `The moisture probe was faulty${often(count, "longest")} from ${when(since)} to ${when(until)} (${code}). Without it no water flows.`,
    off: ({ count, since, until }) => {
      const off = `The runtime was off${often(count, "longest")}`;
      if (since === null) return `${off} until ${when(until)}.`;
      return `${off} from ${when(since)} to ${when(until)}: nothing was measured.`;
    },
    budget: ({ left }) => `Only ${Math.round(left)} ml of the 24-hour budget are left, less than a dose.`,
    wet: ({ percent, limit }) =>
      `The soil reads ${percent.toFixed(1)} %. Above ${Math.round(limit)} % no water flows.`,
    decided: ({ count, at, reasoning }) =>
      `In ${counted(count, "cycle")} the agent planned no water. Last, at ${when(at)}: ${ended(reasoning)}`,
    unfinished: ({ at, ml }) =>
      `At ${when(at)} the agent planned ${Math.round(ml)} ml, and none of it flowed: the call was refused, nobody said yes, or the agent ended.`,
    dose_refused: ({ count, at, ml, reason: why }) =>
      `${refusedInWords(count, `${Math.round(ml)} ml`)} at ${when(at)}. The runtime said: ${ended(why)}`,
    refused: ({ count, at, reason: why }) =>
      `The runtime refused ${counted(count, "plan")}. Last, at ${when(at)}: ${ended(why)}`,
    waiting: ({ words }) => `The agent wants to ${words}, and waits for a person's yes.`,
    nobody: ({ isPast }) =>
      `No agent ${isPast ? "looked at it in this time." : "has looked at it in this time. Is one running?"}`,
  });
}

const refusedInWords = (count: number, dose: string): string =>
  count === 1 ? `A dose of ${dose} was refused` : `At least ${count} doses were refused, one of ${dose}`;

const often = (count: number, which = "last"): string => (count === 1 ? "" : ` ${count} times, the ${which}`);

/** With a full stop, unless it has an end already. */
const ended = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
