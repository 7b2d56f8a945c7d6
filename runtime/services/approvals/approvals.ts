import type { Cancel } from "../../../drivers/ports.js";
import { minutes, seconds } from "../../../drivers/units.js";
import { TendrilError, tooMany } from "../../errors.js";
import { smallerPage } from "../../store/record-index.js";
import { assertFits, jsonBytes } from "../../store/records.js";
import { isoUtc } from "../../tools/iso-time.js";
import {
  ApprovalPending,
  type Call,
  type Caller,
  type Dialogue,
  type Intent,
  type Waiting,
} from "../../tools/tool.js";
import { mayActAs } from "../../wire/identity.js";
import { HELD } from "../../wire/names.js";
import type { ApprovalNeeded } from "../../wire/people.js";
import { HOUSEHOLD, household } from "../household/household.js";
import { definePart, type House } from "../module.js";
import { outbox } from "../outbox/outbox.js";
import { control } from "../people/control.js";
import { statusConfig } from "../plant-status/declarations.js";
import { plantStatus } from "../plant-status/service.js";
import {
  APPROVAL_ERRORS,
  APPROVAL_LOG,
  type ApprovalRecord,
  type Asked,
  approvalConfig,
  type ConfirmRule,
} from "./declarations.js";
import {
  type ApprovalRequest,
  askedFor,
  askedOf,
  type CallToApprove,
  callToApprove,
  outlined,
  ownerOf,
  type PlannedCycle,
  plantOf,
  sentence,
  sketched,
  sourcesAgainst,
} from "./request.js";
import { noRequest, REMEMBERED, Requests } from "./requests.js";

/** A choice: how many requests of one token may wait for an answer, and how many of its calls at once. */
const MAX_OPEN = 3;
/** How long one call waits for an answer: well within the 60 s that MCP clients allow a call by default. */
const LONGEST_WAIT = seconds(20);
/** Seconds. The next call waits by itself, so it may come soon. A choice, against clients that do not wait at all. */
const RETRY_AFTER = 2;

type ApprovalParts = Awaited<ReturnType<typeof partsOf>>;

/** Why the requests of a token that was revoked are refused. */
const TOKEN_GONE = "its token is gone";

/** A request that is being written to the disk. */
interface Asking {
  readonly wanted: CallToApprove;
  readonly request: Promise<ApprovalRequest>;
}

/** A request as others see it. */
interface ApprovalView extends Asked {
  readonly id: number;
  /** Real seconds that are left. */
  readonly expires_in_s: number;
}

/**
 * Asks a person before an agent's call is carried out. A yes is for these arguments, this plant and this agent. It is
 * used up before anything is switched; then the call's own rules still apply. A restart ends waiting requests: they
 * count as a no.
 */
class Approvals {
  private readonly asking = new Map<string, Asking>();
  /** Calls that wait for an answer, by token. */
  private readonly waiting = new Map<string, number>();
  private closed = false;

  private constructor(
    private readonly parts: ApprovalParts,
    private readonly requests: Requests,
  ) {}

  static async open(parts: ApprovalParts): Promise<Approvals> {
    return new Approvals(parts, await Requests.open(parts));
  }

  /** The yes that this call needs; undefined if it needs none. A person's call never does. */
  callToApprove(intent: Intent): CallToApprove | undefined {
    const { call } = intent.context;
    const rule = this.ruleFor(intent);
    if (rule === "never" || mayActAs(call.identity.role, "human")) return undefined;
    const plant = plantOf(intent);
    const cycle = plant === undefined ? undefined : this.parts.cycleOf(plant, call);
    return callToApprove(intent, { rule, owner: this.ownerFor(intent), cycle });
  }

  /** Calls the listener when a request comes, is answered or ends. */
  watch(listener: () => void): Cancel {
    return this.requests.watch(listener);
  }

  /** The requests that wait for an answer, oldest first. */
  pending(): ApprovalView[] {
    return this.requests
      .all()
      .filter(({ state }) => state === "pending")
      .map((request) => this.view(request));
  }

  /** The same, as this caller may read them. */
  pendingFor(caller: Caller): ApprovalView[] {
    return this.pending().flatMap((view) => this.asRead(view, caller) ?? []);
  }

  /** The newest requests that this caller may know of, newest first. Throws RESULT_TOO_LARGE. */
  async list(limit: number, caller: Caller): Promise<({ id: number } & ApprovalRecord)[]> {
    const found: ({ id: number } & ApprovalRecord)[] = [];
    for await (const { id, record } of this.parts.house.journal(APPROVAL_LOG).newest({ limit: REMEMBERED })) {
      const seen = this.asRead({ id, ...record }, caller);
      if (seen) found.push(seen);
      if (found.length === limit) break;
    }
    assertFits(found.map(jsonBytes), smallerPage);
    return found;
  }

