import { roomInWords } from "../../../drivers/room-quantities.js";
import { ALL_OFF, HELD, LONGEST_CHAT_TEXT } from "../../wire/names.js";
import type { PendingApproval } from "../../wire/people.js";
import type { StatusProblem } from "../../wire/status-problems.js";
import { reasonInWords } from "../../wire/why-words.js";
import { oneDecimal, span, whole } from "./figures.js";

/** What an agent asks for: `words` are the runtime's own, in English. */
export type AskedFor = Pick<PendingApproval, "tool" | "arguments" | "words" | "scope">;

export type RecurrenceUnit = "minute" | "hour" | "day" | "week" | "month" | "year";

/** A text for each code; several that mean the same to a reader stand in one line. */
export const byCode = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([codes, text]) => codes.split(" ").map((code) => [code, text])),
  );

const CLEAR = "I have checked it: clear";

/** Every word of the page in English. Another language is another table of this shape. */
export const EN = {
  language: "en-GB", // days before months, and 24 hours
  quotes: "“”",
  // the frame
  /** The views in their order, each with its name in the address. */
  tabs: { now: "Now", story: "Story", photos: "Photos", chat: "Chat", lists: "Lists", house: "House" },
  messages: "Reports and messages",
  views: "Views",
  off: "Everything off",
  offBusy: "Switching off…",
  offDone: {
    held: "Everything is off, and on hold until a person resumes.",
    off: "Everything is off. An agent may switch on again: a person can set a hold.",
    failed:
      "This browser could not switch off. Press the stop button at the plant, unplug the supply, or run: tendril off",
  },
  offRefused: "What waited for a yes is refused.",
  dismiss: "Close this note",
  connecting: "Connecting…",
  lost: "No connection. What you see is old.",
  lostFor: (seconds: number) => `No connection for ${seconds} s. What you see is old.`,
  lostKept: (when: string) =>
    `No connection. What you see is from ${when}. You cannot change anything now, but you can try “Everything off”.`,
  needsConnection: "This needs the connection. It appears by itself when there is one.",
  healthUnknown: "Without a connection it is not known how everything is.",
  observer: "This screen only shows. To change something, open the page as a person.",
  leave: "Log out",
  speak: "Language",
  speakAuto: "automatic",
  /** After "by": in place of the names of the tokens that every runtime has. */
  whom: {
    ...{ human: "a person", agent: "the agent", runtime: "the runtime" },
    ...{ observer: "a shared screen", bridge: "the bridge" },
    somebody: "somebody on the runtime's machine",
  } as Readonly<Record<string, string>>,
  /** After "as", by role: for whom a browser acts whose token is no person's. */
  holders: { human: "the owner", agent: "the agent", observer: "a shared screen" } as Readonly<
    Record<string, string>
  >,
  actsAs: (who: string) => `You are here as ${who}.`,
  bench: "simulated",
  // without a session
  outTitle: "This is a Tendril runtime",
  outWhy: "It cares for plants. This browser may not look in yet.",
  outEnded: "The session of this browser was ended.",
  outHow: "On the runtime's machine, type",
  outThen: "and open the link that it shows, or scan its code with a phone.",
  linkFailed: "The link did not work:",
  linkOpening: "Opening…",
  // photos
  photoSpan: "Time of the photos",
  photoSpans: { week: "Last week", month: "Last month", year: "Last year" },
  photoHour: "Hour of the day",
  aboutHour: (hour: number) => `about ${hour}:00`,
  noPhotos: "There is no photo of this time. The agent takes one when it looks at the plant.",
  photoLimit: (megabytes: string) =>
    `Photos may take ${megabytes} MB of the disk. Beyond that the oldest are deleted. To change that, write photos: { keep_megabytes: … } into tendril.yaml.`,
  photoCount: (count: number) =>
    count === 1 ? "There is one photo so far." : `${count} photos: one of each day.`,
  photosOfOneDay: (count: number) => `${count} photos of one day. Later you see one photo of each day.`,
  photoAt: "Photo",
  play: "Play as a film",
  pause: "Pause",
  compare: "Compare",
  compareEnd: "End comparison",
  compareHow:
    "Left: the photo you chose first, or the oldest. Right: the newest, or choose another one below.",
  photoBefore: "Before",
  photoAfter: "After",
  // the chat
  noChat: "Ask how a plant is, or what is due.",
  working: "The agent is working on an answer.",
  waitsForAgent: "It waits for the agent. If no agent runs, nobody answers.",
  waitsForYes: "The agent waits for your yes or no. It answers here after that.",
  waitsForPeople: "The agent waits for a person's yes or no. It answers here after that.",
  /** To "stop". */
  stopped:
    "Pumps and lights are off. Care goes on, and the agent may switch them on again. “Everything off”, at the top of every view, keeps them off.",
  turnFailed: "The agent failed to answer. It tries again by itself.",
  // a plant
  noPhoto: "No photo yet: the agent takes one when it looks at the plant",
  noCamera: "No camera",
  dark: "dark",
  darkAt: (when: string) => `dark at ${when}; by day:`,
  ago: (ms: number) => (ms < 60_000 ? "just now" : `${span(ms)} ago`),
  moisture: "Soil moisture",
  noReading: "no reading yet",
  percent: (value: number) => `${oneDecimal(value)} %`,
  notAbove: (limit: number) => `no water above ${whole(limit)} %`,
  isWet: (limit: number) => `above ${whole(limit)} %: no water flows`,
  water: "Water budget",
  budget: (left: number, all: number) => `${whole(left)} of ${whole(all)} ml left`,
  budgetAssumed: (ml: number) => `None left: ${whole(ml)} ml count as poured, since a record was lost`,
  budgetFull: "nothing poured in 24 h",
  grows: (ml: number, when: string) => `+${whole(ml)} ml from ${when}`,
  pouring: "pouring now",
  /** A person's dose. */
  pour: {
    open: "Water",
    amount: "How much",
    means: "The pump starts at once. “Everything off” stops it.",
    now: (ml: number) => `Pour ${ml} ml now`,
    done: (ml: number, left: number) => `${whole(ml)} ml poured. ${whole(left)} ml are left for 24 hours.`,
    lost: (ml: number) => `The answer about ${ml} ml got lost. Press again: it is still one dose.`,
    wet: (percent: number, limit: number) =>
      `The soil reads ${oneDecimal(percent)} %. Above ${oneDecimal(limit)} % no water flows. Feel the soil: if it is dry, the probe is wrong, and you can pour all the same.`,
    allTheSame: (ml: number) => `Pour ${ml} ml all the same`,
    cancel: "No water",
  },
  light: "Light",
  lightOn: (today: number) => `on · ${today} min today`,
  lightOff: (today: number) => `off · ${today} min today`,
  lightRest: (minutes: number) => `may be switched on in ${minutes} min`,
  lightReady: "may be switched on",
  notFitted: "not fitted",
  tank: (name: string) => `Tank “${name}”`,
  tankEmpty: "empty: fill it",
  tankOk: "has water",
  unanswered: (ml: number, minutes: number) =>
    `The soil did not react to ${whole(ml)} ml in ${minutes} min: look at the tube, the tank and the probe.`,
  inputs: {
    stop: (name: string) => `Stop button “${name}” is pressed: release it, then resume.`,
    leak: (name: string) =>
      `Leak sensor “${name}” is wet: find the leak, dry the sensor, then clear the fault.`,
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
  /** What was wrong with a plan, in another language than the runtime's. */
  planProblem: undefined as ((problem: StatusProblem) => string) | undefined,
  noStatus: "No agent has looked at it yet. Start one on the runtime's machine: tendril agent",
  uncared: (hours: number) => `Nobody has cared for it for ${hours} hours. Is the agent running?`,
  hold: (since: string, by: string, reason: string) => `On hold since ${since} by ${by}: ${reason}`,
  /** Reasons that the page itself or the runtime gives, in this language. */
  reasons: {} as Readonly<Record<string, string>>,
  /** What a refusal means, by its code, in place of the runtime's English words. Here only what those do not say well. */
  refusals: byCode({
    HOLD: "It is on hold. “Resume” on the plant's card ends that.",
    NO_RESPONSE: `The soil did not react to the last doses. Look at the tube, the tank and the probe, then press “${CLEAR}”.`,
    LEAK: `A leak sensor reported water. Find the leak and dry the sensor, then press “${CLEAR}”.`,
    "INTERLOCK INTERLOCK_FAULT": `The interlock has stopped it. Remove the cause that it names, then press “${CLEAR}”.`,
    "INPUT_ACTIVE PULSE_INHIBITED": "A stop button or a sensor stops it.",
    TANK_EMPTY: "The tank is empty. Fill it.",
    "PROBE_FAULT PROBE_DISCONNECTED PROBE_IMPLAUSIBLE PROBE_STUCK":
      "The moisture probe is faulty. Check the probe and its wiring.",
    AWAITING_SOIL: "The probe does not show the last dose yet. Wait a minute or two.",
    PUMP_BUSY: "The pump is running. Wait until it is done.",
    "GUARD_LOST PULSE_BUSY PULSE_STALE INTERLOCK_REST INTERLOCK_REFUSED":
      "The pump did not go on, and no water flowed. Try it again.",
    TOO_LATE: "It came too late, because the disk was too slow, and nothing went on. Try it again.",
    CANCELLED: "It was stopped before its end. “Story” says how much flowed.",
    DOSE_UNCERTAIN: "It is not known how much flowed: it counts in full. Look at the plant.",
    INVALID_ARGUMENT: "That cannot be taken: perhaps it is too long, or something is missing.",
    "NOT_FOUND UNKNOWN_TASK UNKNOWN_MEMORY UNKNOWN_MESSAGE":
      "It is not there any more: perhaps somebody has deleted it.",
    MEDIA_FULL: "There is no more room for files. Forget memories that have files.",
    REQUEST_TOO_LARGE: "It is too large: 10 MB at most.",
    SESSION_REFUSED: "It was used before, or has expired.",
    UNKNOWN_APPROVAL: "Somebody else has answered it already, or it has expired.",
    TEXT_TOO_LONG: `The message is too long: it may have ${LONGEST_CHAT_TEXT} characters. Shorten it, or send it in parts.`,
    OUTCOME_UNKNOWN: "It is not known whether it was done. Look how it is now before you do it again.",
    ALREADY_EXISTS: "There is one with this name already. Use that one, or choose another name.",
    NO_LINK: "There is no connection to the runtime. Try it again when there is one.",
    NO_ANSWER: "The runtime did not answer in time. Look whether it was done, then try it again.",
  }),
  /** What a refusal that is over meant, where that is not the beginning of the words above, up to a colon. */
  refusalsThen: {} as Readonly<Record<string, string>>,
  holdMeans: "Nothing is switched on until a person resumes.",
  holdWould:
    "On hold nothing is switched on until a person resumes. What is on goes on to its end: “Everything off” ends it.",
  isHeld: "On hold",
  probeIsFaulty: "The moisture probe is faulty",
  toNow: "See Now",
  toTasks: "To the tasks",
  andMore: (count: number) => `and ${count} more`,
  resume: "Resume",
  clear: CLEAR,
  locked: {
    NO_RESPONSE: "No more water: the soil did not react to the last doses",
    LEAK: "No more water: a leak sensor reported water",
    INTERLOCK: "No water and no light: the interlock has stopped them",
  } as Readonly<Record<string, string>>,
  lockedElse: "No more water: something is faulty",
  whatToDo: {
    NO_RESPONSE: "Look at the tube, the tank and the probe, then clear.",
    LEAK: "Find the leak and dry the sensor, then clear.",
    INTERLOCK: "Remove the cause that the interlock names, then clear.",
  } as Readonly<Record<string, string>>,
  probe: (since: string) =>
    `The moisture probe has been faulty since ${since}. Check the probe and its wiring; “The doctor” under House helps.`,
  probeTroubles: {
    PROBE_DISCONNECTED: "It gives no signal: is it unplugged?",
    PROBE_IMPLAUSIBLE: "Its reading is impossible.",
    PROBE_STUCK: "Its reading does not move.",
  } as Readonly<Record<string, string>>,
  failed: "That did not work:",
  /** In place of that before the runtime's words, by their code. */
  failedAs: { TIME_NOT_UNDERSTOOD: "That time was not understood." } as Readonly<Record<string, string>>,
  // approvals
  asks: "Waits for your yes",
  asksPeople: "Waits for a person's yes",
  wants: (agent: string, words: string, plant?: string) =>
    `${agent} wants to ${words}${plant ? ` for ${plant}` : ""}`,
  afterReading: (sources: readonly string[]) =>
    `It has read words from outside before: ${sources.join(", ")}. They may have told it to ask for this.`,
  because: (reasoning: string) => `Its reason: ${reasoning}`,
  /** After the agent's name and "wants to". */
  wish: ({ words }: AskedFor): string => words,
  scope: ({ scope }: AskedFor, _plant: string) => `A yes is for ${scope}.`,
  expires: (seconds: number) =>
    `No answer within ${seconds > 90 ? `${Math.round(seconds / 60)} min` : `${seconds} s`} counts as a no.`,
  approve: "Approve",
  refuse: "Refuse",
  answered: (isYes: boolean, what: string) => `${isYes ? "Approved" : "Refused"}: ${what}`,
  cameOf: {
    approved: "The agent has not used your yes yet.",
    used: "The agent has used your yes.",
  } as Readonly<Record<string, string>>,
  /** `planned`: doses in the agent's plan, if at least as many. */
  another: (count: number, planned: number | undefined) =>
    planned === undefined
      ? `This is a new request: ${count === 2 ? "one" : count - 1} like it came before.`
      : `This is dose ${count} of ${planned} in the agent's plan.`,
  warnings: "About the machine",
  rooms: "Rooms",
  room: roomInWords,
  roomFault: "sensor faulty",
  // the story
  ranges: { hour: "Hour", day: "Day", week: "Week", month: "Month", year: "Year", all: "All" },
  range: "Time range",
  plant: "Plant",
  airOf: "Air of",
  earlier: "Earlier",
  later: "Later",
  chart: (name: string, from: string, to: string) =>
    `Soil moisture of ${name} from ${from} to ${to}, with doses and cycles. The same is listed below.`,
  /** `since`: the first reading of all, where the time begins before it. */
  coverage: (having: number, all: number, since: string | undefined) => {
    if (having === 0) return "There are no readings of this time.";
    const share = `for ${whole((100 * having) / all)} % of`;
    if (since === undefined) return `Readings ${share} this time.`;
    return having === all
      ? `Readings since ${since}.`
      : `Readings since ${since}: ${share} the time since then.`;
  },
  dosesHidden: (count: number) => `${count} more doses are too close to others to be listed.`,
  sums: "Over more than a week a bar is the sum of some time, drawn at its doses; single doses and cycles are not listed.",
  whyNot: "Why did you not water?",
  whyWater: "Why did you water?",
  fromRecord: "From the record:",
  yesterday: "Yesterday",
  lastDay24: "Last 24 hours",
  reason: reasonInWords,
  table: "Table of the chart",
  csv: "Save as CSV",
  csvEvents: "Save events as CSV",
  note: "Note",
  noteAbout: "What you did or saw, such as: repotted. The agent reads it, and it stays in the story.",
  noteLabel: "Your note",
  noteSave: "Save",
  addFile: "Photo or file",
  removeFile: (name: string) => `Remove ${name}`,
  filesOf: (count: number) =>
    count === 0 ? "" : ` (${count === 1 ? "with a file" : `with ${count} files`})`,
  remember: "Something to remember",
  columns: ["From", "To", "Moisture", "Readings", "Water", "Doses"],
  events: "What happened",
  quietCycles: (count: number, since: string) =>
    count === 1
      ? "a care cycle that planned nothing"
      : `${count} care cycles that planned nothing, since ${since}`,
  noEvents: "Nothing is on record in this time.",
  dose: (ml: number) => `${whole(ml)} ml of water`,
  doseAsked: (ml: number) => `asked for ${whole(ml)} ml`,
  /** Of a dose that did not simply end. */
  outcomes: {
    ...{ stopped: "stopped before its end", uncertain: "unsure: it counts in full" },
    ...{ pending: "not over yet", refused: "refused", ledger_lost: "counted after the record was lost" },
  } as Readonly<Record<string, string>>,
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
  doseRefused: (ml: number) => `${whole(ml)} ml refused`,
  /** `refuser`: undefined if nobody answered. */
  askedBy: (asker: string, refuser: string | undefined) =>
    `asked by ${asker}, ${refuser === undefined ? "answered by nobody" : `refused by ${refuser}`}`,
  wasOff: (since: string | undefined, until: string) =>
    since === undefined
      ? "The runtime is back: it was off"
      : `Nothing was measured from ${since} to ${until}: the runtime was off`,
  faultSince: (when: string) => `faulty since ${when}`,
  lockedSince: (when: string) => `locked since ${when}`,
  probeMeans: "Without the probe no water flows, whoever asks.",
  /** In the chart: why there is a gap. */
  outages: { probe: "probe faulty", off: "runtime off" },
  control: {
    hold: "Put on hold",
    resume: "Hold lifted",
    fault: "Fault",
    clear: "Fault cleared",
    all_off: "Everything switched off",
    tank_empty: "Tank empty",
    tank_filled: "Tank filled",
    probe_fault: "Probe faulty",
    probe_ok: "Probe works again",
    camera_fault: "Camera faulty",
    camera_ok: "Camera works again",
  } as Readonly<Record<string, string>>,
  status: "Status",
  thought: "Thought",
  hypothesis: "Suspected",
  doubts: "Not sure of",
  calls: "Calls",
  modelCost: (model: string, tokens: string, money: number | null) =>
    `${model}: ${tokens} tokens${money === null ? "" : `, cost ${money}`}`,
  /** What an agent called, in the list of the story. */
  callNames: {
    dispense_water: "water",
    turn_on_light: "light",
    capture_photo: "photo",
    write_plant_status: "status",
  } as Readonly<Record<string, string>>,
  /** What an agent calls while a person waits, in another language than the runtime's titles. */
  callTitles: {} as Readonly<Record<string, string>>,
  callOutcomes: { running: "…", done: "done" } as Readonly<Record<string, string>>,
  noMore: "Nothing more is on record about it.",
  byPerson: "A person poured it.",
  outsideCycle: "It was poured outside of a care cycle.",
  key: {
    ...{ air: "air, °C", photo: "photo" },
    ...{ moisture: "moisture", dose: "dose", light: "light", cycle: "cycle", refused: "refused" },
    ...{ fault: "fault", hold: "on hold", over: "ended", note: "note" },
  },
  // the bench
  benchTitle: "The bench",
  benchAbout: "These plants are simulated. Break something, and see what the runtime does about it.",
  benchTruth: (truth: string, said: string) => `the soil truly is at ${truth}, its probe said ${said}`,
  benchSpeed: "How fast its time passes",
  benchTimes: (speed: number) => (speed === 1 ? "real time" : `${speed} times`),
  troubles: {
    probe_unplugged: {
      breaks: "Unplug the probe",
      mends: "Plug the probe in again",
      expect: "Within a minute the probe counts as faulty. Until it is back no water flows, whoever asks.",
    },
    probe_stuck: {
      breaks: "Freeze the probe",
      mends: "Let the probe measure again",
      expect:
        "The reading stays the same. It shows no dose: after some 60 ml without an answer the pump is locked, and you are told.",
    },
    tube_off: {
      breaks: "Pull the tube off",
      mends: "Put the tube on again",
      expect:
        "Doses miss the pot. After some 60 ml without an answer of the soil the pump is locked, until you clear the fault.",
    },
    tank_empty: {
      breaks: "Empty the tank",
      mends: "Fill the tank",
      expect: "The pump runs dry. The soil does not answer, so the pump is locked.",
    },
    leak: {
      breaks: "Make the leak sensor wet",
      mends: "Dry the leak sensor",
      expect:
        "The pump is locked at once, even in the middle of a dose, and you are told. It stays locked until the sensor is dry and you clear the fault.",
    },
    lamp_dead: {
      breaks: "Break the lamp",
      mends: "Replace the lamp",
      expect: "The relay switches, and no light comes. No sensor sees that: look at the photos.",
    },
  },
  powerCut: {
    breaks: "Cut the power",
    expect:
      "The runtime ends at once, even in the middle of a dose. The pump is off with it. It starts again by itself in some seconds, and a dose that was cut off counts in full.",
  },
  // the house
  health: "Health",
  noTrouble: "Nothing is wrong, as far as the runtime knows.",
  interlock: "Interlock:",
  interlockOk: "in order",
  bridgeConnected: "The bridge to the internet is connected.",
  bridgeAway: (since: string) =>
    `The bridge, the program that connects to the internet, has been away since ${since}: no messages, calendars or searches. Why, and how to start it: tendril status`,
  bridgeProblem: (problem: string) =>
    `A part of bridge.yaml does not work: ${problem}. Correct the file, then restart the bridge.`,
  channelWorks: (channel: string, since: string) => `${channel} has worked since ${since}.`,
  channelDown: (channel: string, since: string, why: string) =>
    `${channel} has not worked since ${since}: ${why}.`,
  notReported: "the bridge has not reported about it",
  calibration: {
    title: "Calibrate a moisture probe",
    about:
      "You need a glass of water and a cloth. The probe is measured dry, wet and in its pot. At the end you see the lines for the configuration; the page itself changes nothing in it. The pump is calibrated on the runtime's machine: tendril calibrate pump.",
    begin: "Begin",
    held: "The plant is on hold until the probe is back in its pot, so nobody waters by what the probe reads meanwhile. If you leave this page, the hold stays.",
    heldByOthers: "The plant was on hold before. It stays so.",
    steps: {
      air: "1 of 3: dry. Wipe the probe and hold it in the air. Bone-dry soil of its pot's kind is better.",
      water:
        "2 of 3: wet. Put the probe into a glass of water, up to the mark on its blade. Keep the electronics dry.",
      pot: "3 of 3: put the probe back into its pot, at its final depth.",
    },
    expect: {
      air: "Usual: about 2.7 V; a seesaw about 200 counts. The reading must be steady for three seconds.",
      water:
        "Usual: about 1.2 V; a seesaw about 2000 counts. It must differ from dry by 0.1 V or 100 counts at least.",
      pot: "Usual: between the two.",
    },
    bench: "This probe is simulated: it moves to each place by itself.",
    measure: "It is there: measure",
    measureAgain: "Measure again",
    again: "Begin again with dry",
    useAllTheSame: "Use it all the same",
    giveUp: "Stop here: the probe is back in its pot",
    close: "Done",
    left: "The view was left.",
    waiting: (reading: string) => `${reading}: waiting until it is steady…`,
    level: (place: "air" | "water" | "pot", level: string, spread: string) =>
      `${{ air: "Dry", water: "Wet", pot: "In its pot" }[place]}: ${level}, steady within ${spread}.`,
    notSteady: (reading: string) =>
      `The probe was not steady for a minute; it last read ${reading}. Is it plugged in, is a wire loose, or did it move? Measure again.`,
    resembles: (level: string) =>
      `${level} is what an input without a probe gives, or one that is tied to the supply. Is the probe plugged in?`,
    troubles: {
      same: "Dry and wet are the same. The probe is broken, or on another channel, or was not moved.",
      close: "Dry and wet are too close. Was the probe in the water up to the mark?",
      noisy:
        "The probe's noise is more than a tenth of the way from dry to wet: a loose wire, a long cable or a bad supply.",
      unusual: "Most probes of this kind go the other way from dry to wet. Were dry and wet swapped?",
    },
    span: (span: string, noise: string) => `From dry to wet: ${span}. The noise is ${noise} % of that.`,
    inPot: (percent: string) => `In its pot: ${percent} %.`,
    outside: "That is outside of dry and wet. Was the blade in up to the mark both times?",
    implausible:
      "That is so far outside of dry and wet that the runtime would refuse such a reading. Calibrate again, with the blade in up to the mark.",
    writes:
      "This command writes the calibration, after your yes. On an installed Pi put sudo before it. Then restart the runtime:",
    byHand: (plant: string) => `Or write this yourself into tendril.yaml, under “probe” of ${plant}:`,
  },
  backups: {
    title: "Backups",
    holds:
      "A backup contains all lasting data: water, light, holds and faults, messages, tasks, lists, memories, readings, the configuration, and every token. Keep it where only you can read it.",
    holdsNot:
      "It does not contain photos (tendril backup --photos adds them), the sessions of browsers, and the agent's own folder. tendril restore puts one back.",
    make: "Back up now",
    none: (folder: string) => `There is no backup in ${folder} yet.`,
    where: (folder: string) =>
      `In ${folder} on the runtime's machine. The 14 newest stay. Backups in other folders are not listed.`,
    of: (when: string, megabytes: string) => `${when}, ${megabytes} MB`,
    download: "Download",
    noDownload:
      "It can be downloaded only on the runtime's own machine, with the owner's session. From elsewhere copy the file with scp.",
  },
  doctor: {
    title: "The doctor",
    /** What the checks are called, in place of the doctor's English names. */
    names: {} as Readonly<Record<string, string>>,
    about:
      "It looks at the machine, the state folder, the wiring's files, the network and the bridge. It changes nothing. While the runtime runs, it does not use the bus and the cameras. For all checks stop the runtime, and run: tendril doctor",
    look: "Look now",
    again: "Look again",
    busy: "The doctor is looking. On a small computer this takes half a minute.",
    summary: (wrong: number, when: string) =>
      wrong === 0 ? `At ${when} nothing was wrong.` : `Problems at ${when}: ${wrong}.`,
    fine: (count: number) => `${count} in order`,
    skipped: (count: number) => `${count} not looked at`,
    verdicts: { failure: "failure", warning: "warning", skipped: "skipped" },
  },
  tokens: {
    title: "Tokens",
    about: "A token is the key of a person or a program. The command tendril token add makes another one.",
    roles: {
      human: "a person: may do everything",
      agent: "an agent",
      observer: "sees, and may switch off",
      bridge: "the bridge to the internet",
      metrics: "reads the metrics",
    } as Readonly<Record<string, string>>,
    made: (day: string) => `made on ${day}`,
    used: (when: string) => `last used ${when}`,
    unused: "no use known",
    revoke: "Revoke",
    ends: "Programs and browsers that use this token lose access at once. This cannot be undone.",
    lastWayIn:
      "This is your own token. Without it this page closes, and the commands on the runtime's machine are refused. There, tendril token add human makes a new one, and tendril open lets a browser in again.",
  },
  holds: "Hold",
  holdReason: "Reason, such as holiday",
  holdAll: "Put everything on hold",
  resumeAll: "Resume all plants",
  sessions: "Browsers that are let in",
  sessionsHow:
    "On the runtime's machine tendril open lets another browser in; with --observer a screen that everybody can read.",
  sessionOf: (token: string, begun: string) => `as ${token}, begun ${begun}`,
  thisBrowser: "this browser, now",
  endSession: (device: string) => `End the session of ${device}`,
  revoke: "End",
  settings: "Settings",
  settingsHow: "As they are in force. To change one, edit tendril.yaml and restart the runtime.",
  isDefault: "(default)",
  /** In place of null, of an empty list or text, and of true and false. */
  settingValues: { null: "not set", "": "none", true: "yes", false: "no" },
  // memories
  memories: "What the agent remembers",
  noMemories: "Nothing yet.",
  profile: "What it knows about you and the household",
  told: "told",
  inferred: "guessed",
  sources: {
    CAPTURE: "noted from a conversation",
    DIARY: "written down",
    IMPORT: "imported",
    SYSTEM: "by the runtime",
  } as Readonly<Record<string, string>>,
  forget: "Forget",
  keep: "Keep it",
  forgetMeans:
    "This entry is erased for good, with all its earlier versions. Nobody can bring it back. Only backups that exist already still have it.",
  recalls: {
    title: "What the agent recalled",
    about: "Each line says when an agent was given something of this, and for what.",
    turns: {
      care: "for a care cycle",
      conversation: "for a conversation",
      task: "for a task",
      none: "outside of a turn",
    },
    forgotten: (count: number) =>
      count === 1 ? "and something that is forgotten" : `and ${count} that are forgotten`,
  },
  every: (interval: number, unit: RecurrenceUnit) => {
    const name = { minute: "minute", hour: "hour", day: "day", week: "week", month: "month", year: "year" }[
      unit
    ];
    return interval === 1 ? `every ${name}` : `every ${interval} ${name}s`;
  },
  onDays: (days: string) => `on ${days}`,
  onMonthDays: (days: string) => `on ${days}`,
  /** Undefined: the last one. */
  dayOfMonth: (day: number | undefined) => (day === undefined ? "the last day" : `day ${day}`),
  /** -1: the last one of the month. */
  nthDay: (nth: number, day: string) =>
    nth === -1 ? `the last ${day}` : `the ${nth}${["st", "nd", "rd"][nth - 1] ?? "th"} ${day}`,
  atTimes: (times: string) => `at ${times}`,
  // lists, tasks, messages
  tasks: "Tasks",
  noTasks: "No open task.",
  addTask: "New task",
  due: "When (such as tomorrow at 9)",
  dueAt: (when: string) => `due ${when}`,
  understood: "Understood:",
  nextTimes: "The next times",
  addIfRight: "If that is right, add it.",
  untimed: (time: string) => `Added without a time: nobody is reminded. If “${time}” is its time:`,
  whichTime: "That can mean more than one time. Which one?",
  taskTitle: "Task",
  newTime: "New time (empty: no change)",
  edit: "Edit",
  remove: "Delete",
  removeList: "Delete the list",
  taskGone: "Delete the task, with its reminders?",
  itemGone: "Delete the item for good?",
  listGone: "Delete the list for good, with all that is on it?",
  undo: "Undo",
  /** `theirs`: what it is now. */
  changedMeanwhile: (theirs: string) =>
    `Somebody has changed this meanwhile. It is now: ${theirs}. What you wrote is not saved yet: “Save” puts it in place of that.`,
  keepTheirs: "Leave it as it is now",
  /** Of a recurring task: its time once it is done, and after it was done. */
  afterDone: (when: string) => `next after “Done”: ${when}`,
  nextTime: (when: string) => `(next: ${when})`,
  add: "Add",
  done: "Done",
  noLists: "No list yet.",
  addItem: "New item",
  item: "Item",
  newList: "New list",
  write: "Write to the agent",
  send: "Send",
  requestOver: {
    approved: "A person said yes.",
    used: "A person said yes, and it was done.",
    denied: "The answer was no.",
    expired: "Nobody answered in time: that counted as a no.",
  } as Readonly<Record<string, string>>,
  requestEndedBy: {
    [HELD]: "It was put on hold: that counted as a no.",
    [ALL_OFF]: "Everything was switched off: that counted as a no.",
  } as Readonly<Record<string, string>>,
  notAsked: (what: string) => `No longer asked: ${what}`,
  requestEnded: "This request is over.",
  toRequest: "Answer under Now",
  messageNote: "The agent reads it at the start of its next cycle.",
  noMessages: "No messages yet.",
  fromAgent: "Agent",
  fromRuntime: "Runtime",
  fromYou: "You",
  unread: "not read yet",
  of: (person: string) => `of ${person}`,
};

export type Words = typeof EN;
export type Tab = keyof Words["tabs"];
