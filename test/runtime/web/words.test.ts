import t from "tap";
import { DRIVER_ERRORS } from "../../../drivers/errors.js";
import { RUNTIME_ERRORS } from "../../../runtime/services/modules.js";
import { calledAs, onPage } from "../../../runtime/web/page/called-as.js";
import { fetchWords, wordsFor } from "../../../runtime/web/page/languages.js";
import { Names, planRefusalIn, reasonIn, refusalThen, refuserIn } from "../../../runtime/web/page/names.js";
import { recurrenceInWords } from "../../../runtime/web/page/recurrence.js";
import type { StatusProblem } from "../../../runtime/wire/status-problems.js";
import type { WaterReason } from "../../../runtime/wire/why-water.js";

const LANGUAGES = ["en", "de", "es", "pt"];
t.before(async () => {
  t.equal(wordsFor(["de"]).language, "en-GB", "English until they are there");
  await Promise.all(LANGUAGES.map((language) => fetchWords([language])));
});
const AT = "2026-06-02T08:00:00.000Z";

const REASONS: readonly WaterReason[] = [
  { kind: "watered", ml: 20, doses: 1, last: AT, by: "agent", isPerson: false, because: "dry" },
  { kind: "watered", ml: 20, doses: 2, last: AT, by: "human", isPerson: true, because: null },
  { kind: "watered", ml: 20, doses: 2, last: AT, by: "agent", isPerson: false, because: null },
  { kind: "hold", since: AT, by: "human", reason: "holiday" },
  { kind: "fault", code: "LEAK", since: AT, reason: "wet" },
  { kind: "held", count: 1, at: AT, by: "human", reason: "holiday" },
  { kind: "locked", count: 1, at: AT, code: "LEAK", reason: "wet" },
  { kind: "held", count: 2, at: AT, by: "human", reason: "holiday" },
  { kind: "locked", count: 2, at: AT, code: "LEAK", reason: "wet" },
  { kind: "probe", code: "PROBE_STUCK", since: AT },
  { kind: "budget", left: 9 },
  { kind: "wet", percent: 60, limit: 55 },
  { kind: "dose_refused", count: 1, at: AT, ml: 20, code: "SOIL_WET", reason: "the soil is wet" },
  { kind: "dose_refused", count: 3, at: AT, ml: 20, code: "SOIL_WET", reason: "the soil is wet" },
  { kind: "refused", count: 1, at: AT, reason: "wrong" },
  { kind: "decided", count: 2, at: AT, reasoning: "moist" },
  { kind: "unfinished", at: AT, ml: 20 },
  { kind: "waiting", words: "pour 20 ml" },
  { kind: "probe_was", count: 1, since: AT, until: AT, code: "PROBE_STUCK" },
  { kind: "probe_was", count: 2, since: AT, until: AT, code: "PROBE_STUCK" },
  { kind: "held", count: 1, at: AT, until: AT, by: "human", reason: "holiday" },
  { kind: "locked", count: 2, at: AT, until: AT, code: "LEAK", reason: "wet" },
  { kind: "tank_was", count: 1, since: AT },
  { kind: "tank_was", count: 3, since: AT, until: AT },
  { kind: "off", count: 1, since: AT, until: AT },
  { kind: "off", count: 2, since: null, until: AT },
  { kind: "nobody", isPast: false },
  { kind: "nobody", isPast: true },
];

t.test("the first language that the page has is taken, and English if it has none", async (t) => {
  const taken = (...languages: (string | undefined)[]) => wordsFor(languages).language;
  t.equal(taken("pt-BR", "de"), "pt");
  t.equal(taken(undefined, "fr-FR", "de-AT", "en"), "de");
  t.equal(taken("fr"), "en-GB");
  t.equal(taken(), "en-GB");
});

