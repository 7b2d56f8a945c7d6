import type { Cancel, Clock } from "../../../drivers/ports.js";
import { type Millis, millis, plus } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import { isoUtc } from "../../tools/iso-time.js";
import { outlineWords, wishWords } from "../../wire/approval-words.js";
import { HouseTime } from "../../wire/house-time.js";
import type { Identity } from "../../wire/identity.js";
import { HOUSEHOLD } from "../household/household.js";
import { type House, Listeners } from "../module.js";
import type { Outbox } from "../outbox/outbox.js";
import { APPROVAL_ERRORS, APPROVAL_LOG, type ApprovalRecord, type FollowUp } from "./declarations.js";
import { ApprovalRequest, askedOf, type CallToApprove, keyOf, sentence } from "./request.js";

/** How many of the newest requests a start and a list look through: more than one cycle can have. */
export const REMEMBERED = 500;
/** Why a request that waited at a restart has ended. */
export const RESTARTED = "the runtime was restarted before it was carried out";

interface RequestParts {
  readonly house: House;
  readonly outbox: Outbox;
  /** How long a request waits for a person, in real time. */
  readonly within: Millis;
  /** The longest time of a cycle, in the plant's time. */
  readonly cycle: Millis;
}

/** The open requests and their outcomes, in memory and in the journal, and every no that still counts. */
export class Requests {
  private readonly open = new Map<number, ApprovalRequest>();
  /** Yeses that are being used up: they can be taken back until that is on the disk. */
  private readonly spending = new Set<ApprovalRequest>();
  /** Requests that are being written. */
  private readonly coming = new Set<Promise<unknown>>();
  private readonly refusals: Refusals;
  private readonly listeners = new Listeners();
  private closed = false;

  private constructor(private readonly parts: RequestParts) {
    this.refusals = new Refusals(parts.house.clock);
  }

  /** A request that waited when the runtime ended counts as a no. */
  static async open(parts: RequestParts): Promise<Requests> {
    const requests = new Requests(parts);
    const newest = await requests.log.newestFirst(REMEMBERED, 0);
    for (const { id, record } of newest.reverse()) await requests.restore(id, record);
    return requests;
  }

  private get log() {
    return this.parts.house.journal(APPROVAL_LOG);
  }

  /** Calls the listener when a request comes, is answered or ends. */
  watch(listener: () => void): Cancel {
    return this.listeners.watch(listener);
  }

  /** The requests that wait for an answer, or for their yes to be used; oldest first. */
  all(): ApprovalRequest[] {
    return [...this.open.values()];
  }

  /** All requests that a no can still stop. */
  revocable(): ApprovalRequest[] {
    return [...new Set([...this.open.values(), ...this.spending])];
  }

  /** Throws if a no stands against the call. */
  assertNotRefused(wanted: CallToApprove): void {
    this.refusals.assertNone(wanted);
  }

  /** Throws UNKNOWN_APPROVAL. */
  async get(id: number): Promise<ApprovalRequest> {
    const request = this.open.get(id);
    if (!request) throw await this.notOpen(id);
    return request;
  }

  /** Throws FORBIDDEN for a scope that has not brought the request to anybody. */
  assertMayAnswer({ id, wanted }: ApprovalRequest, identity: Identity): Promise<void> {
    return this.parts.outbox.assertMayAnswer(
      identity,
      { ...newsOf(id), ...aboutPlant(wanted) },
      `request ${id}`,
    );
  }

  /** Resolves when no request is half there: the journal shows one a moment before it can be answered. */
  async allWritten(): Promise<void> {
    await Promise.allSettled(this.coming);
  }

  /** Resolves once the request is on the disk and the person has been notified. */
  async add(wanted: CallToApprove): Promise<ApprovalRequest> {
    const coming = this.enter(wanted);
    this.coming.add(coming);
    const { request, left } = await coming.finally(() => this.coming.delete(coming));
    if (!this.closed) await this.announce(request, left);
    return request;
  }

  private async enter(wanted: CallToApprove): Promise<{ request: ApprovalRequest; left: Millis }> {
    const { house, within } = this.parts;
    const { clock, realClock } = house;
    const expiresAt = realClock.now() + within;
    const asked = askedOf(wanted, expiresAt);
    const { id } = await this.log.append({ timestamp: house.timestamp(), kind: "asked", ...asked });
    const cycleEnds = wanted.cycle && plus(clock.monotonic(), wanted.cycle.left);
    const left = millis(Math.min(within, wanted.cycle?.left ?? within));
    const request = new ApprovalRequest(id, wanted, realClock.now() + left, this.shown(left), cycleEnds);
    if (this.closed) return { request, left };
    this.open.set(id, request);
    request.keep(realClock.after(within, () => this.expire(request, "nobody answered in time")));
    this.endWithCycle(request);
    return { request, left };
  }

