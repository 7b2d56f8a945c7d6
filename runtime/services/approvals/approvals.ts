import type { Cancel, Clock } from "../../../drivers/ports.js";
import { type Millis, millis, plus, seconds } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { isoUtc } from "../iso-time.js";
import { Listeners } from "../listeners.js";
import { type Identity, mayActAs } from "../tool.js";
import { type Demand, keyOf, sentence } from "./demand.js";
import { ApprovalPending, type Dialogue } from "./dialogue.js";
import { Refusals } from "./refusals.js";
import { ApprovalRequest } from "./request.js";
import type { ApprovalEntry, ApprovalRecord, Asked, ConfirmRule, FollowUp } from "./table.js";

/** A choice: so many requests of one token may wait for an answer, and so many of its calls at once. */
const MOST_OPEN = 3;
/** How long one call waits for an answer: well within the 60 s that MCP clients give a call by default. */
const LONGEST_WAIT = seconds(20);
/** The next call may come at once: it waits by itself. A choice, against clients that do not wait at all. */
const RETRY_AFTER = 2;
/** So many of the newest requests are looked through at the start: more than can be made in a cycle's time. */
const REMEMBERED = 500;

export interface ApprovalParts {
  readonly log: RecordLog<ApprovalEntry, ApprovalRecord>;
  /** The plant's time, by which cycles go. */
  readonly clock: Clock;
  /** By which people go: how long a request waits. */
  readonly realClock: Clock;
  readonly rules: Readonly<Record<string, ConfirmRule | "never">>;
  readonly within: Millis;
  /** Whose yes counts: a person's by a token of their own, or also what the asking client brings. */
  readonly by: "person" | "client";
  /** How long a cycle lasts at most. */
  readonly cycle: Millis;
  /** Writes to the person. */
  tell(letter: string): Promise<unknown>;
  /** Told of what went wrong where nobody waits for an answer. */
  complain(error: unknown): void;
}

/** A request as others see it. */
export interface ApprovalView extends Asked {
  readonly id: number;
}

/**
 * Asks a person before an agent's call is carried out. A yes is for these arguments, this plant and this agent, and is
 * used up before anything is switched; all rules of the call itself are still to come. What waits does not survive a
 * restart: it counts as a no.
 */
export class Approvals {
  private readonly open = new Map<number, ApprovalRequest>();
  private readonly asking = new Map<string, Promise<ApprovalRequest>>();
  /** Calls that wait for an answer, by token. */
  private readonly waiting = new Map<string, number>();
  private readonly refusals: Refusals;
  private readonly listeners = new Listeners();
  private closed = false;

  private constructor(private readonly parts: ApprovalParts) {
    this.refusals = new Refusals(parts.clock);
  }

  static async open(parts: ApprovalParts): Promise<Approvals> {
    const approvals = new Approvals(parts);
    const newest = await parts.log.newestFirst(REMEMBERED, 0);
    for (const { id, record } of newest.reverse()) await approvals.restore(id, record);
    return approvals;
  }

  /** The rule of a tool; undefined where this caller needs nobody's yes. A person never does. */
  ruleFor(tool: string, { role }: Identity): ConfirmRule | undefined {
    const rule = this.parts.rules[tool];
    return rule === undefined || rule === "never" || mayActAs(role, "human") ? undefined : rule;
  }

  /** Told when a request comes or goes. */
  watch(listener: () => void): Cancel {
    return this.listeners.watch(listener);
  }

  /** What waits for an answer, the oldest first. */
  pending(): ApprovalView[] {
    return [...this.open.values()].filter(({ state }) => state === "pending").map(viewOf);
  }

  /** The newest first, answered ones too. */
  async list(limit: number): Promise<({ id: number } & ApprovalRecord)[]> {
    return (await this.parts.log.newestFirst(limit, 0)).map(({ id, record }) => ({ id, ...record }));
  }

  /** What the asking client brings along: its no counts, its yes only where that was configured. */
  async hear(demand: Demand, { state, answer }: Dialogue): Promise<void> {
    const request = [...this.open.values()].find(({ id }) => String(id) === state);
    if (answer === undefined || request?.state !== "pending" || !isAbout(request, demand)) return;
    const by = `${demand.agent} (its own client)`;
    if (answer === "no") await this.deny(request, by);
    else if (this.parts.by === "client") await this.approve(request, by);
  }

  /**
   * Resolves once the call may go on; its yes is used up then, and that is on disk. A new request is answered at once
   * with APPROVAL_NEEDED, the same call again waits a while. Throws APPROVAL_DENIED, APPROVAL_EXPIRED, RATE_LIMITED.
   */
  async obtain(demand: Demand, signal: AbortSignal, dialogue?: Dialogue): Promise<void> {
    this.assertOpen();
    this.refusals.assertNone(demand);
    const known = [...this.open.values()].find((request) => request.covers(demand));
    if (dialogue?.state !== undefined && dialogue.state !== String(known?.id)) throw staleState(demand);
    const request = known ?? (await this.ask(demand));
    const dismissed = dialogue?.state !== undefined && dialogue.answer === undefined;
    if (known && !dismissed) await this.answered(request, signal);
    if (request.state === "approved") return this.use(request, demand);
    if (request.state === "pending") throw this.needed(request, dialogue);
    return this.obtain(demand, signal);
  }

