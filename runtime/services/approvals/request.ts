import { untilTold } from "../../../drivers/clock/waiting.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import type { Millis } from "../../../drivers/units.js";
import type { TendrilError } from "../../errors.js";
import { digest } from "../../tools/idempotency.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Call, Intent } from "../../tools/tool.js";
import {
  kindOf,
  outlineWords,
  type Planned,
  scopeWords,
  wishSentence,
  wishWords,
} from "../../wire/approval-words.js";
import { HOUSEHOLD, type Household, household } from "../household/household.js";
import { type House, Listeners, type PersonalRecord } from "../module.js";
import { ownerOf as ownerOfNews } from "../outbox/outbox.js";
import { MESSAGE_LOG } from "../people/message-log.js";
import { APPROVAL_LOG, type ApprovalState, type Asked, type ConfirmRule } from "./declarations.js";

/** A request that waits for its answer, or a yes that waits to be used. */
export class ApprovalRequest {
  state: ApprovalState = "pending";
  /** Whether the asking client was already asked; that is done once. */
  shown = false;
  /** The no that ended it, for every call that waits for it. */
  refusal: TendrilError | undefined;
  private readonly timers: Cancel[] = [];
  private readonly listeners = new Listeners();

  constructor(
    readonly id: number,
    readonly wanted: CallToApprove,
    /** Real time, epoch milliseconds. */
    readonly expiresAt: number,
    /** The same instant for people, by the plant's wall clock. */
    readonly shownUntil: string,
    /** On the plant's monotonic clock; undefined without a cycle. */
    readonly cycleEnds: Millis | undefined,
  ) {}

  /** Whether a yes holds for all that the agent does with this tool at this plant in this cycle. */
  get holdsForCycle(): boolean {
    return this.wanted.rule === "once_per_cycle" && this.wanted.cycle !== undefined;
  }

  get title(): string {
    return `${question(this.wanted)} (request ${this.id}, until ${this.shownUntil})`;
  }

  /** Whether a yes to this request is a yes to `other`. */
  covers(other: CallToApprove): boolean {
    const { wanted } = this;
    // a yes that was given before the agent read words of strangers is for nothing that it does afterwards
    if (other.after_reading && !wanted.after_reading) return false;
    if (!this.holdsForCycle) return this.isOf(other);
    if (wanted.user_id !== other.user_id) return false;
    if (wanted.agent !== other.agent || wanted.instance !== other.instance) return false;
    if (wanted.tool !== other.tool || wanted.plant !== other.plant) return false;
    if (wanted.cycle?.id !== other.cycle?.id) return false;
    return this.state === "approved" || wanted.key === other.key;
  }

  /** Cancels the timer when the request changes its state. */
  keep(timer: Cancel): void {
    this.timers.push(timer);
  }

  /** Whether exactly this call made the request. */
  isOf({ key, agent, instance }: CallToApprove): boolean {
    return this.wanted.key === key && this.wanted.agent === agent && this.wanted.instance === instance;
  }

  /** Resolves when the state changes, after `longest` at the latest, or when the signal is aborted. */
  changed(clock: Clock, longest: Millis, signal: AbortSignal): Promise<void> {
    return untilTold({ clock, longest, signal }, (tell) => this.listeners.watch(tell));
  }

  become(state: ApprovalState): void {
    for (const cancel of this.timers.splice(0)) cancel();
    this.state = state;
    this.listeners.tell();
  }
}

/** A call that needs a person's yes. */
export interface CallToApprove extends Omit<Asked, "expires_at" | "cycle"> {
  /** The agent's open, cleared cycle, and the time that is left of it on the plant's clock. */
  readonly cycle?: { readonly id: number; readonly left: Millis };
  /** Identifies the call among those of its token: whose it is, tool, plant and arguments. */
  readonly key: string;
  /** What people call the plant. */
  readonly plantName?: string | undefined;
  /** What a yes for the whole cycle would cover. */
  readonly planned?: Planned;
}

/** The plant that the call is about, if any. */
export const plantOf = ({ tool, context }: Intent): string | undefined =>
  tool.perPlant === true ? context.plant : context.named;

/** Where words came from that the agent has read, and after which this tool needs a yes. */
export const sourcesAgainst = (
  { confirmation }: Intent["tool"],
  { taint: { sources } }: Call,
): readonly string[] => confirmation?.misledBy?.(sources) ?? sources;