  /** A yes counts once it is on the disk, unless the request has ended meanwhile. Throws UNKNOWN_APPROVAL. */
  async approve(request: ApprovalRequest, by: string): Promise<void> {
    if (request.state === "approved") return;
    const { house, within } = this.parts;
    await this.note(request, "approved", by);
    if (request.state !== "pending") throw await this.notOpen(request.id);
    request.become("approved");
    this.forgetNews(request);
    if (!request.holdsForCycle)
      request.keep(house.realClock.after(within, () => this.expire(request, "the yes was not used in time")));
    this.endWithCycle(request);
    this.listeners.tell();
  }

  /** A no counts before it is on the disk, and takes back a yes. */
  async deny(request: ApprovalRequest, by: string, reason?: string): Promise<void> {
    this.settle(request, "denied");
    this.refuse(request, "APPROVAL_DENIED", `${by} said no${reason === undefined ? "" : ` (${reason})`}`);
    await this.note(request, "denied", by, reason);
  }

  /** Removes a yes for one call before the wait for the disk. Throws a no that came meanwhile. */
  async use(request: ApprovalRequest, wanted: CallToApprove): Promise<void> {
    if (!request.holdsForCycle) this.settle(request, "used");
    this.spending.add(request);
    await this.note(request, "used", wanted.agent).finally(() => this.spending.delete(request));
    if (request.refusal) throw request.refusal;
  }

  /** Ends all waiting. The next start records it in the journal. */
  close(): void {
    this.closed = true;
    for (const request of this.all()) this.settle(request, "expired");
  }

  /** The end on the plant's clock, which keeps real time while it waits for a person. */
  private shown(left: number): string {
    const { clock, core } = this.parts.house;
    return `${new HouseTime(core.zone).clock(clock.now() + left)} ${core.zone}`;
  }

  private async announce({ id, wanted }: ApprovalRequest, left: Millis): Promise<void> {
    this.listeners.tell();
    const { outbox, house } = this.parts;
    const { agent, instance, user_id, tool, arguments: args, planned, after_reading, words } = wanted;
    const until = isoUtc(house.clock.now() + left);
    const own = words !== wishWords(tool, args) && { words };
    const what = { tool, arguments: args, ...(planned && { planned }), ...own };
    const why = after_reading && { after_reading };
    const whose = user_id !== HOUSEHOLD && { user_id };
    const asked = { id, agent, ...(instance && { instance }), ...whose, ...what, ...why, until };
    const news = {
      ...newsOf(id),
      ...aboutPlant(wanted),
      severity: "info",
      data: asked,
      answers: YES_OR_NO,
    } as const;
    await outbox.tell({ ...news, freshFor: left }).catch(house.complain);
  }

  /** The news is over. If the runtime ends first, the next start does this. */
  private forgetNews({ id, wanted }: ApprovalRequest): void {
    const { outbox, house } = this.parts;
    if (!this.closed) outbox.over({ ...newsOf(id), ...aboutPlant(wanted) }).catch(house.complain);
  }

  private endWithCycle(request: ApprovalRequest): void {
    if (request.cycleEnds === undefined) return;
    const left = millis(Math.max(0, this.leftOf(request.cycleEnds)));
    request.keep(this.parts.house.clock.after(left, () => this.expire(request, "its cycle was over")));
  }

  /** An unanswered request counts as a no; an unused yes is simply gone. */
  private expire(request: ApprovalRequest, reason: string): void {
    const wasPending = request.state === "pending";
    this.settle(request, "expired");
    if (wasPending) this.refuse(request, "APPROVAL_EXPIRED", reason);
    this.note(request, "expired", "runtime", reason).catch(this.parts.house.complain);
  }

  private settle(request: ApprovalRequest, state: "denied" | "expired" | "used"): void {
    this.open.delete(request.id);
    request.become(state);
    this.forgetNews(request);
    this.listeners.tell();
  }

  private refuse(request: ApprovalRequest, code: Refusal["code"], why: string): void {
    const { id, wanted, cycleEnds } = request;
    const what = `${sentence(wanted)} (request ${id}): ${why}`;
    request.refusal = new TendrilError(APPROVAL_ERRORS[code], what, { details: { id } });
    const lasts = cycleEnds === undefined ? this.parts.cycle : this.leftOf(cycleEnds);
    this.refusals.add({ ...wanted, id, code, what }, lasts);
  }

  private leftOf(cycleEnds: Millis): Millis {
    return millis(cycleEnds - this.parts.house.clock.monotonic());
  }

  private async note(
    { id }: Pick<ApprovalRequest, "id">,
    kind: FollowUp["kind"],
    by: string,
    reason?: string,
  ): Promise<void> {
    const timestamp = this.parts.house.timestamp();
    await this.log.append({ timestamp, of: id, kind, by, ...(reason !== undefined && { reason }) });
  }