t.test("what a room's sensor measures is told with its name where the unit does not say it", async (t) => {
  const figures = { temperature_c: 21.44, humidity_percent: 45.5, pressure_hpa: 1013.2 };
  const told = LANGUAGES.map((language) => wordsFor([language]).room(figures));
  t.same(told, [
    "21.4 °C, 46 % humidity, 1013 hPa",
    "21,4 °C, 46 % Luftfeuchte, 1013 hPa",
    "21,4 °C, 46 % de humedad, 1013 hPa",
    "21,4 °C, 46 % de humidade, 1013 hPa",
  ]);
});

t.test("every reason has words in every language, with its figures, and no word is missing", async (t) => {
  for (const language of LANGUAGES) {
    const words = wordsFor([language]);
    for (const reason of REASONS)
      t.notMatch(
        words.reason(reason, () => "08:00"),
        /undefined|null|NaN|^$/,
        `${language} ${reason.kind}`,
      );
    t.match(words.reason({ kind: "budget", left: 9 }, String), /9 ml/, language);
    for (const of of REASONS.filter((reason) => "count" in reason && reason.count > 1))
      t.match(
        words.reason(of, () => "08:00"),
        /[23]/,
        `${language} ${of.kind}: how often`,
      );
  }
});

t.test("a recurrence is told in words, and one that the page cannot read as it is", async (t) => {
  const told = (rule: string, language = "en") => recurrenceInWords(rule, wordsFor([language]));
  t.equal(told("FREQ=DAILY;INTERVAL=2;BYHOUR=18;BYMINUTE=30"), "every 2 days at 18:30");
  t.equal(told("FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=7", "de"), "jede Woche am Montag und Freitag um 07:00");
  t.equal(told("FREQ=MONTHLY;BYMONTHDAY=1,-1", "es"), "cada mes el día 1 y último día");
  t.equal(told("FREQ=MONTHLY;BYDAY=2MO,-1FR", "en"), "every month on the 2nd Monday and the last Friday");
  t.equal(told("FREQ=MONTHLY;BYMONTHDAY=-1", "de"), "jeden Monat am letzten Tag");
  t.equal(told("FREQ=MONTHLY;BYDAY=2MO,-1SA", "pt"), "todos os meses (2.ª segunda-feira e último sábado)");
  t.equal(told("FREQ=HOURLY;BYSETPOS=3"), "FREQ=HOURLY;BYSETPOS=3");
});

t.test(
  "what waits for a yes is told in the reader's language; what is not shown stays as the runtime says it",
  async (t) => {
    const asked = (tool: string, args: object, words = "as it is said in English") => ({
      tool,
      arguments: { ...args },
      words,
      scope: "all light of Basil in this cycle, 30 min planned",
    });
    const water = asked("dispense_water", { ml: 15 });
    const told = (language: string) => wordsFor([language]).wish(water);
    t.same(["en", "de", "es", "pt"].map(told), [water.words, "15 ml gießen", "regar 15 ml", "regar 15 ml"]);
    for (const language of ["de", "es", "pt"]) {
      const { wish, scope, reasons } = wordsFor([language]);
      const all = [
        wish(asked("turn_on_light", { minutes: 30 })),
        wish(asked("pause_agents", { paused: true })),
        wish(asked("pause_agents", { paused: false })),
        wish(asked("sendEmail", { to: "a@b.c", subject: "S", body: "x".repeat(301) })),
      ];
      t.equal(new Set(all).size, 4);
      for (const each of all) t.notMatch(each, /English|undefined/);
      t.match(all[3], /a@b.c.*S.*x{300}… \(301/);
      t.equal(wish(asked("sendEmail", {})), "as it is said in English", "another person's mail");
      t.equal(wish(asked("weld", { a: 1 })), "as it is said in English");
      t.notMatch(scope(asked("turn_on_light", {}), "Basil"), /planned|English/);
      t.match(scope(asked("weld", {}), "Basil"), /30 min planned/);
      t.notMatch(reasons["switched off on the page"], /undefined|page/);
    }
  },
);

t.test("a time stands well in every sentence, with its day and without", async (t) => {
  for (const when of ["08:00", "29 nov, 08:00"]) {
    t.equal(wordsFor(["es"]).dueAt(when), `vence: ${when}`);
    t.equal(wordsFor(["pt"]).dueAt(when), `prazo: ${when}`);
    for (const language of LANGUAGES)
      t.notMatch(wordsFor([language]).grows(20, when), /a las|às|um \d/, language);
  }
});

t.test("Portuguese is of one country", async (t) => {
  const brazil = /\b(você|conex[ãa]o|conectad|umidade|arquivo|registro|intertrav|tela|celular|baixar)/i;
  for (const said of saidIn(wordsFor(["pt"]))) t.notMatch(said, brazil);
});

/** Every text of a table; of its functions, their sources. */
function saidIn(value: unknown): readonly string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(saidIn);
  return [String(value)].filter((text) => text !== "Você"); // a heading, which both countries write
}

