import t from "tap";
import { notificationWords } from "../../../runtime/wire/notification-words.js";
import { type News, type NewsKind, newsIn } from "../../../runtime/wire/notifications.js";

const TELLING = {
  plant: "basil",
  name: (plant: string) => (plant === "basil" ? "Basil" : plant),
  clock: (at: string) => `${at.slice(11, 16)} UTC`,
  remedy: (code: string) =>
    ({ PIN_FAILED: "check the pin", INTERLOCK_FAULT: "look", PROBE_DISCONNECTED: "plug it in" })[code],
};
const RELAY = {
  code: "PIN_FAILED",
  trouble: { part: "basil-pump", during: "switching_off", reasons: ["EIO"] },
} as const;
const UNCARED = {
  plant: "basil",
  hours: 36,
  since: "2026-06-01T08:00:00.000Z",
  ever_cared: true,
  attempt: null,
  obstacle: null,
};

const uncared = (changes: object): News =>
  newsIn({ kind: "uncared", data: { period_hours: 36, plants: [{ ...UNCARED, ...changes }] } }) as News;

/** What a person reads at a terminal, word for word. The one place where a test holds it. */
const WORDS: readonly (readonly [News, string])[] = [
  [
    { kind: "hardware_trouble", data: { ...RELAY, held: false } },
    "The hardware reports: basil-pump could not be switched off (EIO): check the pin (PIN_FAILED)",
  ],
  [
    { kind: "hardware_trouble", data: { ...RELAY, held: true } },
    "The hardware reports: basil-pump could not be switched off (EIO): check the pin (PIN_FAILED). Everything is on hold. Please see that no pump and no light is on that should not be; once all is well, lift the hold with: tendril resume",
  ],
  [
    {
      kind: "task_due",
      data: {
        task_id: "0b8f6a52-9d5c-4a0e-9a06-9f3f5cf0a001",
        title: "call Juan",
        due_at: "2026-06-01T08:00:00.000Z",
        priority: 1,
        user_id: "ana",
        name: "Ana Lima",
        by: "ana@chat",
        by_name: "Ana Lima",
      },
    },
    "Task of Ana Lima due at 2026-06-01T08:00:00.000Z: call Juan (added by Ana Lima). Once it is done: tendril task done 0b8f6a, or: tendril task later 0b8f6a",
  ],
  [
    {
      kind: "task_due",
      data: {
        task_id: "0b8f6a52-9d5c-4a0e-9a06-9f3f5cf0a001",
        title: "call Juan",
        due_at: "2026-06-01T08:00:00.000Z",
        priority: 1,
        user_id: "household",
        by: "agent",
        late_minutes: 240,
      },
    },
    "Task due at 2026-06-01T08:00:00.000Z: call Juan (added by the agent). This reminder comes 4 hours late. Once it is done: tendril task done 0b8f6a, or: tendril task later 0b8f6a",
  ],
  [
    { kind: "interlock_fault", data: { code: "INTERLOCK_FAULT", faults: ["no heartbeat", "a stop"] } },
    "The hardware reports: the interlock has switched off: no heartbeat, a stop: look (INTERLOCK_FAULT). Neither water nor light is given to any plant (INTERLOCK). Please see to the cause, then clear the fault with: tendril clear",
  ],
  [
    { kind: "stop_pressed", data: { input: "red button" } },
    'The stop button "red button" was pressed: everything is off and on hold. Once the button is released and all is well, lift the hold with: tendril resume',
  ],
  [
    { kind: "leak", data: { input: "tray", plants: ["basil"] } },
    'The leak sensor "tray" is wet, so Basil will get no water (LEAK). Please find the leak and dry the sensor, then clear the fault with: tendril clear basil',
  ],
  [
    { kind: "leak", data: { input: "tray", plants: ["basil", "fern"] } },
    'The leak sensor "tray" is wet, so Basil, fern will get no water (LEAK). Please find the leak and dry the sensor, then clear the fault with: tendril clear',
  ],
  [
    { kind: "tank_empty", data: { input: "can", plants: ["basil"] } },
    'The tank "can" is empty, so Basil will get no water (TANK_EMPTY). Please fill it; there is nothing to clear afterwards.',
  ],
  [
    { kind: "probe_fault", data: { code: "PROBE_DISCONNECTED", since: "2026-06-01T08:00:00.000Z" } },
    "The moisture probe of Basil is faulty since 08:00 UTC: plug it in (PROBE_DISCONNECTED). No water flows until it works again.",
  ],
  [{ kind: "probe_works", data: {} }, "The moisture probe of Basil works again."],
  [
    { kind: "water_unanswered", data: { unanswered_ml: 20, minutes: 15, dose: 7 } },
    "The soil of Basil has not got wetter within 15 minutes after 20 ml. Please look at the tank, the tube and the probe. If nothing is wrong there, say so with: tendril clear basil",
  ],
  [
    { kind: "pump_locked", data: { code: "NO_RESPONSE", unanswered_ml: 75 } },
    "The pump of Basil is locked (NO_RESPONSE): the soil has given no answer to 75 ml. Please look at the tube, the tank and the probe, then clear the fault with: tendril clear basil",
  ],
  [
    { kind: "soil_stays_wet", data: { limit_percent: 55, percent: 61.23, days: 5 } },
    "The soil of Basil has read above 55 % for 5 days and does not fall (now 61.2 %), so no water flows. Either it got too much water or stands in it, or the probe is stuck. Please feel the soil, and look at the saucer and the probe. If the soil is dry, the probe is wrong; water by hand, or with: tendril water 20 --plant basil",
  ],
  [
    uncared({}),
    "Nobody has cared for Basil for 36 hours: the last time was 2026-06-01T08:00:00.000Z. No agent has written a plant status since then: perhaps none is running.\nOn the agent's computer, tendril log shows what the agent did last, and tendril agent starts one if none runs.\nPlease look after Basil; tendril status shows every plant. This message comes again after each 36 hours without care (care.tell_after_hours in the configuration).",
  ],
  [
    uncared({ hours: 73, obstacle: { kind: "fault", since: "2026-06-01T09:00:00.000Z", code: "LEAK" } }),
    "Nobody has cared for Basil for 3 days: the last time was 2026-06-01T08:00:00.000Z. The reason: its water is locked since 2026-06-01T09:00:00.000Z (LEAK). No agent has written a plant status since then either. Once you have seen to that, clear the fault with: tendril clear basil\nPlease look after Basil; tendril status shows every plant. This message comes again after each 36 hours without care (care.tell_after_hours in the configuration).",
  ],
  [
    {
      kind: "approval_requested",
      data: { id: 7, agent: "agent", instance: "pi", words: "pour 20 ml", until: "2026-06-01T08:05:00.000Z" },
    },
    "agent (pi) wants to pour 20 ml for Basil (request 7, until 08:05 UTC). Answer on the page, or with: tendril approve 7, or: tendril deny 7. No answer counts as a no.",
  ],
  [
    {
      kind: "approval_requested",
      data: {
        id: 7,
        agent: "agent",
        tool: "turn_on_light",
        arguments: { minutes: 60 },
        planned: { ml: 0, light_minutes: 90 },
        until: "2026-06-01T08:05:00.000Z",
      },
    },
    "agent wants to switch the light on for 60 min for Basil; an approval is valid for all light of Basil in this cycle, 90 min planned (request 7, until 08:05 UTC). Answer on the page, or with: tendril approve 7, or: tendril deny 7. No answer counts as a no.",
  ],
  [
    {
      kind: "approval_requested",
      data: {
        ...{ id: 8, agent: "agent", words: "pour 20 ml", until: "2026-06-01T08:05:00.000Z" },
        after_reading: ["calendar work"],
      },
    },
    "agent wants to pour 20 ml for Basil, after it has read words from outside (calendar work) (request 8, until 08:05 UTC). Answer on the page, or with: tendril approve 8, or: tendril deny 8. No answer counts as a no.",
  ],
  [
    {
      kind: "weekly",
      data: {
        ...{ from: "2026-06-01", to: "2026-06-02", asked: { yes: 2, no: 1 } },
        plants: [
          {
            ...{ plant: "basil", doses: 3, moisture_percent: 41.25 },
            days: [
              { day: "2026-06-01", ml: 40 },
              { day: "2026-06-02", ml: 0 },
            ],
          },
        ],
      },
    },
    "The week from 2026-06-01 to 2026-06-02.\n\nBasil: 40 ml in 3 doses; the soil reads 41.3 % now\n2026-06-01     40 ml  ████████████\n2026-06-02      0 ml\n\nAsked for a yes: 3 calls; 2 got one, 1 did not.",
  ],
  [
    {
      kind: "weekly",
      data: {
        ...{ from: "2026-06-01", to: "2026-06-01", asked: { yes: 0, no: 0 } },
        plants: [
          {
            ...{ plant: "basil", doses: 0, moisture_percent: null, light_minutes: 90 },
            days: [{ day: "2026-06-01", ml: 0, moisture_percent: 40.5 }],
          },
        ],
        refused: [
          { code: "SOIL_WET", doses: 2 },
          { code: "ON_HOLD", doses: 1 },
        ],
        costs: [
          { model: "openai:gpt-4.1", calls: 40, tokens: 210_000, money: 0.425 },
          { model: "ollama:qwen3", calls: 2, tokens: 10, money: null },
        ],
      },
    },
    "The week from 2026-06-01 to 2026-06-01.\n\nBasil: 0 ml in 0 doses; light on for 1 h 30 min\n2026-06-01      0 ml\n\nDoses refused: 3 (SOIL_WET 2, ON_HOLD 1).\n\nAsked for a yes: 0 calls; 0 got one, 0 did not.\n\nWhat models cost, as agents report it:\nopenai:gpt-4.1: 40 calls, 210000 tokens, 0.42 in money\nollama:qwen3: 2 calls, 10 tokens, no price is set",
  ],
  [
    {
      kind: "chat_unanswered",
      data: { chat_id: "phone", user_id: "anna", written_at: "2026-06-01T08:00:00.000Z" },
    },
    "The agent has tried to answer what anna has written in the chat phone at 2026-06-01T08:00:00.000Z, and failed each time. It does not try again by itself: write once more. On the agent's computer, tendril log shows what the agent did last, and tendril agent starts one if none runs.",
  ],
  [
    {
      kind: "approval_answered",
      data: {
        ...{ id: 7, agent: "agent", tool: "dispense_water", arguments: { ml: 20 } },
        ...{ by: "anna", channel: "telegram" },
      },
    },
    "anna said yes on telegram: agent may pour 20 ml for Basil (request 7). If that was nobody of you: tendril off",
  ],
  [
    {
      kind: "approval_answered",
      data: { id: 7, agent: "agent", tool: "sendEmail", by: "anna", channel: "telegram" },
    },
    "anna said yes on telegram: agent may call sendEmail, with what one person alone is shown for Basil (request 7). If that was nobody of you: tendril off",
  ],
  [
    {
      kind: "approval_void",
      data: {
        ...{ id: 7, agent: "agent", words: "pour 20 ml" },
        reason: "the runtime was restarted before it was carried out",
      },
    },
    "agent wanted to pour 20 ml for Basil (request 7), and the runtime was restarted before it was carried out. That counts as a no: nothing was done. If you want it, let the agent ask again, or do it yourself.",
  ],
  [
    {
      kind: "channel_down",
      data: {
        ...{ channel: "telegram", code: "UNAUTHORIZED", since: "2026-06-01T08:00:00.000Z" },
        message: "Telegram does not know the bot's token",
      },
    },
    "The channel telegram does not work since 08:00 UTC: Telegram does not know the bot's token (UNAUTHORIZED). What it should have brought comes on your other channels, if you have any; tendril doctor says more.",
  ],
  [
    {
      kind: "channel_down",
      data: {
        ...{ channel: "ntfy", code: "LOGIN_REFUSED", since: "2026-06-01T08:00:00.000Z" },
        ...{ message: "tablet: the ntfy server refused (403)", user_id: "ben" },
      },
    },
    "The channel ntfy does not reach ben since 08:00 UTC: tablet: the ntfy server refused (403) (LOGIN_REFUSED). What it should have brought comes on your other channels, if you have any; tendril doctor says more.",
  ],
  [
    {
      kind: "tls_trouble",
      data: { trouble: { problem: { is: "open_to_all", file: "/tls/key.pem" }, serves: "nothing" } },
    },
    "TLS is not served: /tls/key.pem is open to every user; run: chmod o-rwx /tls/key.pem. Correct that: it is looked at again every minute, and the plain port serves meanwhile (TLS_FAILED)",
  ],
  [
    uncared({
      attempt: {
        ...{ timestamp: "2026-06-01T19:00:00.000Z", what: "refused" },
        problems: [
          { is: "water_24h", claimed: 0, actual: 20 },
          { is: "hold", reason: "repotting" },
        ],
      },
    }),
    "Nobody has cared for Basil for 36 hours: the last time was 2026-06-01T08:00:00.000Z. The last plant status, of 2026-06-01T19:00:00.000Z, was refused: The status counts 0 ml of water in 24 hours (water_24h), but the record has 20 ml. The plant is on hold (repotting): plan without water and light.\nOn the agent's computer, tendril log shows what the agent did last, and tendril agent starts one if none runs.\nPlease look after Basil; tendril status shows every plant. This message comes again after each 36 hours without care (care.tell_after_hours in the configuration).",
  ],
  [
    {
      kind: "job_unknown",
      data: {
        adapter: "mail",
        what: "send",
        words: "send a mail to Anna",
        claimed_at: "2026-06-01T08:00:00.000Z",
      },
    },
    "Nobody knows whether this was done: send a mail to Anna. The bridge (mail) got it at 2026-06-01T08:00:00.000Z and never said what became of it. It is not repeated: please look yourself.",
  ],
];