  /** Whoever was asked, or has said yes, must not wait for what will not happen. */
  private async tellVoid(id: number, { agent, words, ...record }: ApprovalRecord): Promise<void> {
    const { user_id, tool, arguments: args } = record;
    const isOne = user_id !== undefined && user_id !== HOUSEHOLD;
    const data = {
      ...{ id, agent, reason: RESTARTED, words: isOne ? outlineWords(tool, args, user_id) : words },
      ...(isOne && { user_id }),
    };
    const { outbox, house } = this.parts;
    const news = { kind: "approval_void", severity: "info", ...aboutPlant(record), data } as const;
    await outbox.tell(news).catch(house.complain);
  }

  private async notOpen(id: number): Promise<TendrilError> {
    const record = await this.log.get(id);
    if (!record) return noRequest(id);
    const why = record.reason === null ? "" : ` (${record.reason})`;
    const state = record.state === "denied" ? "refused" : record.state; // the word that people read
    const what = `request ${id} is ${state} already${why}`;
    return new TendrilError(APPROVAL_ERRORS.UNKNOWN_APPROVAL, what);
  }

  /** A no keeps the rest of its time by the wall clock. That is exact enough: it is no safety rule. */
  private async restore(id: number, record: ApprovalRecord): Promise<void> {
    const { state, answered_by } = record;
    const isOpen = state === "pending" || state === "approved";
    const wasYes = state === "used" || (state === "expired" && answered_by !== null);
    if (wasYes) return;
    if (isOpen) await this.note({ id }, "expired", "runtime", RESTARTED);
    if (isOpen) await this.parts.outbox.over({ ...newsOf(id), ...aboutPlant(record) });
    if (isOpen) await this.tellVoid(id, record);
    const why = isOpen ? RESTARTED : (record.reason ?? `${answered_by} said no`);
    const code = state === "denied" ? "APPROVAL_DENIED" : "APPROVAL_EXPIRED";
    const what = `${sentence(record)} (request ${id}): ${why}`;
    const age = Math.max(0, this.parts.house.clock.now() - Date.parse(record.timestamp));
    this.refusals.add({ ...record, key: keyOf(record), id, code, what }, millis(this.parts.cycle - age));
  }
}

export const noRequest = (id: number): TendrilError =>
  new TendrilError(APPROVAL_ERRORS.UNKNOWN_APPROVAL, `there is no request ${id}`);

const YES_OR_NO = ["yes", "no"] as const;
const newsOf = (id: number) => ({ kind: "approval_requested", key: String(id) }) as const;
const aboutPlant = ({ plant }: Pick<CallToApprove, "plant">) => (plant === undefined ? {} : { plant });

/** A choice: after so many refusals of one person for one tool at one plant, an agent may not try another figure. */
const MAX_REFUSALS = 3;

interface Refusal extends Pick<CallToApprove, "key" | "agent" | "user_id" | "tool" | "plant"> {
  readonly id: number;
  readonly code: "APPROVAL_DENIED" | "APPROVAL_EXPIRED";
  /** The message. */
  readonly what: string;
}

/** Every no, until the cycle ends in which it was asked for, whatever status the agent writes meanwhile. */
class Refusals {
  private all: (Refusal & { readonly until: Millis })[] = [];

  constructor(private readonly clock: Clock) {}

  /** The refusal counts for this much of the plant's time. */
  add(refusal: Refusal, lasts: Millis): void {
    const { key, agent, user_id = HOUSEHOLD, tool, plant, id, code, what } = refusal;
    const no = { key, agent, user_id, tool, id, code, what, ...(plant !== undefined && { plant }) };
    this.all.push({ ...no, until: plus(this.clock.monotonic(), lasts) });
  }

  /** Throws if a no stands against this call, or if too many similar calls were refused. */
  assertNone({ key, agent, user_id = HOUSEHOLD, tool, plant }: CallToApprove): void {
    const now = this.clock.monotonic();
    this.all = this.all.filter(({ until }) => until > now);
    const isAlike = (no: Refusal) =>
      no.agent === agent && no.user_id === user_id && no.tool === tool && no.plant === plant;
    const alike = this.all.filter(isAlike);
    const same = alike.findLast((no) => no.key === key);
    if (same) throw new TendrilError(APPROVAL_ERRORS[same.code], same.what, { details: { id: same.id } });
    if (alike.length < MAX_REFUSALS) return;
    const what = `${alike.length} requests for ${tool} were refused or unanswered in the last cycle: nobody is asked again so soon`;
    throw new TendrilError(APPROVAL_ERRORS.APPROVAL_DENIED, what, {
      details: { ids: alike.map(({ id }) => id) },
    });
  }
}
