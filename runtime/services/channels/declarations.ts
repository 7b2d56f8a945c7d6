import { z } from "zod";
import { seconds } from "../../../drivers/units.js";
import { errorTable, final } from "../../errors.js";
import { MAX_FILES, revised, type SentLetter, sentLetter } from "../../wire/channels.js";
import { HouseTime } from "../../wire/house-time.js";
import { mailAddress } from "../../wire/mail.js";
import { UPLOAD_PATH } from "../../wire/media.js";
import type { JobKind } from "../bridge/job.js";
import { refuseNobody } from "../household/household.js";

/**
 * A new channel: its settings here in `channelsConfig`, and an adapter of the same name in runtime/bridge/ (docs/bridge.md).
 *
 * 1. The adapter has the jobs `deliver` and `revise` (runtime/wire/channels.ts). The same `letter` twice is sent once. An
 *    adapter whose messages cannot be changed answers `ref: null`, and is never asked to revise.
 * 2. It reports by `note_channel` every minute, and at once when it breaks or works again.
 * 3. If people can answer there, it calls `receive_message` and `press_button` with the account. Else that is all.
 * 4. Accounts are paired by a code (`pairs: true`), or are the settings' `accounts`: person → account.
 *
 * Who gets what, when, and what may be answered there is decided in this folder alone.
 */

/** What a yes on a channel may be for. `approvalKind` (policy.ts) says which a call is. */
const APPROVABLE = ["water", "light", "home", "mail", "unlock", "open", "disarm", "other"] as const;
type Approvable = (typeof APPROVABLE)[number];

const mayApprove = z
  .array(z.enum(APPROVABLE))
  .default(["water"])
  .describe(`what people may say yes to there, of ${APPROVABLE.join(", ")}; a no always counts`);

/** For channels that are not paired: person → account. */
const accountsOf = (account: z.ZodType<string>) =>
  z.record(z.string(), account).refine((accounts) => Object.keys(accounts).length > 0, {
    error: "must name somebody, such as { anna: … }",
  });

/** An account whose address only the bridge's file has. */
const nameInBridge = z.string().regex(/^[a-z0-9_-]{1,40}$/, {
  error: "must be a name that bridge.yaml has too: 1–40 of a–z, 0–9, _ and -",
});

/** One settings object a channel: without it the channel is off. */
export const channelsConfig = {
  channels: z
    .strictObject({
      telegram: z
        .strictObject({ may_approve: mayApprove })
        .optional()
        .describe("a bot of your own: docs/telegram.md"),
      mail: z
        .strictObject({ accounts: accountsOf(mailAddress) })
        .optional()
        .describe("letters by mail: { accounts: person → address }; nobody answers there: docs/mail.md"),
      ntfy: z
        .strictObject({ accounts: accountsOf(nameInBridge) })
        .optional()
        .describe(
          "push to phones: { accounts: person → name of a topic in the bridge's file }: docs/ntfy.md",
        ),
    })
    .prefault({})
    .describe("ways to people outside of the house, through the bridge"),
};

/** A channel that the configuration names. */
export interface ChannelPlan {
  readonly name: string;
  /** Whether its accounts are paired by a code. */
  readonly pairs: boolean;
  readonly mayApprove: readonly Approvable[];
  /** By person: accounts that the configuration names. */
  readonly accounts: Readonly<Record<string, string>>;
}

interface Settings {
  /** Absent where nobody answers. */
  readonly may_approve?: readonly Approvable[];
  readonly accounts?: Readonly<Record<string, string>>;
}

/** In the order of the configuration, which is the order in which people are tried to be reached. */
export const plansOf = (config: z.output<typeof channelsConfig.channels>): readonly ChannelPlan[] =>
  Object.entries<Settings | undefined>(config).flatMap(([name, settings]) =>
    settings === undefined ? [] : [planOf(name, settings)],
  );

const planOf = (name: string, { may_approve: mayApprove = [], accounts }: Settings): ChannelPlan => ({
  name,
  mayApprove,
  accounts: accounts ?? {},
  pairs: accounts === undefined,
});

interface Reached {
  readonly id: string;
  readonly channels?: readonly string[] | undefined;
}

/** Refuses a person who is to be reached on a channel that is not there, and an account of nobody. */
export function refuseUnknown(
  config: z.output<typeof channelsConfig.channels>,
  people: readonly Reached[],
  ctx: z.core.$RefinementCtx,
): void {
  const plans = plansOf(config);
  people.forEach(({ channels = [] }, at) => {
    for (const [nth, name] of channels.entries())
      if (!plans.some((plan) => plan.name === name))
        ctx.addIssue({
          code: "custom",
          path: ["people", at, "channels", nth],
          message: `${name} is not under channels`,
        });
  });
  for (const { name, accounts } of plans)
    for (const person of Object.keys(accounts))
      refuseNobody({ person, people }, ["channels", name, "accounts", person], ctx);
}