  /** A person's answer; a no also takes back a yes that is not used up. Throws UNKNOWN_APPROVAL. */
  async answer(id: number, approve: boolean, by: string): Promise<ApprovalView> {
    const request = this.open.get(id);
    if (!request) throw await this.notOpen(id);
    await (approve ? this.approve(request, by) : this.deny(request, by));
    return viewOf(request);
  }

  /** Everything that waits or was granted is refused: of these plants, or all of it. In force at once. */
  refuseAll(by: string, reason: string, concerns: (plant: string | undefined) => boolean = () => true): void {
    for (const request of [...this.open.values()])
      if (concerns(request.demand.plant)) this.deny(request, by, reason).catch(this.parts.complain);
  }

  /** Nothing waits any longer. The next start says so in the journal. */
  close(): void {
    this.closed = true;
    for (const request of [...this.open.values()]) this.settle(request, "expired");
  }

  private assertOpen(): void {
    if (this.closed) throw new TendrilError("STOPPING", "the runtime is stopping");
  }

  /** Two that ask for the same at once ask once. */
  private ask(demand: Demand): Promise<ApprovalRequest> {
    const key = `${demand.key} ${demand.instance ?? ""}`;
    const current = this.asking.get(key);
    if (current) return current;
    this.assertRoom(demand.agent);
    const asking = this.record(demand).finally(() => this.asking.delete(key));
    this.asking.set(key, asking);
    return asking;
  }

  private assertRoom(agent: string): void {
    const open = [...this.open.values()].filter(
      ({ demand, state }) => demand.agent === agent && state === "pending",
    );
    if (open.length + this.asking.size < MOST_OPEN) return;
    const what = `${open.length} calls of this token wait for a person's yes already`;
    throw new TendrilError("RATE_LIMITED", what, { retryAfter: LONGEST_WAIT / 1000 });
  }

  private async record(demand: Demand): Promise<ApprovalRequest> {
    const { log, clock, realClock, within, cycle: longest } = this.parts;
    const expiresAt = realClock.now() + within;
    const asked = askedOf(demand, expiresAt);
    const { id } = await log.append({ timestamp: isoUtc(clock.now()), kind: "asked", ...asked });
    const refusedUntil = plus(clock.monotonic(), demand.cycle?.left ?? longest);
    const request = new ApprovalRequest(id, demand, expiresAt, refusedUntil);
    this.open.set(id, request);
    this.expireAfter(request, within, "nobody answered in time");
    if (this.closed) this.settle(request, "expired");
    else await this.announce(request);
    return request;
  }

  private async announce(request: ApprovalRequest): Promise<void> {
    this.listeners.tell();
    const letter = `${request.title}. Answer with: tendril approve ${request.id}, or: tendril deny ${request.id}. No answer counts as a no.`;
    await this.parts.tell(letter).catch(this.parts.complain);
  }

  /** The request is over after so much real time, and with its cycle at the latest. */
  private expireAfter(request: ApprovalRequest, time: Millis | undefined, reason: string): void {
    const { clock, realClock } = this.parts;
    const { cycle } = request.demand;
    if (time !== undefined) request.keep(realClock.after(time, () => this.expire(request, reason)));
    if (!cycle) return;
    const left = millis(Math.max(0, request.refusedUntil - clock.monotonic()));
    request.keep(clock.after(left, () => this.expire(request, "its cycle was over")));
  }

  /** An unanswered one counts as a no; a yes that nobody used is simply gone. */
  private expire(request: ApprovalRequest, reason: string): void {
    const wasPending = request.state === "pending";
    this.settle(request, "expired");
    if (wasPending) this.remember(request, "APPROVAL_EXPIRED", `nobody answered: ${reason}`);
    this.note(request, "expired", "runtime", reason).catch(this.parts.complain);
  }

  /** A yes counts once it is on disk, and only if nothing came between. */
  private async approve(request: ApprovalRequest, by: string): Promise<void> {
    if (request.state === "approved") return;
    await this.note(request, "approved", by);
    if (request.state !== "pending") throw await this.notOpen(request.id);
    request.become("approved");
    this.expireAfter(
      request,
      request.holdsForCycle ? undefined : this.parts.within,
      "the yes was not used in time",
    );
    this.listeners.tell();
  }

  /** A no counts before it is on disk. */
  private async deny(request: ApprovalRequest, by: string, reason?: string): Promise<void> {
    this.settle(request, "denied");
    this.remember(request, "APPROVAL_DENIED", `${by} said no${reason === undefined ? "" : ` (${reason})`}`);
    await this.note(request, "denied", by, reason);
  }

  /** What the yes is for may be done now; a yes for one call is gone before its disk is waited for. */
  private async use(request: ApprovalRequest, demand: Demand): Promise<void> {
    if (!request.holdsForCycle) this.settle(request, "used");
    await this.note(request, "used", demand.agent);
    if (request.holdsForCycle && request.state !== "approved") return this.refusals.assertNone(demand);
  }

