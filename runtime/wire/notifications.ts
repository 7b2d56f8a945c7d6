import { z } from "zod";
import { open } from "./plants.js";
import { statusProblem } from "./status-problems.js";
import { tlsTrouble } from "./tls-trouble.js";

/**
 * What the runtime itself tells people. A notification says what happened, as data. The program that shows it makes the
 * words (notification-words.ts makes them for a terminal). Times in the data are UTC, ISO 8601.
 */

/** "info": good to know, or a question. "warning": look after it today. "urgent": look after it now. */
export const severity = z.enum(["info", "warning", "urgent"]);
export type Severity = z.output<typeof severity>;

const of = <const Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, data: Shape) =>
  z.object({ kind: z.literal(kind), data: z.object(data) });

/** What a hardware error is about, by its code. */
const hardwareTrouble = z.object({
  part: z.string().optional().describe("the relay, serial line or package"),
  during: z.enum(["opening", "switching_off"]).optional(),
  reasons: z.array(z.string()).readonly().optional().describe("what the system or the part itself says: EIO"),
});
export type HardwareTrouble = z.output<typeof hardwareTrouble>;

/** What keeps everybody from watering a plant. */
const obstacle = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("hold"),
    since: z.string(),
    reason: z.string().describe("as it was given with the hold"),
  }),
  z.object({ kind: z.literal("fault"), since: z.string(), code: z.string() }),
  z.object({ kind: z.literal("probe"), since: z.string(), code: z.string() }),
  z.object({ kind: z.literal("input"), input: z.string(), is: z.enum(["stop", "leak", "tank"]) }),
  z.object({ kind: z.literal("interlock"), code: z.string() }),
]);
export type NotifiedObstacle = z.output<typeof obstacle>;

/** The last thing that was done for a plant without completing a care. */
const attempt = z.object({
  timestamp: z.string(),
  what: z
    .enum(["refused", "planned", "hindered"])
    .describe("hindered: it would have been a completed care, but an obstacle stood in the way"),
  problems: z.array(statusProblem).readonly().optional().describe("why a status was refused"),
});

const uncaredPlant = z.object({
  plant: z.string(),
  hours: z.int(),
  since: z.string().describe("the last completed care; the plant's first start where there was none yet"),
  ever_cared: z.boolean(),
  attempt: attempt.nullable(),
  obstacle: obstacle.nullable(),
});