  /** Records the answer from the asking client: its no counts; its yes only if that is configured. */
  async recordAnswer(wanted: CallToApprove, { state, answer }: Dialogue): Promise<void> {
    const request = this.requests.all().find(({ id }) => String(id) === state);
    if (answer === undefined || request?.state !== "pending" || !request.isOf(wanted)) return;
    const by = `${wanted.agent} (its own client)`;
    if (answer === "no") await this.requests.deny(request, by);
    else if (this.parts.by === "client") await this.requests.approve(request, by);
  }

  /**
   * Resolves once the call may go on; then its yes is used up, and that is on the disk. A new request gets
   * APPROVAL_NEEDED at once; the same call again waits a while. Throws APPROVAL_DENIED, APPROVAL_EXPIRED, RATE_LIMITED.
   */
  async waitForApproval(wanted: CallToApprove, call: Waiting, dialogue?: Dialogue): Promise<void> {
    if (this.closed) throw new TendrilError("STOPPING", "the runtime is stopping");
    this.requests.assertNotRefused(wanted);
    const known = this.requests.all().find((request) => request.covers(wanted));
    if (dialogue?.state !== undefined && dialogue.state !== String(known?.id)) throw staleState(wanted);
    const request = known ?? (await this.ask(wanted));
    const dismissed = dialogue?.state !== undefined && dialogue.answer === undefined;
    if (known && !dismissed) await this.answered(request, call);
    if (request.refusal) throw request.refusal;
    if (request.state === "approved") return this.requests.use(request, wanted);
    if (request.state === "pending" && !this.closed) throw this.needed(request, dialogue);
    return this.waitForApproval(wanted, call);
  }

  /**
   * A person's answer. A no also takes back a yes that is not used up. A token with a scope may only answer what it has
   * delivered, else FORBIDDEN. Throws UNKNOWN_APPROVAL, also for another person's request.
   */
  async answer(id: number, approve: boolean, call: Call): Promise<ApprovalView> {
    const { name } = call.identity;
    await this.requests.allWritten();
    const record = await this.parts.house.journal(APPROVAL_LOG).get(id);
    if (record && !this.asRead(record, call)) throw noRequest(id);
    const request = await this.requests.get(id);
    await this.requests.assertMayAnswer(request, call.identity);
    await (approve ? this.requests.approve(request, name) : this.requests.deny(request, name));
    const view = this.view(request);
    return this.asRead(view, call) ?? view;
  }

  /** Refuses everything that waits or was granted, of these calls or of all. Takes effect at once. */
  refuseAll(by: string, reason: string, concerns: (wanted: CallToApprove) => boolean = () => true): void {
    const { complain } = this.parts.house;
    for (const request of this.requests.revocable())
      if (concerns(request.wanted)) this.requests.deny(request, by, reason).catch(complain);
    const late = (request: ApprovalRequest) =>
      request.state === "pending" ? this.requests.deny(request, by, reason) : undefined;
    for (const { wanted, request } of this.asking.values())
      if (concerns(wanted)) request.then(late).catch(complain);
  }

  /** Ends all waiting. */
  close(): void {
    this.closed = true;
    this.requests.close();
  }

  /** Who has read words of strangers acts on nothing unasked, whatever is configured. */
  private ruleFor({ tool, args, context }: Intent): ConfirmRule | "never" {
    const { name, confirmation } = tool;
    const isTainted = sourcesAgainst(tool, context.call).length > 0;
    const isAsked = confirmation && (isTainted || confirmation.isNeeded?.(args as never, context as never));
    return isAsked ? "always" : (this.parts.rules[name] ?? "never");
  }

  /** What a plant gets concerns everybody in the house. */
  private ownerFor({ tool, args, context: { call } }: Intent): string {
    return tool.confirmation?.ofTheHouse ? HOUSEHOLD : askedFor(call, args, this.parts.household);
  }

  /** Undefined if it is another person's. */
  private asRead<T extends Asked>(asked: T, caller: Caller): T | undefined {
    const { household } = this.parts;
    const owner = ownerOf(asked, household);
    const reading = household.readingOf(caller, owner);
    if (reading === "nothing") return undefined;
    if (reading === "kind") return sketched(asked);
    return reading === "all" ? asked : outlined(asked, owner);
  }

