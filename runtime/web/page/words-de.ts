import { roomInWords } from "../../../drivers/room-quantities.js";
import { ALL_OFF, BACK_IN_POT, HELD, LONGEST_CHAT_TEXT, OFF_REASON, OUT_OF_POT } from "../../wire/names.js";
import { textBy } from "../../wire/phrases.js";
import type { StatusProblem } from "../../wire/status-problems.js";
import type { WaterReason } from "../../wire/why-water.js";
import { beginning, oneComma, span, whole } from "./figures.js";
import { type AskedFor, byCode, type RecurrenceUnit, type Words } from "./words.js";

const PROBE_TROUBLES = {
  PROBE_DISCONNECTED: "Er gibt kein Signal: ist er abgezogen?",
  PROBE_IMPLAUSIBLE: "Sein Messwert ist unmöglich.",
  PROBE_STUCK: "Sein Messwert bewegt sich nicht.",
};

/** Every word of the page in German. */
export const DE: Words = {
  language: "de",
  quotes: "„“",
  tabs: { now: "Jetzt", story: "Verlauf", photos: "Fotos", chat: "Chat", lists: "Listen", house: "Haus" },
  messages: "Berichte und Nachrichten",
  views: "Ansichten",
  off: "Alles aus",
  offBusy: "Wird ausgeschaltet…",
  offDone: {
    held: "Alles ist aus und bleibt aus, bis jemand fortsetzt.",
    off: "Alles ist aus. Ein Agent darf wieder einschalten; ein Mensch kann alles anhalten.",
    failed:
      "Dieser Browser konnte nicht ausschalten. Drücken Sie den Stopptaster an der Pflanze, ziehen Sie den Stecker, oder rufen Sie auf: tendril off",
  },
  offRefused: "Was auf ein Ja wartete, ist abgelehnt.",
  dismiss: "Hinweis schließen",
  connecting: "Verbindung wird aufgebaut…",
  lost: "Keine Verbindung. Was Sie sehen, ist alt.",
  lostFor: (seconds) => `Seit ${seconds} s keine Verbindung. Was Sie sehen, ist alt.`,
  lostKept: (when) =>
    `Keine Verbindung. Was Sie sehen, ist von ${when}. Ändern lässt sich jetzt nichts; „Alles aus“ wird trotzdem versucht.`,
  needsConnection: "Dafür braucht es die Verbindung. Es erscheint von selbst, sobald es eine gibt.",
  healthUnknown: "Ohne Verbindung ist nicht bekannt, wie es steht.",
  observer: "Dieser Bildschirm zeigt nur an. Zum Ändern öffnen Sie die Seite als Person.",
  leave: "Abmelden",
  speak: "Sprache",
  speakAuto: "automatisch",
  whom: {
    ...{ human: "einen Menschen", agent: "den Agenten", runtime: "den Server" },
    ...{ observer: "einen gemeinsamen Bildschirm", bridge: "die Brücke" },
    somebody: "jemanden am Rechner des Servers",
  },
  holders: { human: "Besitzer", agent: "Agent", observer: "gemeinsamer Bildschirm" },
  actsAs: (who) => `Sie sind hier als ${who}.`,
  bench: "simuliert",
  outTitle: "Dies ist ein Tendril-Server",
  outWhy: "Er pflegt Pflanzen. Dieser Browser ist noch nicht zugelassen.",
  outEnded: "Die Sitzung dieses Browsers wurde beendet.",
  outHow: "Geben Sie auf dem Rechner des Servers ein:",
  outThen: "und öffnen Sie den gezeigten Link, oder scannen Sie seinen Code mit dem Telefon.",
  linkFailed: "Der Link hat nicht funktioniert:",
  linkOpening: "Wird geöffnet…",
  photoSpan: "Zeitraum der Fotos",
  photoSpans: { week: "Letzte Woche", month: "Letzter Monat", year: "Letztes Jahr" },
  photoHour: "Tageszeit",
  aboutHour: (hour) => `gegen ${hour}:00`,
  noPhotos: "Aus dieser Zeit gibt es kein Foto. Der Agent macht eines, wenn er nach der Pflanze sieht.",
  photoLimit: (megabytes) =>
    `Fotos dürfen ${megabytes} MB der Festplatte belegen. Darüber werden die ältesten gelöscht. Zum Ändern schreiben Sie photos: { keep_megabytes: … } in tendril.yaml.`,
  photoCount: (count) => (count === 1 ? "Bisher gibt es ein Foto." : `${count} Fotos: von jedem Tag eines.`),
  photosOfOneDay: (count) => `${count} Fotos von einem Tag. Später sehen Sie von jedem Tag eines.`,
  photoAt: "Foto",
  play: "Als Film abspielen",
  pause: "Pause",
  compare: "Vergleichen",
  compareEnd: "Vergleich beenden",
  compareHow:
    "Links: das zuerst gewählte Foto, sonst das älteste. Rechts: das neueste; wählen Sie unten ein anderes.",
  photoBefore: "Vorher",
  photoAfter: "Nachher",
  noChat: "Fragen Sie, wie es einer Pflanze geht oder was ansteht.",
  working: "Der Agent arbeitet an einer Antwort.",
  waitsForYes: "Der Agent wartet auf Ihr Ja oder Nein. Danach antwortet er hier.",
  waitsForPeople: "Der Agent wartet auf das Ja oder Nein eines Menschen. Danach antwortet er hier.",
  waitsForAgent: "Wartet auf den Agenten. Wenn keiner läuft, antwortet niemand.",
  stopped:
    "Pumpen und Lampen sind aus. Die Pflege geht weiter, und der Agent darf wieder einschalten. „Alles aus“, oben in jeder Ansicht, hält sie aus.",
  turnFailed: "Der Agent konnte nicht antworten. Er versucht es von selbst noch einmal.",
  noPhoto: "Noch kein Foto: der Agent macht eines, wenn er nach der Pflanze sieht",
  noCamera: "Keine Kamera",
  dark: "dunkel",
  darkAt: (when) => `um ${when} dunkel; bei Tag:`,
  ago: (ms) => (ms < 60_000 ? "gerade eben" : `vor ${span(ms)}`),
  moisture: "Bodenfeuchte",
  noReading: "noch keine Messung",
  percent: (value) => `${oneComma(value)} %`,
  notAbove: (limit) => `kein Wasser über ${whole(limit)} %`,
  isWet: (limit) => `über ${whole(limit)} %: es fließt kein Wasser`,
  water: "Wasser",
  budget: (left, all) => `${whole(left)} von ${whole(all)} ml übrig`,
  budgetAssumed: (ml) =>
    `Nichts übrig: ${whole(ml)} ml gelten als gegossen, weil eine Aufzeichnung verloren ging`,
  budgetFull: "in 24 h nichts gegossen",
  grows: (ml, when) => `+${whole(ml)} ml ab ${when}`,
  pouring: "gießt gerade",
  pour: {
    open: "Gießen",
    amount: "Wie viel",
    means: "Die Pumpe läuft sofort. „Alles aus“ stoppt sie.",
    now: (ml) => `Jetzt ${ml} ml gießen`,
    done: (ml, left) => `${whole(ml)} ml gegossen. Für 24 Stunden sind ${whole(left)} ml übrig.`,
    lost: (ml) => `Die Antwort zu ${ml} ml ging verloren. Drücken Sie noch einmal: Gegossen wird nur einmal.`,
    wet: (percent, limit) =>
      `Der Boden hat ${oneComma(percent)} %. Über ${oneComma(limit)} % fließt kein Wasser. Fühlen Sie die Erde: ist sie trocken, irrt der Fühler, und Sie können trotzdem gießen.`,
    allTheSame: (ml) => `Trotzdem ${ml} ml gießen`,
    cancel: "Nicht gießen",
  },
  light: "Licht",
  lightOn: (today) => `an · heute ${today} min`,
  lightOff: (today) => `aus · heute ${today} min`,
  lightRest: (minutes) => `darf in ${minutes} min eingeschaltet werden`,
  lightReady: "darf eingeschaltet werden",
  notFitted: "nicht vorhanden",
  tank: (name) => `Tank „${name}“`,
  tankEmpty: "leer: bitte füllen",
  tankOk: "hat Wasser",
  unanswered: (ml, minutes) =>
    `Der Boden hat auf ${whole(ml)} ml in ${minutes} min nicht reagiert: prüfen Sie Schlauch, Tank und Fühler.`,
  inputs: {
    stop: (name) => `Stopptaster „${name}“ ist gedrückt: lösen Sie ihn, dann setzen Sie fort.`,
    leak: (name) =>
      `Lecksensor „${name}“ ist nass: finden Sie das Leck, trocknen Sie den Sensor, dann löschen Sie den Fehler.`,
  },
  plan: "Der Agent",
  states: {
    healthy: "findet sie gesund",
    stressed: "findet sie gestresst",
    concerning: "ist besorgt",
    critical: "findet sie kritisch",
    unknown: "weiß es nicht",
  },
  plans: (steps) => `plant: ${steps}`,
  plansNothing: "plant nichts",
  step: (action, value) => {
    const name =
      { water: "Wasser", light: "Licht", observe: "beobachten", alert: "melden" }[action] ?? action;
    return value === undefined ? name : `${name} ${whole(value)} ${action === "light" ? "min" : "ml"}`;
  },
  refusedStatus: (reason) => `Der Server hat den Plan abgelehnt: ${reason}`,
  planProblem: problemInGerman,
  noStatus: "Noch kein Agent hat sie angesehen. Auf dem Rechner des Servers startet einen: tendril agent",
  uncared: (hours) => `Seit ${hours} Stunden hat sie niemand gepflegt. Läuft der Agent?`,
  hold: (since, by, reason) => `Angehalten seit ${since} durch ${by}: ${reason}`,
  reasons: {
    [OFF_REASON]: "auf der Seite ausgeschaltet",
    [OUT_OF_POT]: "der Feuchtefühler ist zum Kalibrieren nicht im Topf",
    [BACK_IN_POT]: "der Feuchtefühler ist wieder im Topf",
    "by a button or a command": "über einen Knopf oder Befehl",
    "in a conversation": "in einem Gespräch",
    "put on hold": "angehalten",
    "the probe works again": "der Fühler geht wieder",
    "the camera works again": "die Kamera geht wieder",
    "the runtime was off": "der Server war aus",
    "a person asked for it": "ein Mensch wollte es so",
    "a person has looked at it": "ein Mensch hat nachgesehen",
    'stop button "" pressed': 'Stopptaster "" gedrückt',
    'the leak sensor "" was wet': 'der Lecksensor "" war nass',
    'the leak sensor "" is wet': 'der Lecksensor "" ist nass',
    'the tank "" is empty': 'der Tank "" ist leer',
    'the tank "" is filled': 'der Tank "" ist gefüllt',
  },
  refusals: byCode({
    TEXT_TOO_LONG: `Die Nachricht ist zu lang: Sie darf ${LONGEST_CHAT_TEXT} Zeichen haben. Kürzen Sie sie, oder senden Sie sie in Teilen.`,
    INVALID_ARGUMENT: "So geht es nicht: vielleicht ist etwas zu lang oder fehlt",
    ALREADY_EXISTS:
      "Diesen Namen gibt es schon. Nehmen Sie, was so heißt, oder wählen Sie einen anderen Namen",
    AMBIGUOUS_NAME: "So heißen mehrere: wählen Sie eines in der Liste",
    "NOT_FOUND UNKNOWN_TASK UNKNOWN_MEMORY UNKNOWN_MESSAGE UNKNOWN_PLACE UNKNOWN_FIELD":
      "Das gibt es nicht mehr: vielleicht hat es jemand gelöscht",
    UNKNOWN_PLANT: "Diese Pflanze steht nicht mehr in der Konfiguration",
    "UNKNOWN_TOOL MODULE_OFF": "Dieser Teil ist in der Konfiguration abgeschaltet",
    "RESULT_TOO_LARGE TOO_MANY_BUCKETS HISTORY_THINNED":
      "Das ist zu viel auf einmal: wählen Sie eine kürzere Zeit",
    "TOO_MANY_TASKS TOO_MANY_LISTS LIST_FULL TOO_MANY_MEMORIES PROFILE_FULL":
      "Es ist kein Platz mehr: löschen Sie, was niemand mehr braucht",
    "TOO_MANY_CHATS TOO_MANY_CHAT_MESSAGES TOO_MANY_MESSAGES":
      "Das sind zu viele Nachrichten für heute: warten Sie, oder schreiben Sie mehr in eine",
    MAIL_LIMIT: "Das sind zu viele Mails für heute",
    APPROVAL_NEEDED: "Es wartet auf das Ja eines Menschen",
    APPROVAL_DENIED: "Die Anfrage an einen Menschen wurde abgelehnt",
    APPROVAL_EXPIRED: "Niemand hat rechtzeitig Ja gesagt",
    UNKNOWN_APPROVAL: "Jemand hat schon geantwortet, oder die Zeit ist abgelaufen",
    SOIL_WET: "Der Boden ist zu nass",
    BUDGET_EXCEEDED: "Von der 24-Stunden-Menge ist zu wenig übrig: nehmen Sie weniger, oder warten Sie",
    AWAITING_SOIL: "Der Fühler zeigt die letzte Gabe noch nicht: warten Sie ein oder zwei Minuten",
    PROBE_FAULT: "Der Feuchtefühler ist gestört: prüfen Sie Fühler und Kabel",
    HOLD: "Es ist angehalten: „Fortsetzen“ bei der Pflanze beendet das",
    NO_RESPONSE:
      "Der Boden hat auf die letzten Gaben nicht reagiert: prüfen Sie Schlauch, Tank und Fühler, dann löschen Sie den Fehler",
    LEAK: "Ein Lecksensor hat Wasser gemeldet: finden Sie das Leck, trocknen Sie den Sensor, dann löschen Sie den Fehler",
    "INTERLOCK INTERLOCK_FAULT":
      "Die Verriegelung hat es gestoppt: beheben Sie, was sie nennt, dann löschen Sie den Fehler",
    "INTERLOCK_LOST INTERLOCK_PORT": "Die Verriegelung antwortet nicht: prüfen Sie Strom und Kabel",
    INTERLOCK_BUDGET: "Die Verriegelung lässt der Pumpe heute keine Zeit mehr",
    "INTERLOCK_LIMITS RELAY_WELDED PIN_FAILED":
      "Ein Relais oder die Verriegelung ist gestört: „Der Doktor“ unter „Haus“ hilft",
    TANK_EMPTY: "Der Tank ist leer: füllen Sie ihn",
    "INPUT_ACTIVE PULSE_INHIBITED": "Ein Taster oder Sensor hält es an",
    PLAN_EXCEEDED: "Es war mehr als geplant",
    NO_CYCLE: "Der Agent hatte keinen Plan geschrieben",
    CYCLE_EXPIRED: "Der Plan des Agenten war zu alt",
    CYCLE_REFUSED: "Der Plan des Agenten war abgelehnt",
    CARE_TAKEN: "Ein anderer Agent pflegt sie gerade",
    PAUSED: "Die Agenten sind angehalten",
    PUMP_BUSY: "Die Pumpe läuft gerade: warten Sie, bis sie fertig ist",
    "GUARD_LOST PULSE_BUSY PULSE_STALE INTERLOCK_REST INTERLOCK_REFUSED":
      "Die Pumpe ging nicht an, und es floss kein Wasser: noch einmal versuchen",
    CANCELLED: "Es wurde vorher gestoppt; im Verlauf steht, wie viel Wasser floss",
    DOSE_UNCERTAIN: "Wie viel Wasser floss, ist nicht sicher: es zählt ganz. Sehen Sie nach der Pflanze",
    LEDGER_UNAVAILABLE: "Ohne Buch über das Wasser fließt keines: prüfen Sie die Karte",
    LIGHT_ALREADY_ON: "Das Licht ist schon an",
    LIGHT_COOLDOWN: "Das Licht ruht noch",
    NOT_FITTED: "Dieses Teil ist nicht vorhanden",
    "BUS_NACK BUS_FAILED BUS_TIMEOUT CONVERSION_TIMEOUT SENSOR_FAULT SENSOR_IMPLAUSIBLE SENSOR_STUCK":
      "Der Sensor antwortet nicht richtig: prüfen Sie sein Kabel",
    ...PROBE_TROUBLES,
    "CAMERA_FAILED CAMERA_PROGRAM_MISSING": "Die Kamera ist gestört",
    "OUTCOME_UNKNOWN IDEMPOTENCY_CONFLICT RESULT_ERASED JOB_UNKNOWN":
      "Ob es getan wurde, ist nicht bekannt: sehen Sie nach, bevor Sie es wiederholen",
    "BRIDGE_AWAY BRIDGE_TAKEN JOB_FAILED JOB_UNANSWERED JOBS_BUSY PROVIDER_CHANGED PROVIDER_REFUSED":
      "Die Brücke ins Internet konnte es jetzt nicht tun",
    FORBIDDEN: "Das darf dieser Zugang nicht",
    "UNAUTHORIZED SESSION_REFUSED":
      "Dieser Link oder Zugang gilt nicht: auf dem Rechner des Servers macht tendril open einen neuen",
    PAGE_REFUSED: "Öffnen Sie die Seite unter der Adresse des Servers selbst",
    RATE_LIMITED: "Das ist zu oft: später noch einmal versuchen",
    "STORE_FAILED NO_ROOM TOKENS_UNREAD":
      "Der Server kann nicht speichern: prüfen Sie, ob seine Karte voll oder kaputt ist",
    STATE_IN_USE: "Ein anderer Server benutzt denselben Ordner: beenden Sie einen der beiden",
    BACKUP_FAILED:
      "Mit den Sicherungen ging es nicht: auf dem Rechner des Servers sagt tendril backup, warum",
    DOCTOR_FAILED:
      "Der Doktor konnte nicht nachsehen: rufen Sie auf dem Rechner des Servers tendril doctor auf",
    TOO_LATE:
      "Es kam zu spät, weil die Speicherkarte zu langsam war, und nichts ging an: noch einmal versuchen",
    STOPPING: "Der Server wird neu gestartet: gleich noch einmal versuchen",
    INTERNAL: "Ein Fehler von Tendril: das Log des Servers sagt mehr",
    MEDIA_FULL: "Für Dateien ist kein Platz mehr: löschen Sie Erinnerungen mit Dateien",
    MEDIA_REFUSED: "Es gehen nur Fotos, PDF und Text",
    REQUEST_TOO_LARGE: "Es gehen höchstens 10 MB",
    TIME_NOT_UNDERSTOOD: "Diese Zeit wurde nicht verstanden. Schreiben Sie sie englisch: tomorrow at 9.",
    TIME_AMBIGUOUS: "Das kann mehr als eine Zeit heißen: schreiben Sie es genauer",
    TIME_PAST: "Diese Zeit ist schon vorbei",
    "NOT_SIMULATED BENCH_FIXED": "Das geht nur auf dem Prüfstand von npm start",
    NO_LINK: "Keine Verbindung: noch einmal versuchen, wenn es eine gibt",
    "NO_ANSWER REQUEST_TIMEOUT":
      "Der Server hat nicht rechtzeitig geantwortet: sehen Sie nach, ob es getan wurde, und versuchen Sie es noch einmal",
  }),
  refusalsThen: byCode({
    SOIL_WET: "Der Boden war zu nass",
    BUDGET_EXCEEDED: "Von der 24-Stunden-Menge war zu wenig übrig",
    AWAITING_SOIL: "Der Fühler zeigte die letzte Gabe noch nicht",
    PROBE_FAULT: "Der Feuchtefühler war gestört",
    HOLD: "Es war angehalten",
    "INTERLOCK_LOST INTERLOCK_PORT": "Die Verriegelung antwortete nicht",
    TANK_EMPTY: "Der Tank war leer",
    "INPUT_ACTIVE PULSE_INHIBITED": "Ein Taster oder Sensor hielt es an",
    CARE_TAKEN: "Ein anderer Agent pflegte sie gerade",
    PAUSED: "Die Agenten waren angehalten",
  }),
  holdMeans: "Nichts wird eingeschaltet, bis ein Mensch fortsetzt.",
  holdWould:
    "Angehalten wird nichts eingeschaltet, bis ein Mensch fortsetzt. Was an ist, läuft bis zu seinem Ende: „Alles aus“ beendet es.",
  isHeld: "Angehalten",
  probeIsFaulty: "Der Feuchtefühler ist gestört",
  toNow: "Unter „Jetzt“ ansehen",
  toTasks: "Zu den Aufgaben",
  andMore: (count) => `und ${count} weitere`,
  resume: "Fortsetzen",
  clear: "Ich habe mich gekümmert: löschen",
  locked: {
    NO_RESPONSE: "Kein Wasser mehr: der Boden hat auf die letzten Gaben nicht reagiert",
    LEAK: "Kein Wasser mehr: ein Lecksensor hat Wasser gemeldet",
    INTERLOCK: "Kein Wasser und kein Licht: die Verriegelung hat sie gestoppt",
  },
  lockedElse: "Kein Wasser mehr: etwas ist gestört",
  whatToDo: {
    NO_RESPONSE: "Prüfen Sie Schlauch, Tank und Fühler, dann löschen Sie.",
    LEAK: "Finden Sie das Leck, trocknen Sie den Sensor, dann löschen Sie.",
    INTERLOCK: "Beheben Sie, was die Verriegelung nennt, dann löschen Sie.",
  },
  probe: (since) =>
    `Der Feuchtefühler ist seit ${since} gestört. Prüfen Sie Fühler und Kabel; „Der Doktor“ unter „Haus“ hilft.`,
  probeTroubles: PROBE_TROUBLES,
  failed: "Das hat nicht geklappt. Der Server sagt, auf Englisch:",
  failedAs: {},
  asks: "Wartet auf Ihr Ja",
  asksPeople: "Wartet auf das Ja eines Menschen",
  wants: (agent, words, plant) => `${agent} möchte: ${words}${plant ? ` (${plant})` : ""}`,
  afterReading: (sources) =>
    `Er hat vorher Worte von außen gelesen: ${sources.join(", ")}. Sie könnten ihn dazu gebracht haben.`,
  because: (reasoning) => `Sein Grund: ${reasoning}`,
  wish: wishInGerman,
  scope: ({ tool, scope }, plant) =>
    `Ein Ja gilt für ${{ turn_on_light: `alles Licht von ${plant} in diesem Durchgang`, dispense_water: `alles Wasser für ${plant} in diesem Durchgang` }[tool] ?? scope}.`,
  expires: (seconds) =>
    `Keine Antwort in ${seconds > 90 ? `${Math.round(seconds / 60)} min` : `${seconds} s`} gilt als Nein.`,
  approve: "Erlauben",
  refuse: "Ablehnen",
  answered: (isYes, what) => `${isYes ? "Erlaubt" : "Abgelehnt"}: ${what}`,
  cameOf: {
    approved: "Der Agent hat Ihr Ja noch nicht genutzt.",
    used: "Der Agent hat Ihr Ja genutzt.",
  },
  another: (count, planned) =>
    planned === undefined
      ? `Das ist eine neue Anfrage: ${count === 2 ? "eine solche kam" : `${count - 1} solche kamen`} schon vorher.`
      : `Das ist Gabe ${count} von ${planned} im Plan des Agenten.`,
  warnings: "Über das Gerät",
  rooms: "Räume",
  room: (figures) => roomInWords(figures, ",", { humidity: "Luftfeuchte" }),
  roomFault: "Sensor gestört",
  ranges: { hour: "Stunde", day: "Tag", week: "Woche", month: "Monat", year: "Jahr", all: "Alles" },
  range: "Zeitraum",
  plant: "Pflanze",
  airOf: "Luft von",
  earlier: "Früher",
  later: "Später",
  chart: (name, from, to) =>
    `Bodenfeuchte von ${name} von ${from} bis ${to}, mit Wassergaben und Durchgängen. Dasselbe steht unten als Liste.`,
  coverage: (having, all, since) => {
    if (having === 0) return "Aus dieser Zeit gibt es keine Messungen.";
    const share = `für ${whole((100 * having) / all)} %`;
    if (since === undefined) return `Messungen ${share} dieser Zeit.`;
    return having === all
      ? `Messungen seit ${since}.`
      : `Messungen seit ${since}: ${share} der Zeit seitdem.`;
  },
  dosesHidden: (count) => `${count} weitere Gaben liegen zu nah an anderen für die Liste.`,
  sums: "Über mehr als eine Woche ist ein Balken die Summe einiger Zeit und steht bei ihren Gaben; einzelne Gaben und Durchgänge fehlen in der Liste.",
  whyNot: "Warum hast du nicht gegossen?",
  whyWater: "Warum hast du gegossen?",
  fromRecord: "Aus den Aufzeichnungen:",
  yesterday: "Gestern",
  lastDay24: "Letzte 24 Stunden",
  reason: reasonInGerman,
  table: "Tabelle zum Diagramm",
  csv: "Als CSV speichern",
  csvEvents: "Ereignisse als CSV speichern",
  note: "Notiz",
  noteAbout:
    "Was Sie getan oder gesehen haben, etwa: umgetopft. Der Agent liest es, und es bleibt im Verlauf.",
  noteLabel: "Ihre Notiz",
  noteSave: "Speichern",
  addFile: "Foto oder Datei",
  removeFile: (name) => `${name} wieder wegnehmen`,
  filesOf: (count) => (count === 0 ? "" : ` (${count === 1 ? "mit einer Datei" : `mit ${count} Dateien`})`),
  remember: "Etwas zum Merken",
  columns: ["Von", "Bis", "Feuchte", "Messungen", "Wasser", "Gaben"],
  events: "Was geschehen ist",
  quietCycles: (count, since) =>
    count === 1
      ? "ein Durchgang, der nichts geplant hat"
      : `${count} Durchgänge, die nichts geplant haben, seit ${since}`,
  noEvents: "Aus dieser Zeit ist nichts aufgezeichnet.",
  dose: (ml) => `${whole(ml)} ml Wasser`,
  doseAsked: (ml) => `verlangt: ${whole(ml)} ml`,
  outcomes: {
    ...{ stopped: "vor dem Ende gestoppt", uncertain: "unsicher: zählt ganz" },
    ...{
      pending: "noch nicht zu Ende",
      refused: "abgelehnt",
      ledger_lost: "gezählt nach Verlust der Aufzeichnung",
    },
  },
  by: (who) => `durch ${who}`,
  cycle: "Durchgang",
  cyclePlan: (ml, minutes) => {
    const parts = [
      ...(ml > 0 ? [`${whole(ml)} ml`] : []),
      ...(minutes > 0 ? [`${whole(minutes)} min Licht`] : []),
    ];
    return parts.length === 0 ? "nichts geplant" : `${parts.join(", ")} geplant`;
  },
  cycleRefused: "Plan abgelehnt",
  doseRefused: (ml) => `${whole(ml)} ml abgelehnt`,
  askedBy: (asker, refuser) =>
    `gewünscht durch ${asker}, ${refuser === undefined ? "von niemandem beantwortet" : `abgelehnt durch ${refuser}`}`,
  wasOff: (since, until) =>
    since === undefined
      ? "Der Server ist wieder da: er war aus"
      : `Von ${since} bis ${until} wurde nichts gemessen: der Server war aus`,
  faultSince: (when) => `gestört seit ${when}`,
  lockedSince: (when) => `gesperrt seit ${when}`,
  probeMeans: "Ohne den Fühler fließt kein Wasser, wer auch fragt.",
  outages: { probe: "Fühler gestört", off: "Server aus" },
  control: {
    hold: "Angehalten",
    resume: "Fortgesetzt",
    fault: "Fehler",
    clear: "Fehler gelöscht",
    all_off: "Alles ausgeschaltet",
    tank_empty: "Tank leer",
    tank_filled: "Tank gefüllt",
    probe_fault: "Fühler gestört",
    probe_ok: "Fühler geht wieder",
    camera_fault: "Kamera gestört",
    camera_ok: "Kamera geht wieder",
  },
  status: "Befund",
  thought: "Gedanke",
  hypothesis: "Vermutung",
  doubts: "Unsicher",
  calls: "Aufrufe",
  modelCost: (model, tokens, money) =>
    `${model}: ${tokens} Token${money === null ? "" : `, Kosten ${money}`}`,
  callNames: {},
  callTitles: byCode({
    dispense_water: "gießen",
    turn_on_light: "Licht an",
    capture_photo: "Foto",
    write_plant_status: "Status",
    get_overview: "Überblick",
    get_care_record: "Aufzeichnung",
    read_moisture: "Feuchte",
    get_moisture_history: "Feuchte bisher",
    "get_water_usage_24h get_water_history": "Wasser bisher",
    "get_light_status get_light_history": "Licht bisher",
    turn_off_light: "Licht aus",
    stop_all: "alles aus",
    list_tool: "Listen",
    "task_tool add_task scheduleAgentTask": "Aufgaben",
    "search_knowledge_base retrieve_knowledge": "was das Haus weiß",
    "search_memories recall_user_context save_memory add_memory list_memories": "Erinnerungen",
    "get_user_profile update_user_profile": "Profil",
    search_web: "Suche im Web",
    sendEmail: "Mail",
    "call_ha_service get_entity_state get_ha_entities": "das Haus",
    "send_message_to_human send_chat_message list_chat_messages": "Nachrichten",
    "log_thought save_notes fetch_notes": "Notizen",
    get_current_time: "Uhrzeit",
  }),
  callOutcomes: { running: "…", done: "fertig" },
  noMore: "Mehr ist darüber nicht aufgezeichnet.",
  byPerson: "Ein Mensch hat gegossen.",
  outsideCycle: "Es wurde außerhalb eines Durchgangs gegossen.",
  key: {
    ...{ air: "Luft, °C", photo: "Foto" },
    ...{ moisture: "Feuchte", dose: "Wasser", light: "Licht", cycle: "Durchgang", refused: "abgelehnt" },
    ...{ fault: "Fehler", hold: "angehalten", over: "behoben", note: "Notiz" },
  },
  benchTitle: "Der Prüfstand",
  benchAbout: "Diese Pflanzen sind simuliert. Machen Sie etwas kaputt und sehen Sie, was der Server tut.",
  benchTruth: (truth, said) => `der Boden hat in Wahrheit ${truth}, sein Fühler sagte ${said}`,
  benchSpeed: "Wie schnell seine Zeit vergeht",
  benchTimes: (speed) => (speed === 1 ? "Echtzeit" : `${speed}-fach`),
  troubles: {
    probe_unplugged: {
      breaks: "Fühler abziehen",
      mends: "Fühler wieder anstecken",
      expect:
        "Binnen einer Minute gilt der Fühler als gestört. Bis er zurück ist, fließt für niemanden Wasser.",
    },
    probe_stuck: {
      breaks: "Fühler einfrieren",
      mends: "Fühler wieder messen lassen",
      expect:
        "Der Messwert bleibt gleich und zeigt keine Gabe. Nach etwa 60 ml ohne Antwort wird die Pumpe gesperrt, und Sie erfahren es.",
    },
    tube_off: {
      breaks: "Schlauch abziehen",
      mends: "Schlauch wieder aufstecken",
      expect:
        "Die Gaben gehen neben den Topf. Nach etwa 60 ml ohne Antwort des Bodens ist die Pumpe gesperrt, bis Sie den Fehler löschen.",
    },
    tank_empty: {
      breaks: "Tank leeren",
      mends: "Tank füllen",
      expect:
        "Die Pumpe läuft trocken. Der Boden antwortet nicht, also wird die Pumpe gesperrt wie beim Schlauch.",
    },
    leak: {
      breaks: "Lecksensor nass machen",
      mends: "Lecksensor trocknen",
      expect:
        "Die Pumpe wird sofort gesperrt, auch mitten in einer Gabe, und Sie erfahren es. Sie bleibt gesperrt, bis der Sensor trocken ist und Sie den Fehler löschen.",
    },
    lamp_dead: {
      breaks: "Lampe kaputt machen",
      mends: "Lampe ersetzen",
      expect: "Das Relais schaltet, und es kommt kein Licht. Kein Sensor sieht das: sehen Sie die Fotos an.",
    },
  },
  powerCut: {
    breaks: "Strom abschalten",
    expect:
      "Der Server endet sofort, auch mitten in einer Gabe. Die Pumpe geht mit aus. Er startet in einigen Sekunden von selbst wieder, und eine abgebrochene Gabe zählt ganz.",
  },
  health: "Zustand",
  noTrouble: "Der Server weiß von keinem Fehler.",
  interlock: "Verriegelung:",
  interlockOk: "in Ordnung",
  bridgeConnected: "Das Programm, das mit dem Internet spricht, ist verbunden.",
  bridgeAway: (since) =>
    `Die Brücke, das Programm, das mit dem Internet spricht, ist seit ${since} nicht da: keine Nachrichten, Kalender oder Suchen. Warum, und wie Sie sie starten: tendril status`,
  bridgeProblem: (problem) =>
    `Ein Teil von bridge.yaml funktioniert nicht: ${problem}. Berichtigen Sie die Datei, dann starten Sie die Brücke neu.`,
  channelWorks: (channel, since) => `${channel} funktioniert seit ${since}.`,
  channelDown: (channel, since, why) => `${channel} funktioniert seit ${since} nicht: ${why}.`,
  notReported: "die Brücke hat nichts darüber gemeldet",
  calibration: {
    title: "Feuchtefühler kalibrieren",
    about:
      "Sie brauchen ein Glas Wasser und ein Tuch. Der Fühler wird trocken, nass und im Topf gemessen. Am Ende sehen Sie die Zeilen für die Konfiguration; die Seite selbst ändert daran nichts. Die Pumpe wird auf dem Rechner des Servers kalibriert: tendril calibrate pump.",
    begin: "Beginnen",
    held: "Die Pflanze ist angehalten, bis der Fühler wieder im Topf ist; so gießt niemand nach dem, was er unterdessen misst. Wenn Sie die Seite verlassen, bleibt sie angehalten.",
    heldByOthers: "Die Pflanze war schon angehalten. Das bleibt so.",
    steps: {
      air: "1 von 3: trocken. Fühler abwischen und in die Luft halten. Besser ist ganz trockene Erde wie die im Topf.",
      water:
        "2 von 3: nass. Fühler bis zur Marke auf der Klinge in ein Glas Wasser stellen. Die Elektronik bleibt trocken.",
      pot: "3 von 3: Fühler wieder in den Topf stecken, so tief wie er bleiben soll.",
    },
    expect: {
      air: "Üblich: etwa 2,7 V; ein seesaw etwa 200. Der Wert muss drei Sekunden stillstehen.",
      water:
        "Üblich: etwa 1,2 V; ein seesaw etwa 2000. Der Abstand zu trocken muss mindestens 0,1 V oder 100 sein.",
      pot: "Üblich: zwischen beiden.",
    },
    bench: "Dieser Fühler ist simuliert: er geht von selbst an jeden Ort.",
    measure: "Er ist dort: messen",
    measureAgain: "Noch einmal messen",
    again: "Von vorn mit trocken",
    useAllTheSame: "Trotzdem verwenden",
    giveUp: "Hier aufhören: der Fühler ist wieder im Topf",
    close: "Fertig",
    left: "Die Ansicht wurde verlassen.",
    waiting: (reading) => `${reading}: wartet, bis der Wert stillsteht…`,
    level: (place, level, spread) =>
      `${{ air: "Trocken", water: "Nass", pot: "Im Topf" }[place]}: ${level}, ruhig bis auf ${spread}.`,
    notSteady: (reading) =>
      `Der Fühler kam eine Minute lang nicht zur Ruhe; zuletzt ${reading}. Ist er eingesteckt, ein Draht lose, oder wurde er bewegt? Noch einmal messen.`,
    resembles: (level) =>
      `${level} gibt auch ein Eingang ohne Fühler, oder einer, der an der Versorgung liegt. Ist der Fühler eingesteckt?`,
    troubles: {
      same: "Trocken und nass sind gleich. Der Fühler ist defekt, an einem anderen Kanal, oder wurde nicht bewegt.",
      close: "Trocken und nass liegen zu nah beieinander. War der Fühler bis zur Marke im Wasser?",
      noisy:
        "Das Rauschen ist mehr als ein Zehntel des Abstands von trocken zu nass: ein loser Draht, ein langes Kabel oder eine schlechte Versorgung.",
      unusual:
        "Die meisten Fühler dieser Art gehen von trocken zu nass in die andere Richtung. Wurden trocken und nass vertauscht?",
    },
    span: (span, noise) => `Von trocken zu nass: ${span}. Das Rauschen ist ${noise} % davon.`,
    inPot: (percent) => `Im Topf: ${percent} %.`,
    outside: "Das liegt außerhalb von trocken und nass. War die Klinge beide Male bis zur Marke drin?",
    implausible:
      "Das liegt so weit außerhalb von trocken und nass, dass der Server einen solchen Wert nicht annimmt. Noch einmal kalibrieren, mit der Klinge bis zur Marke.",
    writes:
      "Dieser Befehl schreibt die Kalibrierung, nach Ihrem Ja. Auf einem eingerichteten Pi steht sudo davor. Dann den Server neu starten:",
    byHand: (plant) => `Oder schreiben Sie dies selbst in tendril.yaml, unter „probe“ von ${plant}:`,
  },
  backups: {
    title: "Sicherungen",
    holds:
      "Eine Sicherung enthält alles, was bleibt: Wasser, Licht, Sperren und Fehler, Nachrichten, Aufgaben, Listen, Erinnerungen, Messwerte, die Konfiguration und alle Tokens. Bewahren Sie sie dort auf, wo nur Sie sie lesen können.",
    holdsNot:
      "Sie enthält nicht: Fotos (tendril backup --photos nimmt sie mit), die Sitzungen der Browser und den Ordner des Agenten. tendril restore spielt eine wieder ein.",
    make: "Jetzt sichern",
    none: (folder) => `In ${folder} ist noch keine Sicherung.`,
    where: (folder) =>
      `In ${folder} auf dem Rechner des Servers. Die 14 neuesten bleiben. Sicherungen in anderen Ordnern stehen hier nicht.`,
    of: (when, megabytes) => `${when}, ${megabytes.replace(".", ",")} MB`,
    download: "Herunterladen",
    noDownload:
      "Sie lässt sich nur auf dem Rechner des Servers herunterladen, in der Sitzung des Besitzers. Von anderswo kopieren Sie die Datei mit scp.",
  },
  doctor: {
    title: "Der Doktor",
    names: {
      configuration: "Konfiguration",
      "state folder": "Zustandsordner",
      runtime: "Server",
      board: "Platine",
      power: "Stromversorgung",
      temperature: "Temperatur",
      clock: "Uhr",
      "disk space": "Freier Platz",
      "disk errors": "Fehler der Karte",
      relays: "Relais",
      probes: "Fühler",
      cameras: "Kameras",
      interlock: "Verriegelung",
      bridge: "Brücke",
      channels: "Kanäle",
      service: "Dienst",
      backups: "Sicherungen",
      "user and groups": "Benutzer und Gruppen",
      devices: "Geräte",
    },
    about:
      "Er prüft Gerät, Ordner, Dateien der Verdrahtung, Netz und Brücke und ändert nichts. Solange der Server läuft, lässt er Bus und Kameras in Ruhe. Alles prüft tendril doctor bei beendetem Server. Er schreibt englisch.",
    look: "Jetzt prüfen",
    again: "Noch einmal prüfen",
    busy: "Der Doktor prüft. Auf einem kleinen Rechner dauert das eine halbe Minute.",
    summary: (wrong, when) => (wrong === 0 ? `${when}: nichts gefunden.` : `${when}: ${wrong} zu beheben.`),
    fine: (count) => `${count} in Ordnung`,
    skipped: (count) => `${count} nicht geprüft`,
    verdicts: { failure: "Fehler", warning: "Warnung", skipped: "ausgelassen" },
  },
  tokens: {
    title: "Tokens",
    about:
      "Ein Token ist der Schlüssel einer Person oder eines Programms. Ein weiteres macht der Befehl tendril token add.",
    roles: {
      human: "eine Person: darf alles",
      agent: "ein Agent",
      observer: "sieht und darf ausschalten",
      bridge: "die Brücke zum Internet",
      metrics: "liest die Messzahlen",
    },
    made: (day) => `vom ${day}`,
    used: (when) => `zuletzt benutzt ${when}`,
    unused: "keine Nutzung bekannt",
    revoke: "Widerrufen",
    ends: "Was dieses Token nutzt, ist sofort draußen: seine Programme und die Browser, die damit handeln. Ein widerrufenes Token kommt nicht zurück.",
    lastWayIn:
      "Das ist Ihr eigener Zugang. Ohne ihn schließt sich diese Seite, und die Befehle auf dem Rechner des Servers werden abgelehnt. Dort macht tendril token add human ein neues, und tendril open lässt wieder einen Browser ein.",
  },
  holds: "Anhalten",
  holdReason: "Grund, etwa Urlaub",
  holdAll: "Alles anhalten",
  resumeAll: "Alle Pflanzen fortsetzen",
  sessions: "Zugelassene Browser",
  sessionsHow:
    "Auf dem Rechner des Servers lässt tendril open einen weiteren Browser ein; mit --observer einen Bildschirm, den alle lesen.",
  sessionOf: (token, begun) => `als ${token}, begonnen ${begun}`,
  thisBrowser: "dieser Browser, jetzt",
  endSession: (device) => `Sitzung von ${device} beenden`,
  revoke: "Beenden",
  settings: "Einstellungen",
  settingsHow: "So gelten sie jetzt. Zum Ändern: tendril.yaml bearbeiten und den Server neu starten.",
  isDefault: "(Vorgabe)",
  settingValues: { null: "nicht gesetzt", "": "keine", true: "ja", false: "nein" },
  memories: "Woran sich der Agent erinnert",
  noMemories: "Noch nichts.",
  profile: "Was er über Sie und den Haushalt weiß",
  told: "gesagt",
  inferred: "vermutet",
  sources: {
    CAPTURE: "aus einem Gespräch",
    DIARY: "aufgeschrieben",
    IMPORT: "eingelesen",
    SYSTEM: "vom Server",
  },
  forget: "Vergessen",
  keep: "Behalten",
  forgetMeans:
    "Dieser Eintrag wird für immer gelöscht, mit allen früheren Fassungen. Niemand holt es zurück. Nur Sicherungen, die es schon gibt, enthalten es noch.",
  recalls: {
    title: "Was der Agent abgerufen hat",
    about: "Jede Zeile sagt, wann ein Agent etwas davon bekam, und wofür.",
    turns: {
      care: "für einen Durchgang",
      conversation: "für ein Gespräch",
      task: "für eine Aufgabe",
      none: "außerhalb eines Durchgangs",
    },
    forgotten: (count) => (count === 1 ? "und etwas, das vergessen ist" : `und ${count}, die vergessen sind`),
  },
  every: everyInGerman,
  onDays: (days) => `am ${days}`,
  onMonthDays: (days) => `am ${days}`,
  dayOfMonth: (day) => (day === undefined ? "letzten Tag" : `${day}.`),
  nthDay: (nth, day) => (nth === -1 ? `letzten ${day}` : `${nth}. ${day}`),
  atTimes: (times) => `um ${times}`,
  tasks: "Aufgaben",
  noTasks: "Keine offene Aufgabe.",
  addTask: "Neue Aufgabe",
  due: "Wann (englisch: tomorrow at 9)",
  dueAt: (when) => `fällig ${when}`,
  understood: "Verstanden:",
  nextTimes: "Die nächsten Male",
  addIfRight: "Wenn das stimmt, fügen Sie es hinzu.",
  untimed: (time) => `Ohne Zeit: niemand wird erinnert. Wenn „${time}“ die Zeit ist:`,
  whichTime: "Das kann mehrere Zeiten meinen. Welche?",
  taskTitle: "Aufgabe",
  newTime: "Neue Zeit (leer: bleibt)",
  edit: "Ändern",
  remove: "Löschen",
  removeList: "Liste löschen",
  taskGone: "Die Aufgabe mit ihren Erinnerungen löschen?",
  itemGone: "Den Eintrag endgültig löschen?",
  listGone: "Die Liste mit allem, was darauf steht, endgültig löschen?",
  undo: "Rückgängig",
  changedMeanwhile: (theirs) =>
    `Das hat inzwischen jemand geändert. Es heißt jetzt: ${theirs}. Was Sie geschrieben haben, ist noch nicht gespeichert: „Speichern“ setzt es an dessen Stelle.`,
  keepTheirs: "So lassen, wie es jetzt ist",
  afterDone: (when) => `nach „Erledigt“ wieder ${when}`,
  nextTime: (when) => `(wieder ${when})`,
  add: "Hinzufügen",
  done: "Erledigt",
  noLists: "Noch keine Liste.",
  addItem: "Neuer Eintrag",
  item: "Eintrag",
  newList: "Neue Liste",
  write: "An den Agenten schreiben",
  send: "Senden",
  requestOver: {
    approved: "Ein Mensch hat Ja gesagt.",
    used: "Ein Mensch hat Ja gesagt, und es wurde getan.",
    denied: "Die Antwort war Nein.",
    expired: "Niemand hat rechtzeitig geantwortet: das galt als Nein.",
  },
  requestEndedBy: {
    [HELD]: "Es wurde angehalten: das galt als Nein.",
    [ALL_OFF]: "Alles wurde ausgeschaltet: das galt als Nein.",
  },
  notAsked: (what) => `Nicht mehr gefragt: ${what}`,
  requestEnded: "Diese Anfrage ist vorbei.",
  toRequest: "Unter „Jetzt“ antworten",
  messageNote: "Der Agent liest es am Anfang seines nächsten Durchgangs.",
  noMessages: "Noch keine Nachrichten.",
  fromAgent: "Agent",
  fromRuntime: "Server",
  fromYou: "Sie",
  unread: "noch nicht gelesen",
  of: (person) => `von ${person}`,
};