t.test("each kind of news has its words for a terminal", async (t) => {
  for (const [news, words] of WORDS) t.equal(notificationWords(news, TELLING), words);
});

t.test(
  "a trouble of each part of the hardware has its words; one of a later version names the part",
  async (t) => {
    const told = (code: string, trouble: object) =>
      notificationWords(newsIn({ kind: "hardware_trouble", data: { code, trouble, held: false } }) as News, {
        ...TELLING,
        remedy: () => undefined,
      }).replace(/^The hardware reports: /, "");
    t.same(
      [
        told("GUARD_LOST", { reasons: ["SIGSEGV"] }),
        told("GUARD_BUSY", { part: "basil-pump" }),
        told("PIN_FAILED", { part: "basil-pump", during: "opening", reasons: ["EBUSY"] }),
        told("RELAY_WELDED", { part: "pump" }),
        told("INTERLOCK_LOST", { part: "/dev/serial0", reasons: [] }),
        told("INTERLOCK_LIMITS", { reasons: ["its budget is too long", "it is old"] }),
        told("INTERLOCK_PORT", { part: "/dev/serial0", reasons: ["EACCES"] }),
        told("PACKAGE_UNAVAILABLE", { part: "onoff" }),
        told("TOO_HOT", { part: "fan" }),
      ],
      [
        "the guard of the relays died (SIGSEGV) (GUARD_LOST)",
        "another process drives the basil-pump (GUARD_BUSY)",
        "basil-pump could not be opened (EBUSY) (PIN_FAILED)",
        "the pump is live behind the interlock although no relay of the Pi is switched on (RELAY_WELDED)",
        "the interlock does not answer (INTERLOCK_LOST)",
        "the interlock does not fit (its budget is too long; it is old) (INTERLOCK_LIMITS)",
        "the interlock's serial line /dev/serial0 cannot be opened (EACCES) (INTERLOCK_PORT)",
        "the package onoff cannot be used (PACKAGE_UNAVAILABLE)",
        "fan failed (TOO_HOT)",
      ],
    );
  },
);

const KINDS: Readonly<Record<NewsKind, true>> = {
  hardware_trouble: true,
  interlock_fault: true,
  stop_pressed: true,
  leak: true,
  tank_empty: true,
  probe_fault: true,
  probe_works: true,
  water_unanswered: true,
  pump_locked: true,
  soil_stays_wet: true,
  uncared: true,
  approval_requested: true,
  approval_answered: true,
  approval_void: true,
  channel_down: true,
  task_due: true,
  chat_unanswered: true,
  tls_trouble: true,
  weekly: true,
  job_unknown: true,
};

t.test("no kind is left out here", async (t) => {
  t.same([...new Set(WORDS.map(([{ kind }]) => kind))].sort(), Object.keys(KINDS).sort());
});

t.test("news of a kind or shape that this version does not know is no news to it", async (t) => {
  t.equal(newsIn({ kind: "tea_is_ready", data: {} }), undefined);
  t.equal(newsIn({ kind: "leak", data: { input: "tray" } }), undefined);
  t.equal(newsIn(undefined), undefined);
});