t.test("people and agents are told by name, in place of tokens and ids", async (t) => {
  const people = [
    { user_id: "anna", name: "Anna Rot", tokens: ["human.a", "agent.anna"] },
    { user_id: "ben", name: null, tokens: [] },
  ];
  const names = new Names(wordsFor(["en"]), people);
  t.equal(names.whom("human.a"), "Anna Rot");
  t.equal(names.whom("anna@telegram"), "Anna Rot (telegram)");
  t.equal(names.whom("human.ben"), "ben", "one without a name, by the token of that name");
  t.equal(names.whom("human"), "a person");
  t.equal(names.whom("agent.anna"), "the agent anna", "her agent is not she");
  t.equal(names.doer("agent"), "The agent");
  t.equal(names.doer("agent.claude"), "The agent claude");
  const holder = (token: string, role: string) => names.holder({ token, role });
  t.equal(holder("human.a", "human"), "Anna Rot");
  t.equal(holder("human", "human"), "the owner");
  t.equal(holder("observer.kitchen", "observer"), "a shared screen");
  t.equal(holder("agent.claude", "agent"), "the agent claude");
});

t.test(
  "commands are told as a person types them here; files and other programs keep their names",
  async (t) => {
    const words = {
      how: "edit tendril.yaml, then: sudo tendril serve",
      of: (when: string) => ({
        text: `since ${when}; tendril doctor helps`,
        unit: "systemctl start tendril-bridge",
      }),
      columns: ["tendril off"],
      about: undefined,
    };
    const here = calledAs(words, "./tendril");
    t.equal(here.how, "edit tendril.yaml, then: sudo ./tendril serve");
    t.same(here.of("08:00"), {
      text: "since 08:00; ./tendril doctor helps",
      unit: "systemctl start tendril-bridge",
    });
    t.same(here.columns, ["./tendril off"]);
    t.equal(calledAs(words, "tendril"), words);
    t.equal(calledAs(words, undefined), words);
  },
);

t.test(
  "no word names a unit of systemd: a clone has none, and `tendril status` says what helps",
  async (t) => {
    for (const language of LANGUAGES) {
      const words = wordsFor([language]);
      for (const said of saidIn(words)) t.notMatch(said, /systemctl|tendril-bridge/, language);
      t.match(calledAs(words, "./tendril").bridgeAway("08:00"), / \.\/tendril status$/, language);
    }
  },
);

t.test("a command in a text of the runtime is the page's button, wherever the program lies", async (t) => {
  const words = wordsFor(["en"]);
  const told = (text: string) => onPage(text, words, "./tendril", (id) => id === 12);
  for (const command of ["tendril off", "./tendril off", "/opt/plants/tendril off", "`./tendril off`"])
    t.equal(told(`by a person: ${command}`), `by a person: “${words.off}”`);
  t.equal(told("/dev/tendril offline"), "/dev/tendril offline");
  for (const dose of ["tendril water 15", "./tendril water 20 --plant basil", "`tendril water ML`"])
    t.equal(told(`or with: ${dose}.`), "or with: “Water” (Now).");
  t.equal(told("tendril waters"), "./tendril waters");
  t.equal(told("`tendril hold` stops me"), `“${words.holdAll}” (House) stops me`);
  t.equal(told("in `./tendril chat` I"), "in “Chat” I");
  t.equal(told("tendril approve 2, or: tendril deny 2"), "“Approve” (Now), or: “Refuse” (Now)");
});