function everyInGerman(interval: number, unit: RecurrenceUnit): string {
  const [one, many] = {
    minute: ["jede Minute", "Minuten"],
    hour: ["jede Stunde", "Stunden"],
    day: ["jeden Tag", "Tage"],
    week: ["jede Woche", "Wochen"],
    month: ["jeden Monat", "Monate"],
    year: ["jedes Jahr", "Jahre"],
  }[unit] as [string, string];
  return interval === 1 ? one : `alle ${interval} ${many}`;
}

function reasonInGerman(reason: WaterReason, when: (iso: string) => string): string {
  const lasted = (until: string | undefined) => (until === undefined ? "" : ` (bis ${when(until)})`);
  return textBy(reason, "kind", {
    watered: ({ ml, doses, last, by, isPerson, because }) =>
      `Es wurde gegossen: ${whole(ml)} ml in ${doses} ${doses === 1 ? "Gabe" : "Gaben"}, zuletzt ${when(last)} durch ${by}. ${isPerson ? "Die letzte hat ein Mensch gegossen." : because === null ? "Die letzte war außerhalb eines Durchgangs." : `Der Grund: ${because}`}`,
    earlier: ({ ml, at, because }) =>
      `Davor hat der Agent ${whole(ml)} ml gegeben (${when(at)}). Der Grund: ${because}`,
    hold: ({ since, by, reason: why }) => `Angehalten seit ${when(since)} durch ${by}: ${why}`,
    fault: ({ since, code, reason: why }) => `Das Wasser ist gesperrt seit ${when(since)} (${code}): ${why}`,
    held: ({ count, at, by, reason: why, until }) =>
      `${count === 1 ? `Angehalten (${when(at)})` : `${count}-mal angehalten, zuletzt ${when(at)},`} durch ${by}: ${why}${lasted(until)}`,
    locked: ({ count, at, code, reason: why, until }) =>
      `${count === 1 ? `Das Wasser wurde gesperrt: ${when(at)}` : `${count}-mal wurde das Wasser gesperrt, zuletzt ${when(at)}`} (${code}): ${why}${lasted(until)}`,
    probe: ({ since, code }) =>
      `Der Feuchtefühler ist seit ${when(since)} gestört (${code}). Ohne ihn fließt kein Wasser.`,
    budget: ({ left }) => `Von der 24-Stunden-Menge sind nur ${whole(left)} ml übrig, weniger als eine Gabe.`,
    wet: ({ percent, limit }) =>
      `Der Boden hat ${oneComma(percent)} %. Über ${whole(limit)} % fließt kein Wasser.`,
    decided: ({ count, at, reasoning }) =>
      `In ${count} ${count === 1 ? "Durchgang" : "Durchgängen"} hat der Agent kein Wasser geplant. Zuletzt ${when(at)}: ${reasoning}`,
    unfinished: ({ at, ml }) =>
      `${when(at)}: Der Agent hat ${whole(ml)} ml geplant, und nichts ist geflossen: der Aufruf wurde abgelehnt, niemand sagte Ja, oder der Agent endete.`,
    dose_refused: ({ count, at, ml, reason: why }) =>
      `${count === 1 ? "Abgelehnt wurde eine Gabe" : `Mindestens ${count} Gaben wurden abgelehnt, darunter eine`} von ${whole(ml)} ml (${when(at)}): ${why}`,
    refused: ({ count, at, reason: why }) =>
      `Der Server hat ${count} ${count === 1 ? "Plan" : "Pläne"} abgelehnt. Zuletzt ${when(at)}: ${why}`,
    waiting: ({ words }) => `Der Agent möchte: ${words}. Er wartet auf das Ja eines Menschen.`,
    tank_was: ({ count, since, until }) =>
      `${count === 1 ? "Der Tank lief leer" : `Der Tank lief ${count}-mal leer, zuletzt`}: ${when(since)}${lasted(until)}.`,
    probe_was: ({ count, since, until, code }) =>
      `Der Feuchtefühler war ${count === 1 ? "" : `${count}-mal gestört, am längsten `}von ${when(since)} bis ${when(until)}${count === 1 ? " gestört" : ""} (${code}). Ohne ihn fließt kein Wasser.`,
    off: ({ count, since, until }) => {
      const often = count === 1 ? "" : `${count}-mal aus, am längsten `;
      const end = count === 1 ? " aus" : "";
      if (since === null) return `Der Server war ${often}bis ${when(until)}${end}.`;
      return `Der Server war ${often}von ${when(since)} bis ${when(until)}${end}: es wurde nichts gemessen.`;
    },
    nobody: ({ isPast }) => `In dieser Zeit hat kein Agent nachgesehen.${isPast ? "" : " Läuft einer?"}`,
  });
}