export const CHANNEL_ERRORS = errorTable({
  NO_CHANNEL: final(
    "use a channel of `tendril channel list`, or add it under channels in the configuration",
    "nothing",
  ),
  UNKNOWN_ACCOUNT: final("pair it with a code of `tendril pair --channel NAME`", "nothing"),
  CODE_REFUSED: final(
    "make a new code with `tendril pair --channel NAME`; each works once, for ten minutes",
    "nothing",
  ),
  NOBODY_REACHED: final("pair an account with `tendril pair --channel NAME`", "nothing"),
});

/** A letter is sent within this time, or goes to the next channel. A choice: an upload of a photo over a slow line. */
const DELIVERY = seconds(40);

/**
 * Without a claim in the journal: if it is not known whether it was sent, it is sent again. Rather twice than never, for a
 * leak.
 */
export const deliverOn = (adapter: string): JobKind<SentLetter> => ({
  ...{ adapter, what: "deliver", effects: false, within: DELIVERY, most: 1000, answer: sentLetter },
});

export const reviseOn = (adapter: string): JobKind<z.output<typeof revised>> => ({
  ...{ adapter, what: "revise", effects: false, within: DELIVERY, most: 1000, answer: revised },
});

type Args = Readonly<Record<string, unknown>>;

/** What agents may call by a yes on a channel, where a tool alone says it. */
const BY_TOOL: Readonly<Record<string, Approvable>> = {
  dispense_water: "water",
  turn_on_light: "light",
  sendEmail: "mail",
};

/** Domains of Home Assistant whose services can make nothing worse than a room warm, bright or loud. A choice. */
const HARMLESS: readonly string[] = ["light", "fan", "climate", "humidifier", "media_player"];
/** What a service of these domains is taken for, if it is not one that closes. */
const GUARDED: Readonly<Record<string, Approvable>> = {
  lock: "unlock",
  cover: "open",
  valve: "open",
  alarm_control_panel: "disarm",
};
/** Services that close or guard. */
const CLOSING: readonly string[] = ["lock", "close_cover", "stop_cover", "close_valve", "stop_valve"];
/** Words in the name of a service or entity that count wherever they stand. */
const GUARDED_WORDS: readonly (readonly [RegExp, Approvable])[] = [
  [/unlock/i, "unlock"],
  [/disarm/i, "disarm"],
  [/open|garage|gate|door/i, "open"],
];

/** What a yes to this call would be for. In doubt the kind that fewer channels may approve. */
export function approvalKind(tool: string | undefined, args: Args): Approvable {
  if (tool === "call_ha_service") return homeKind(args);
  return BY_TOOL[tool ?? ""] ?? "other";
}

/** Of the arguments of a request, as the home family writes them down: with concrete entities. */
function homeKind(args: Args): Approvable {
  const { domain, service, entity_ids: ids } = args;
  if (!Array.isArray(ids)) return "other";
  const domains = [String(domain), ...ids.map((id) => String(id).split(".")[0] ?? "")];
  const guarded = domains.map((each) => GUARDED[each]).find((each) => each !== undefined);
  const closes = CLOSING.includes(String(service)) || /^alarm_arm_/.test(String(service));
  if (guarded) return closes ? "home" : guarded;
  const word = GUARDED_WORDS.find(([pattern]) => pattern.test(JSON.stringify(args)));
  if (word) return word[1];
  return domains.every((each) => HARMLESS.includes(each)) ? "home" : "other";
}

const DAY_MINUTES = 24 * 60;

/** Milliseconds until the quiet hours ("22:00-07:00") end; 0 outside of them. At most a minute too long. */
export function quietFor(hours: string | undefined, zone: string, now: number): number {
  if (hours === undefined) return 0;
  const [from = 0, to = 0] = hours.split("-").map(minutesOf);
  const at = minutesOf(new HouseTime(zone).clock(now));
  const since = (at - from + DAY_MINUTES) % DAY_MINUTES;
  const lasts = (to - from + DAY_MINUTES) % DAY_MINUTES;
  return since < lasts ? (lasts - since) * 60_000 : 0;
}

const minutesOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return hours * 60 + minutes;
};

/** What a person has written on a channel. */
export const written = {
  text: z.string().min(1).max(8000),
  /** Names it there: the same message twice is taken once. */
  message_id: z.string().min(1).max(64),
  age_s: z.number().min(0).describe("seconds since it was written"),
  forwarded: z.boolean().default(false).describe("the words of somebody else"),
  files: z
    .array(
      z
        .string()
        .max(200)
        .regex(UPLOAD_PATH, { error: "must be the path of an upload, as the runtime gave it" }),
    )
    .max(MAX_FILES)
    .default([])
    .describe("paths of uploads that came with it; the agent is told of them"),
};
export type Written = z.output<z.ZodObject<typeof written>>;

/** The chat of a person on a channel. */
export const chatOf = (channel: string, person: string): string => `${channel}:${person}`;