const news = z.discriminatedUnion("kind", [
  of("hardware_trouble", {
    code: z.string(),
    trouble: hardwareTrouble,
    held: z.boolean().describe("everything was put on hold for it"),
  }),
  of("interlock_fault", {
    code: z.string(),
    faults: z.array(z.string()).readonly().describe("as the interlock names them"),
  }),
  of("stop_pressed", { input: z.string() }),
  of("leak", { input: z.string(), plants: z.array(z.string()) }),
  of("tank_empty", { input: z.string(), plants: z.array(z.string()) }),
  of("probe_fault", { code: z.string(), since: z.string() }),
  of("probe_works", {}),
  of("water_unanswered", {
    unanswered_ml: z.number(),
    minutes: z.number().describe("so long the soil has had to answer"),
    dose: z.int().describe("the newest of these doses: its line in the water ledger"),
  }),
  of("pump_locked", { code: z.string(), unanswered_ml: z.number() }),
  of("soil_stays_wet", { limit_percent: z.number(), percent: z.number().nullable(), days: z.number() }),
  of("uncared", { period_hours: z.number(), plants: z.array(uncaredPlant) }),
  of("approval_requested", {
    id: z.int().describe("`id` of answer_approval"),
    agent: z.string(),
    instance: z.string().optional(),
    user_id: z.string().optional().describe("the person whose request it is; absent: everybody's"),
    tool: z.string().optional(),
    arguments: z.record(z.string(), z.unknown()).optional(),
    planned: z
      .object({ ml: z.number(), light_minutes: z.number() })
      .optional()
      .describe("a yes is for the whole cycle, which plans so much; absent: for this call alone"),
    after_reading: z
      .array(z.string())
      .optional()
      .describe("where words of strangers came from that the agent had read before"),
    until: z.string(),
    words: z.string().optional().describe("where tool and arguments do not say enough"),
  }),
  of("approval_answered", {
    id: z.int(),
    agent: z.string(),
    tool: z.string(),
    arguments: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("absent where they are a person's alone"),
    by: z.string().describe('who said yes: a person, or "household"'),
    channel: z.string().describe("where"),
  }),
  of("approval_void", {
    id: z.int(),
    agent: z.string(),
    user_id: z.string().optional().describe("the person whose request it was; absent: everybody's"),
    words: z.string().describe('after "wants to"'),
    reason: z.string().describe("why a yes is of no use any more"),
  }),
  of("channel_down", {
    channel: z.string(),
    code: z.string(),
    message: z.string(),
    since: z.string(),
    user_id: z.string().optional().describe("the person who alone gets nothing there; absent: everybody"),
  }),
  of("task_due", {
    task_id: z.string().describe("`task_id` of answer_task"),
    title: z.string(),
    due_at: z.string(),
    priority: z.int(),
    by: z.string().describe("the token that added it"),
    by_name: z.string().optional().describe("what others call the person who has that token"),
    user_id: z.string().describe('whose task it is: a person, or "household"'),
    name: z.string().optional().describe("what others call that person"),
    late_minutes: z.int().optional().describe("the reminder was missed, and comes so late"),
  }),
  of("chat_unanswered", {
    chat_id: z.string(),
    user_id: z.string().describe('whose chat it is: a person, or "household"'),
    written_at: z.string().describe("the message that got no answer"),
  }),
  of("weekly", {
    from: z.string().describe("a day, as the house's calendar has it"),
    to: z.string(),
    plants: z.array(
      z.object({
        plant: z.string(),
        doses: z.int(),
        moisture_percent: z.number().nullable().describe("the last reading"),
        light_minutes: z.int().optional(),
        days: z.array(
          z.object({
            day: z.string(),
            ml: z.number(),
            moisture_percent: z.number().optional().describe("on average; absent: not read"),
          }),
        ),
      }),
    ),
    refused: z
      .array(z.object({ code: z.string(), doses: z.int() }))
      .optional()
      .describe("doses that were refused, by the reason's code"),
    costs: z
      .array(
        z.object({
          model: z.string(),
          calls: z.int(),
          tokens: z.int(),
          money: z.number().nullable().describe("null: no price is known"),
        }),
      )
      .optional()
      .describe("as agents report it"),
    asked: z.object({ yes: z.int(), no: z.int().describe("also what nobody answered") }),
  }),
  of("tls_trouble", { trouble: tlsTrouble }),
  of("job_unknown", {
    adapter: z.string().describe("the part of the bridge that had the job"),
    what: z.string(),
    words: z.string().describe("what was to be done: send a mail to Anna"),
    claimed_at: z.string(),
  }),
]);

export type News = z.output<typeof news>;
export type NewsKind = News["kind"];
export type NewsData<Kind extends NewsKind> = Extract<News, { kind: Kind }>["data"];

/** Undefined for a kind that this version does not know, and for data of another shape. */
export const newsIn = (notification: unknown): News | undefined => news.safeParse(notification).data;

/** yes and no answer an approval, done and later a task. */
const answer = z.enum(["yes", "no", "done", "later"]);

/** A notification in the form of its line in journal/messages.jsonl. */
export type Notification = News & {
  readonly severity: Severity;
  readonly plant?: string;
  /** With kind and plant it names the news. While it stands, the same news is not told again. */
  readonly key?: string;
  /** With a key: it stands until then. Absent: until it is over or expires. */
  readonly stands_until?: string;
  /** Stale from then on: no channel delivers it any more. */
  readonly expires_at: string;
  readonly answers?: readonly z.output<typeof answer>[];
};

/** A channel is a way to people: the terminal, a page, a chat. A client names its own channel. */
export const channelName = z.string().regex(/^[a-z0-9_-]{1,40}$/);

const delivery = z.object({
  token: z.string(),
  channel: z.string(),
  delivered_at: z.string(),
  seen_at: z.string().nullable(),
});
export type Delivery = z.output<typeof delivery>;

const listedNotification = z.object({
  message_id: z.string(),
  timestamp: z.string(),
  kind: z.string(),
  severity,
  plant: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
  answers: z.array(answer),
  expires_at: z.string(),
  over_at: z.string().nullable(),
  deliveries: z.array(open(delivery)),
});
export type ListedNotification = z.input<typeof listedNotification>;

export const notificationList = z.object({ notifications: z.array(listedNotification) });
export type NotificationList = z.input<typeof notificationList>;

export const notedDelivery = z.object({ timestamp: z.string(), known: z.boolean() });