function wishInGerman({ tool, arguments: args, words }: AskedFor): string {
  const { ml, minutes, paused, to, subject, body } = args;
  if (tool === "dispense_water" && ml !== undefined) return `${ml} ml gießen`;
  if (tool === "turn_on_light" && minutes !== undefined) return `das Licht für ${minutes} min einschalten`;
  if (tool === "pause_agents" && paused !== undefined)
    return paused ? "die Agenten anhalten" : "die Agenten weiterarbeiten lassen";
  if (tool === "sendEmail" && to !== undefined)
    return `eine E-Mail an ${to} senden, Betreff „${subject}“, Text „${beginning(body, "Zeichen")}“`;
  return words; // of another person's request the arguments are not shown
}

/** What the runtime found wrong in a plan. */
function problemInGerman(problem: StatusProblem): string {
  return textBy(problem, "is", {
    timestamp: ({ claimed, actual }) => `Seine Zeit ist ${claimed ?? "keine"}; die Uhr sagt ${actual}.`,
    reading_unknown: () =>
      "Was er vom Fühler sagt, lässt sich nicht prüfen: aus den letzten 10 Minuten gibt es keine Messung.",
    sensor_reading: ({ claimed, actual, noise }) =>
      `Er sagt, der Fühler habe ${claimed} gemessen; es waren ${actual} (± ${noise}).`,
    water_24h: ({ claimed, actual }) =>
      `Er zählt ${claimed} ml Wasser in 24 Stunden; im Buch stehen ${actual} ml.`,
    light_today: ({ claimed, actual }) => `Er zählt heute ${claimed} min Licht; es waren ${actual} min.`,
    step: ({ order }) => `Schritt ${order} hat keinen möglichen Wert.`,
    beyond_limit: ({ planned_ml, left_ml }) =>
      `Er plant ${planned_ml} ml; von der 24-Stunden-Menge sind ${left_ml} ml übrig.`,
    probe_faulty: () => "Er plant Wasser, und der Feuchtefühler ist gestört.",
    wet_soil: ({ percent, limit_percent }) =>
      `Er plant Wasser, und der Boden hat ${oneComma(percent)} %; über ${whole(limit_percent)} % fließt kein Wasser.`,
    light_unavailable: ({ is_on, minutes }) =>
      `Er plant Licht, und es ${is_on ? "ist schon an" : "ruht noch"}: ${minutes} min lang.`,
    hold: ({ reason }) => `Die Pflanze ist angehalten: ${reason}.`,
    fault: ({ code }) => `Es gibt einen Fehler: ${code}.`,
    not_fitted: ({ action }) => `Die Pflanze hat ${action === "water" ? "keine Pumpe" : "kein Licht"}.`,
  });
}