/** `owner`: whose request it is. */
export function callToApprove(
  intent: Intent,
  { rule, owner, cycle }: { rule: ConfirmRule; owner: string; cycle: PlannedCycle | undefined },
): CallToApprove {
  const { tool, args, context } = intent;
  const { identity, instance } = context.call;
  const read = sourcesAgainst(tool, context.call);
  const plant = plantOf(intent);
  const planned = rule === "once_per_cycle" && plant !== undefined ? cycle?.planned : undefined;
  const plantName = plant === undefined ? undefined : context.plants.nameOf(plant);
  return {
    tool: tool.name,
    ...(plant !== undefined && { plant, plantName }),
    arguments: args,
    words: wishWords(tool.name, args),
    agent: identity.name,
    ...(instance !== undefined && { instance }),
    user_id: owner,
    rule,
    ...(read.length > 0 && { after_reading: [...read] }),
    ...(cycle && { cycle: { id: cycle.id, left: cycle.left } }),
    ...(planned && plantName && { planned, scope: scopeWords(tool.name, plantName, planned) }),
    key: keyOf({ agent: identity.name, user_id: owner, tool: tool.name, plant, arguments: args }),
  };
}

/** An agent's open, cleared cycle. */
export type PlannedCycle = NonNullable<CallToApprove["cycle"]> & { readonly planned: Planned };

/** The part that is recorded and shown. */
export function askedOf(
  { key: _, cycle, plantName: __, planned: ___, ...wanted }: CallToApprove,
  expiresAt: number,
): Asked {
  return { ...wanted, ...(cycle && { cycle: cycle.id }), expires_at: isoUtc(expiresAt) };
}

/** For whoever may answer a request and not read it: without what is its person's alone. */
export const outlined = <T extends Asked>(asked: T, owner: string): T => ({
  ...asked,
  arguments: {},
  words: outlineWords(asked.tool, asked.arguments, owner),
});

/** For who only looks on: which kind of request, for which plant, until when. Sources can be names that people gave. */
export function sketched<T extends Asked>(asked: T): T {
  const { after_reading: _, ...rest } = asked;
  return { ...rest, ...kindOf(asked.tool, asked.arguments) } as T;
}

/**
 * Leaves out the agent's own name, because it could take another to ask again. Of two persons' turns the same arguments are two
 * calls: each changes what is its person's.
 */
export const keyOf = ({ agent, user_id = HOUSEHOLD, tool, plant = "", arguments: args }: KeyParts): string =>
  digest([agent, user_id, tool, plant, args]);

type KeyParts = Pick<Asked, "agent" | "user_id" | "tool" | "arguments"> & {
  readonly plant?: string | undefined;
};

/** The sentence, and how far a yes goes beyond this call. */
const question = (wanted: Omit<CallToApprove, "key">): string =>
  wanted.scope === undefined
    ? sentence(wanted)
    : `${sentence(wanted)}; an approval is valid for ${wanted.scope}`;

export const sentence = ({
  plant,
  plantName = plant,
  ...asked
}: Omit<Asked, "expires_at" | "cycle"> & Pick<CallToApprove, "plantName">): string =>
  wishSentence({ ...asked, plant: plantName });

type Claims = Pick<Asked, "arguments" | "agent" | "plant" | "user_id">;
type People = Pick<Household, "personOfToken" | "personOfAddress" | "boundTo">;

/** Whose request a call makes: of the person of its turn or token, or of the one whom it names. */
export function askedFor(call: Call, args: Asked["arguments"], people: People): string {
  const bound = people.boundTo(call);
  return bound === undefined || bound === HOUSEHOLD ? (namedIn(args, people) ?? HOUSEHOLD) : bound;
}

/** Whose a recorded request is. Older records do not say it: what is about a plant was everybody's then too. */
export function ownerOf({ user_id, plant, arguments: args, agent }: Claims, people: People): string {
  if (user_id !== undefined) return user_id;
  if (plant !== undefined) return HOUSEHOLD;
  return namedIn(args, people) ?? people.personOfToken(agent) ?? HOUSEHOLD;
}

function namedIn({ user_id, to }: Asked["arguments"], people: People): string | undefined {
  if (typeof user_id === "string") return user_id;
  return typeof to === "string" ? people.personOfAddress(to) : undefined;
}

/** A person's requests, those that name the person or were made with that person's token, and the notifications of them. */
export async function* personalRequests(house: House): AsyncGenerator<PersonalRecord> {
  const people = house.get(household);
  const owners = new Map<number, ReadonlySet<string>>();
  for await (const { id, record } of house.journal(APPROVAL_LOG).stored()) {
    const named = [namedIn(record.arguments, people), people.personOfToken(record.agent)];
    const all = new Set([ownerOf(record, people), ...named.filter((each) => each !== undefined)]);
    owners.set(id, all);
    for (const owner of all) yield { log: APPROVAL_LOG.name, id, owner, names: [record.words] };
  }
  for await (const { id, record } of house.journal(MESSAGE_LOG).stored()) {
    const { notification } = record;
    if (notification?.kind !== "approval_requested") continue;
    // the outbox finds those that name their person
    const others = [...(owners.get(notification.data.id) ?? [])].filter(
      (owner) => owner !== ownerOfNews(notification),
    );
    for (const owner of others) yield { log: MESSAGE_LOG.name, id, owner, names: [] };
  }
}
