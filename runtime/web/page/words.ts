import { at, type HouseClock, oneDecimal, span, whole } from "./figures.js";
import type { Reason } from "./why.js";

/** Every word of the page in English. Another language is another table of this shape. */
export const EN = {
  language: "en-GB", // days before months, and 24 hours
  // the frame
  now: "Now",
  story: "Story",
  lists: "Lists",
  messages: "Messages",
  views: "Views",
  off: "Everything off",
  offBusy: "Switching off…",
  offDone: {
    held: "Everything is off, and on hold until a person resumes.",
    off: "Everything is off. An agent may switch on again: a person can set a hold.",
    failed:
      "This browser could not switch off. Press the stop button at the plant, unplug the supply, or run: tendril off",
  },
  dismiss: "Close this note",
  connecting: "Connecting…",
  lost: "No connection. What you see is old.",
  lostFor: (seconds: number) => `No connection for ${seconds} s. What you see is old.`,
  observer: "This screen only shows. To change something, open the page as a person.",
  leave: "Log out",
  actsAs: (token: string) => `This browser acts as ${token}.`,
  clock: (time: string, zone: string) => `${time} ${zone}`,
  bench: "simulated",
  // without a session
  outTitle: "This is a Tendril runtime",
  outWhy: "It cares for plants. This browser may not look in yet.",
  outHow: "On the runtime's machine, type",
  outThen: "and open the link that it shows, or scan its code with a phone.",
  linkFailed: "The link did not work:",
  linkOpening: "Opening…",
  // a plant
  photoOf: (name: string, when: string) => `${name}, ${when}`,
  noPhoto: "No photo yet",
  ago: (ms: number) => (ms < 60_000 ? "just now" : `${span(ms)} ago`),
  moisture: "Soil moisture",
  noReading: "no reading yet",
  percent: (value: number) => `${oneDecimal(value)} %`,
  notAbove: (limit: number) => `no water above ${whole(limit)} %`,
  isWet: (limit: number) => `above ${whole(limit)} %: no water flows`,
  water: "Water budget",
  budget: (left: number, all: number) => `${whole(left)} of ${whole(all)} ml left`,
  budgetFull: "nothing poured in 24 h",
  grows: (ml: number, when: string) => `+${whole(ml)} ml at ${when}`,
  pouring: "pouring now",
  light: "Light",
  lightOn: (today: number) => `on · ${today} min today`,
  lightOff: (today: number) => `off · ${today} min today`,
  lightRest: (minutes: number) => `may go on in ${minutes} min`,
  lightReady: "may go on",
  notFitted: "not fitted",
  tank: (name: string) => `Tank ${name}`,
  tankEmpty: "empty: fill it",
  tankOk: "has water",
  inputs: {
    stop: (name: string) => `Stop button ${name} is pressed: release it, then resume.`,
    leak: (name: string) =>
      `Leak sensor ${name} is wet: find the leak, dry the sensor, then clear the fault.`,
  },
  plan: "The agent",
  states: {
    healthy: "finds it healthy",
    stressed: "finds it stressed",
    concerning: "is concerned",
    critical: "finds it critical",
    unknown: "does not know",
  } as Readonly<Record<string, string>>,
  plans: (steps: string) => `plans: ${steps}`,
  plansNothing: "plans nothing",
  step: (action: string, value?: number) => {
    if (value === undefined) return action;
    return `${action} ${whole(value)} ${action === "light" ? "min" : "ml"}`;
  },
  refusedStatus: (reason: string) => `The runtime refused its plan: ${reason}`,
  noStatus: "No agent has looked at it yet.",
  uncared: (hours: number) => `Nobody has cared for it for ${hours} hours. Is the agent running?`,
  hold: (since: string, by: string, reason: string) => `On hold since ${since} by ${by}: ${reason}`,
  holdMeans: "Nothing is switched on until a person resumes.",
  resume: "Resume",
  setHold: "Hold",
  clear: "I have seen to it: clear",
  fault: (code: string, since: string) => `${code} since ${since}`,
  whatToDo: {
    NO_RESPONSE: "The soil did not answer the water. Look at the tube, the tank and the probe, then clear.",
    LEAK: "Find the leak and dry the sensor, then clear.",
    INTERLOCK: "See to what the interlock names, then clear.",
  } as Readonly<Record<string, string>>,
  probe: (code: string, since: string) =>
    `The moisture probe is faulty since ${since} (${code}). Check the probe and its wiring; tendril doctor helps.`,
  failed: "That did not work:",
  // approvals
  asks: "Waits for your yes",
  wants: (agent: string, words: string, plant?: string) =>
    `${agent} wants to ${words}${plant ? ` for ${plant}` : ""}`,
  afterReading: (sources: readonly string[]) =>
    `It has read words from outside before: ${sources.join(", ")}. They may have told it to ask for this.`,
  because: (reasoning: string) => `Its reason: ${reasoning}`,
  scope: (scope: string) => `A yes is for ${scope}.`,
  expires: (seconds: number) =>
    `No answer within ${seconds > 90 ? `${Math.round(seconds / 60)} min` : `${seconds} s`} counts as a no.`,
  approve: "Approve",
  refuse: "Refuse",
  answeredAlready: "Somebody else has answered it already, or it has expired.",
  warnings: "About the machine",
  rooms: "Rooms",
  room: (temperature: number, humidity: number) => `${oneDecimal(temperature)} °C · ${whole(humidity)} %`,
  roomFault: (code: string) => `sensor faulty (${code})`,
  // the story
  ranges: { hour: "Hour", day: "Day", week: "Week", month: "Month", year: "Year" },
  range: "Time range",
  plant: "Plant",
  earlier: "Earlier",
  later: "Later",
  latest: "Latest",
  chart: (name: string, from: string, to: string) =>
    `Soil moisture of ${name} from ${from} to ${to}, with doses and cycles. The same is listed below.`,
  coverage: (having: number, all: number) => `Readings in ${having} of ${all} intervals.`,
  dosesHidden: (count: number) => `${count} more doses are too close to others to be listed.`,
  sums: "Over more than a week the bars are sums, and single cycles are not listed.",
  axisMoisture: "%",
  axisWater: "ml",
  why: "Why did you not water?",
  whyIn: (range: string) => `From the record of this ${range}:`,
  reason: (reason: Reason, clock: HouseClock, now: number): string => {
    const when = (iso: string) => clock.near(at(iso), now);
    switch (reason.kind) {
      case "watered":
        return `It was watered: ${whole(reason.ml)} ml in ${reason.doses} ${reason.doses === 1 ? "dose" : "doses"}, the last at ${when(reason.last)}.`;
      case "hold":
        return `It is on hold since ${when(reason.since)} by ${reason.by}: ${reason.reason}`;
      case "fault":
        return `The water is locked since ${when(reason.since)} (${reason.code}): ${reason.reason}`;
      case "probe":
        return `The moisture probe is faulty since ${when(reason.since)} (${reason.code}), and there is no water without it.`;
      case "budget":
        return `Only ${whole(reason.left)} ml of the 24-hour budget are left, less than a dose.`;
      case "wet":
        return `The soil reads ${oneDecimal(reason.percent)} %, above ${whole(reason.limit)} %: no water flows onto wet soil.`;
      case "decided":
        return `In ${reason.count} ${reason.count === 1 ? "cycle" : "cycles"} the agent planned no water. Last, at ${when(reason.at)}: ${reason.reasoning}`;
      case "unfinished":
        return `At ${when(reason.at)} the agent planned ${whole(reason.ml)} ml, and none of it flowed: the call was refused, nobody said yes, or the agent ended.`;
      case "refused":
        return `The runtime refused ${reason.count} ${reason.count === 1 ? "plan" : "plans"}. Last, at ${when(reason.at)}: ${reason.reason}`;
      case "waiting":
        return `The agent wants to ${reason.words}, and waits for a person's yes.`;
      case "nobody":
        return "No agent has looked at it in this time. Is one running?";
    }
  },
  table: "Table of the chart",
  csv: "Save as CSV",
  columns: ["From", "To", "Moisture", "Readings", "Water", "Doses"],
  events: "What happened",
  noEvents: "Nothing is on record in this time.",
  dose: (ml: number) => `${whole(ml)} ml of water`,
  doseAsked: (ml: number) => `asked for ${whole(ml)} ml`,
  outcome: (outcome: string) => `outcome: ${outcome}`,
  by: (who: string) => `by ${who}`,
  cycle: "Care cycle",
  cyclePlan: (ml: number, minutes: number) => {
    const parts = [
      ...(ml > 0 ? [`${whole(ml)} ml`] : []),
      ...(minutes > 0 ? [`${whole(minutes)} min of light`] : []),
    ];
    return parts.length === 0 ? "nothing planned" : `planned ${parts.join(", ")}`;
  },
  cycleRefused: "plan refused",
  control: {
    hold: "Put on hold",
    resume: "Hold lifted",
    fault: "Fault",
    clear: "Fault cleared",
    tank_empty: "Tank empty",
    tank_filled: "Tank filled",
  } as Readonly<Record<string, string>>,
  status: "Status",
  thought: "Thought",
  hypothesis: "Suspected",
  doubts: "Not sure of",
  calls: "Calls",
  noMore: "Nothing more is on record about it.",
  byPerson: "A person or a program poured it outside of a care cycle.",
  key: { moisture: "moisture", dose: "dose", cycle: "cycle", refused: "refused", light: "light" },
  // lists, tasks, messages
  tasks: "Tasks",
  noTasks: "No open task.",
  addTask: "New task",
  due: "When (such as tomorrow at 9)",
  dueAt: (when: string) => `due ${when}`,
  add: "Add",
  done: "Done",
  markDone: (text: string) => `Done: ${text}`,
  noLists: "No list yet.",
  listName: "List",
  addItem: "New item",
  newList: "New list",
  write: "Write to the agent",
  send: "Send",
  messageNote: "The agent reads it at the start of its next cycle.",
  noMessages: "No messages yet.",
  fromAgent: "Agent",
  fromRuntime: "Runtime",
  fromYou: "You",
  unread: "not read yet",
  of: (person: string) => `of ${person}`,
};

export type Words = typeof EN;