  /** Two calls that ask for the same at the same time share one request. */
  private ask(wanted: CallToApprove): Promise<ApprovalRequest> {
    const key = `${wanted.key} ${wanted.instance ?? ""}`;
    const current = this.asking.get(key);
    if (current) return current.request;
    this.assertRoom(wanted.agent);
    const request = this.requests.add(wanted).finally(() => this.asking.delete(key));
    this.asking.set(key, { wanted, request });
    return request;
  }

  private assertRoom(agent: string): void {
    const open = this.requests
      .all()
      .filter(({ wanted, state }) => wanted.agent === agent && state === "pending");
    const coming = [...this.asking.values()].filter((each) => each.wanted.agent === agent);
    if (open.length + coming.length < MAX_OPEN) return;
    throw tooMany(`${MAX_OPEN} calls of this token wait for a person's yes already`, LONGEST_WAIT / 1000);
  }

  /** Resolves when the request is answered or over, when the caller gives up, or after LONGEST_WAIT. */
  private async answered(request: ApprovalRequest, { signal, age }: Waiting): Promise<void> {
    const { agent } = request.wanted;
    const waiting = this.waiting.get(agent) ?? 0;
    if (request.state !== "pending" || waiting >= MAX_OPEN) return;
    this.waiting.set(agent, waiting + 1);
    await request.changed(this.parts.house.realClock, LONGEST_WAIT, signal());
    age?.beginAnew();
    this.waiting.set(agent, (this.waiting.get(agent) ?? 1) - 1);
  }

  private view(request: ApprovalRequest): ApprovalView {
    const { id, wanted, expiresAt } = request;
    return { id, ...askedOf(wanted, expiresAt), expires_in_s: this.secondsLeft(request) };
  }

  private secondsLeft({ expiresAt }: ApprovalRequest): number {
    return Math.max(0, Math.ceil((expiresAt - this.parts.house.realClock.now()) / 1000));
  }

  private needed(request: ApprovalRequest, dialogue: Dialogue | undefined): ApprovalPending {
    const { id, expiresAt, shownUntil, title } = request;
    const ask = dialogue !== undefined && !request.shown;
    request.shown ||= ask;
    const details: ApprovalNeeded = {
      id,
      expires_at: isoUtc(expiresAt),
      until: shownUntil,
      expires_in_s: this.secondsLeft(request),
      approve_with: `tendril approve ${id}`,
    };
    return new ApprovalPending(`${title}; it waits for: tendril approve ${id}`, {
      particulars: { retryAfter: RETRY_AFTER, details },
      ...(ask && { question: { message: questionIn(request, this.parts.by), state: String(id) } }),
    });
  }
}

/** The question that a client shows to the person in front of it. */
function questionIn({ id, title }: ApprovalRequest, by: "person" | "client"): string {
  if (by === "client") return `${title}. Shall it go ahead?`;
  return `${title}. Shall it go ahead? A no counts at once; a yes only when a person says so with: tendril approve ${id}`;
}

const staleState = (wanted: CallToApprove): TendrilError => {
  const what = `${sentence(wanted)}: the answer that came with this call is to no request of its own that still waits`;
  return new TendrilError(APPROVAL_ERRORS.APPROVAL_EXPIRED, what);
};

async function partsOf(house: House) {
  const { confirm: rules, confirm_within_minutes, confirm_by: by } = house.config(approvalConfig);
  const status = await house.use(plantStatus);
  return {
    ...{ house, rules, by },
    within: minutes(confirm_within_minutes),
    household: await house.use(household),
    /** The agent's cleared cycle of a plant. */
    cycleOf: (plant: string, call: Call): PlannedCycle | undefined => status.openCycle(plant, call),
    cycle: minutes(house.config(statusConfig).cycle.max_age_minutes),
    outbox: await house.use(outbox),
  };
}

/** The approvals of the house. A hold refuses what waits for a yes. */
export const approvals = definePart("approvals", async (house) => {
  const opened = await Approvals.open(await partsOf(house));
  const holds = await house.use(control);
  // at 60 times real time, the cycle and its requests would be over before a person has read them
  opened.watch(() => house.board.bench?.keepRealTime(opened.pending().length > 0));
  const isHeld = ({ plant = "" }: CallToApprove) => holds.hold(plant) !== undefined;
  holds.watchHeld(() => opened.refuseAll("runtime", HELD, isHeld));
  const ended = (token: string) => opened.refuseAll("runtime", TOKEN_GONE, ({ agent }) => agent === token);
  house.onClose(house.tokens.watchGone(ended));
  return opened;
});