t.test("a text whose matter is over has whole sentences, without what there was to do", async (t) => {
  const words = wordsFor(["en"]);
  const told = (text: string, isPast: boolean) =>
    onPage(text, words, "./tendril", (id) => isPast || id === 12);
  t.equal(
    told('The tray "x.y" is wet, 3.5 ml. Dry it, then: tendril clear basil. It comes again.', true),
    'The tray "x.y" is wet, 3.5 ml. It comes again.',
  );
  t.equal(told("Off.\nOn hold; once all is well: ./tendril resume", true), "Off.");
  t.equal(told("Here it waits for: tendril approve 12", false), "This request is over.");
  t.equal(
    told("I asked. It waits for: tendril approve 12\nSoon.", false),
    "I asked. This request is over.\nSoon.",
  );
});

t.test(
  "what a person meets while pressing is told in plain English too, with the page's own buttons",
  async (t) => {
    const { refusals } = wordsFor(["en"]);
    for (const code of `HOLD NO_RESPONSE LEAK INTERLOCK INPUT_ACTIVE TANK_EMPTY PROBE_FAULT AWAITING_SOIL PUMP_BUSY CANCELLED
DOSE_UNCERTAIN INVALID_ARGUMENT UNKNOWN_TASK MEDIA_FULL`.split(/\s/))
      t.notMatch(refusals[code], /undefined|a person|tendril|call again|^$/, code);
  },
);

/** What no person meets on the page: at a start, over other ways than the page's, and what only agents and bridges do wrong. */
const NEVER =
  `STATE_TOO_NEW STATE_TOO_OLD BACKUP_INVALID BACKUP_CANNOT_START RESTORE_UNFINISHED IMPORT_INVALID IMPORT_REFUSED
LISTEN_FAILED TOKENS_INVALID TLS_FAILED PAIRING_REFUSED PAIRING_UNAVAILABLE ORIGIN_REFUSED NO_ROUTE METHOD_NOT_ALLOWED OWN_WAY_IN
NO_TURN TURN_OVER TURN_TAKEN TOO_MANY_TURNS NOTHING_TO_ANSWER PATH_OUTSIDE TOO_MANY_LINKS LINK_NOT_PRIVATE TOO_MANY_CHANNELS
JOB_GONE NO_CHANNEL UNKNOWN_ACCOUNT CODE_REFUSED NOBODY_REACHED DISK_NEARLY_FULL
BUS_MISSING BUS_FORBIDDEN SENSOR_UNKNOWN PULSE_TOO_LONG PULSE_INVALID GUARD_BUSY OFF_LIST_FAILED PIN_UNKNOWN GPIO_MISSING
OUTPUT_UNSAFE OUTPUT_MISMATCH PACKAGE_UNAVAILABLE FLOW_TOO_LOW REPLAY_INVALID REPLAY_GAP BENCH_OPTION_INVALID BENCH_STATE_INVALID
BENCH_STATE_FAILED`.split(/\s/);

t.test("every refusal that a person can meet has words in each language", async (t) => {
  const codes = Object.keys({ ...RUNTIME_ERRORS, ...DRIVER_ERRORS });
  for (const language of ["de", "es", "pt"]) {
    const { refusals } = wordsFor([language]);
    t.same(
      codes.filter((code) => !NEVER.includes(code) && refusals[code] === undefined),
      [],
      language,
    );
  }
});

t.test("the name of a button in a text has the quotes of its language", async (t) => {
  const told = (language: string) => onPage("or: tendril off", wordsFor([language]), undefined, () => false);
  t.same(["en", "de", "es", "pt"].map(told), [
    "or: “Everything off”",
    "or: „Alles aus“",
    "or: «Apagar todo»",
    "or: «Desligar tudo»",
  ]);
});