  private settle(request: ApprovalRequest, state: "denied" | "expired" | "used"): void {
    this.open.delete(request.id);
    request.become(state);
    this.listeners.tell();
  }

  private remember({ id, demand, refusedUntil }: ApprovalRequest, code: RefusalCode, why: string): void {
    const { key, agent, tool, plant } = demand;
    const what = `${sentence(demand)} (request ${id}): ${why}`;
    const lasts = millis(refusedUntil - this.parts.clock.monotonic());
    this.refusals.add({ id, key, agent, tool, code, what, ...(plant !== undefined && { plant }) }, lasts);
  }

  private async note(
    { id }: Pick<ApprovalRequest, "id">,
    kind: FollowUp["kind"],
    by: string,
    reason?: string,
  ): Promise<void> {
    const timestamp = isoUtc(this.parts.clock.now());
    await this.parts.log.append({ timestamp, of: id, kind, by, ...(reason !== undefined && { reason }) });
  }

  /** Resolves when the request is answered or over, when the caller gives up, or after a while. */
  private async answered(request: ApprovalRequest, signal: AbortSignal): Promise<void> {
    const { agent } = request.demand;
    const waiting = this.waiting.get(agent) ?? 0;
    if (request.state !== "pending" || signal.aborted || waiting >= MOST_OPEN) return;
    this.waiting.set(agent, waiting + 1);
    await new Promise<void>((resolve) => {
      request.keep(this.parts.realClock.after(LONGEST_WAIT, resolve));
      request.watch(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.waiting.set(agent, (this.waiting.get(agent) ?? 1) - 1);
  }

  private needed(request: ApprovalRequest, dialogue: Dialogue | undefined): ApprovalPending {
    const { id, expiresAt, title } = request;
    const ask = dialogue !== undefined && !request.shown;
    request.shown ||= ask;
    const expires_in_s = Math.max(0, Math.ceil((expiresAt - this.parts.realClock.now()) / 1000));
    const details = {
      id,
      expires_at: isoUtc(expiresAt),
      expires_in_s,
      approve_with: `tendril approve ${id}`,
    };
    return new ApprovalPending(`${title}; it waits for: tendril approve ${id}`, {
      particulars: { retryAfter: RETRY_AFTER, details },
      ...(ask && { question: { message: questionIn(request, this.parts.by), state: String(id) } }),
    });
  }

  private async notOpen(id: number): Promise<TendrilError> {
    const record = await this.parts.log.get(id);
    if (!record) return new TendrilError("UNKNOWN_APPROVAL", `there is no request ${id}`);
    const why = record.reason === null ? "" : ` (${record.reason})`;
    return new TendrilError("UNKNOWN_APPROVAL", `request ${id} is ${record.state} already${why}`);
  }

  /** What waited when the runtime ended counts as a no, and every no goes on for what is left of its time by the wall clock. */
  private async restore(id: number, record: ApprovalRecord): Promise<void> {
    const { clock, cycle } = this.parts;
    const isOpen = record.state === "pending" || record.state === "approved";
    if (record.state === "used" || (record.state === "expired" && record.answered_by !== null)) return;
    const reason = "the runtime was restarted before it was carried out";
    const age = Math.max(0, clock.now() - Date.parse(record.timestamp));
    const { cycle: _, ...asked } = record;
    const demand: Demand = { ...asked, key: keyOf(record) };
    const request = new ApprovalRequest(id, demand, 0, plus(clock.monotonic(), millis(cycle - age)));
    if (isOpen) await this.note(request, "expired", "runtime", reason);
    const code = record.state === "denied" ? "APPROVAL_DENIED" : "APPROVAL_EXPIRED";
    this.remember(request, code, isOpen ? reason : (record.reason ?? `${record.answered_by} said no`));
  }
}

type RefusalCode = "APPROVAL_DENIED" | "APPROVAL_EXPIRED";

const isAbout = ({ demand }: ApprovalRequest, { key, agent, instance }: Demand): boolean =>
  demand.key === key && demand.agent === agent && demand.instance === instance;

function askedOf({ key: _, cycle, ...demand }: Demand, expiresAt: number): Asked {
  return { ...demand, ...(cycle && { cycle: cycle.id }), expires_at: isoUtc(expiresAt) };
}

const viewOf = ({ id, demand, expiresAt }: ApprovalRequest): ApprovalView => ({
  id,
  ...askedOf(demand, expiresAt),
});

/** What a client shows to whoever sits in front of it. */
function questionIn({ id, title }: ApprovalRequest, by: "person" | "client"): string {
  if (by === "client") return `${title}. Shall it go ahead?`;
  return `${title}. Shall it go ahead? A no counts at once; a yes only when a person says so with: tendril approve ${id}`;
}

const staleState = (demand: Demand): TendrilError =>
  new TendrilError(
    "APPROVAL_EXPIRED",
    `${sentence(demand)}: the answer that came with this call is to no request of its own that still waits`,
  );