t.test("a refusal that is over is told in the past, without what there was to do", async (t) => {
  const german = wordsFor(["de"]);
  t.equal(refusalThen(german, "HOLD"), "Es war angehalten");
  t.equal(refusalThen(german, "NO_RESPONSE"), "Der Boden hat auf die letzten Gaben nicht reagiert");
  t.equal(refusalThen(german, "PLAN_EXCEEDED"), "Es war mehr als geplant");
  t.equal(refusalThen(wordsFor(["en"]), "HOLD"), undefined, "the runtime's own words, as it said them");
  const present = {
    de: /\b(?:ist|zeigt|hält|Sie)\b/,
    es: /\b(?:está|falla|muestra)\b/,
    pt: /\b(?:está|falha|mostra)\b/,
  };
  const codes =
    "HOLD SOIL_WET BUDGET_EXCEEDED AWAITING_SOIL PROBE_FAULT TANK_EMPTY INPUT_ACTIVE NO_RESPONSE LEAK INTERLOCK";
  for (const [language, isPresent] of Object.entries(present))
    for (const code of codes.split(" "))
      t.notMatch(refusalThen(wordsFor([language]), code), isPresent, `${language} ${code}`);
});

t.test(
  "a no is of who said it, and the runtime's where its rules or its end of a request said it",
  async (t) => {
    const asked = "agent may not pour 20 ml (request 7)";
    t.equal(refuserIn(`${asked}: human.anna said no`), "human.anna");
    t.equal(refuserIn(`${asked}: runtime said no (its token is gone)`), "runtime");
    t.equal(refuserIn(`${asked}: the token of the agent is gone`), "runtime", "after a restart");
    t.equal(refuserIn("the soil reads 61 %"), "runtime");
  },
);

t.test("what was wrong with a plan has words in each language, with its figures", async (t) => {
  const problems: readonly StatusProblem[] = [
    { is: "timestamp", claimed: null, actual: AT, tolerance_minutes: 5 },
    { is: "reading_unknown" },
    { is: "sensor_reading", claimed: 12, actual: 34, noise: 5, at: AT },
    { is: "water_24h", claimed: 12, actual: 34 },
    { is: "light_today", claimed: 12, actual: 34 },
    { is: "step", order: 12, action: "light", value: null },
    { is: "beyond_limit", planned_ml: 12, left_ml: 34 },
    { is: "probe_faulty" },
    { is: "wet_soil", percent: 61.2, limit_percent: 55, from: "fitted" },
    { is: "light_unavailable", is_on: true, minutes: 12 },
    { is: "hold", reason: 'stop button "red" pressed' },
    { is: "fault", code: "LEAK", reason: "wet", forbids: ["water"] },
    { is: "not_fitted", action: "water" },
  ];
  for (const language of ["de", "es", "pt"]) {
    const words = wordsFor([language]);
    const told = problems.map((each) => planRefusalIn(words, { reason: "English", problems: [each] }) ?? "");
    t.equal(new Set(told).size, problems.length);
    for (const text of told) t.notMatch(text, /undefined|null|English|pressed/, language);
    t.match(told.join(" "), /12.*34.*12 ml.*34 ml.*12 min.*34 min.*61,2 %.*55 %.*"red".*LEAK/s);
  }
  t.equal(planRefusalIn(wordsFor(["en"]), { reason: "English", problems }), undefined, "the runtime's own");
  t.equal(planRefusalIn(wordsFor(["es"]), { reason: "English" }), undefined, "an old record");
});

t.test(
  "a reason of the runtime's is told in the reader's language, with the name in it; a person's stays",
  async (t) => {
    const told = (reason: string) => reasonIn(wordsFor(["es"]), reason);
    t.equal(told('stop button "the "red" $& one" pressed'), 'botón de parada "the "red" $& one" pulsado');
    t.equal(told("a person asked for it"), "lo pidió una persona");
    t.equal(told('on "holiday"'), 'on "holiday"');
  },
);
