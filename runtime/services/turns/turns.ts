import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { Mutex } from "../../../drivers/mutex.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { type Millis, millis, minutes } from "../../../drivers/units.js";
import { errorTable, excerpt, final, invalidArgument, later, TendrilError } from "../../errors.js";
import { isoUtc } from "../../tools/iso-time.js";
import { type CallTurn, type Taint, type TurnGate, UNTAINTED } from "../../tools/taint.js";
import type { Call } from "../../tools/tool.js";
import type { TurnKind, TurnOutcome, turnCall } from "../../wire/chats.js";
import type { Identity } from "../../wire/identity.js";
import { definePart, Listeners, type TurnEnd, type TurnPlan } from "../module.js";
import { MAX_SOURCES, TAINT_LOG, TokenTaint } from "./taint.js";

export const TURN_ERRORS = errorTable({
  NO_TURN: final('begin a turn with begin_turn, and name it in _meta["tendril/turn"]', "nothing"),
  TURN_OVER: final("begin a new turn", "nothing"),
  TURN_TAKEN: later("leave it to the agent that is named here", "nothing"),
  TOO_MANY_TURNS: later("end turns that are done", "nothing"),
});

/** A choice: a person who waits looks at no more, and a model that loops fills no memory. */
const MAX_CALLS = 200;

type ShownCall = z.output<typeof turnCall>;

/** The token, and the one of its agents. */
interface TurnOwner {
  readonly token: string;
  readonly instance: string | undefined;
}

interface TurnParts {
  readonly kind: TurnKind;
  readonly owner: TurnOwner;
  readonly plan: TurnPlan;
  readonly began: string;
  timestamp(): string;
  /** Called at the beginning and the end of each call. */
  used(): void;
}

/** A turn of an agent, in memory: it does not survive the runtime. */
export class OpenTurn implements CallTurn {
  readonly id = randomUUID();
  /** Null while it runs. */
  outcome: TurnOutcome | null = null;
  readonly taint: Taint & { sources: readonly string[] };
  private readonly shown: ShownCall[] = [];

  constructor(private readonly parts: TurnParts) {
    this.taint = {
      sources: [...(parts.plan.tainted ?? [])].slice(0, MAX_SOURCES),
      add: (sources) => {
        this.taint.sources = [...new Set([...this.taint.sources, ...sources])].slice(0, MAX_SOURCES);
      },
    };
  }

  get kind(): TurnKind {
    return this.parts.kind;
  }

  get plan(): TurnPlan {
    return this.parts.plan;
  }

  get person(): string {
    return this.plan.person;
  }

  get chat(): string | null {
    return this.plan.chat ?? null;
  }

  get began(): string {
    return this.parts.began;
  }

  get owner(): TurnOwner {
    return this.parts.owner;
  }

  /** The newest calls, the oldest first. */
  get calls(): readonly ShownCall[] {
    return this.shown;
  }

  isOf({ token, instance }: TurnOwner): boolean {
    return this.owner.token === token && this.owner.instance === instance;
  }

  assertOpen(): void {
    if (this.outcome === null) return;
    throw new TendrilError(TURN_ERRORS.TURN_OVER, `the turn is over (${this.outcome})`);
  }

  showCall(tool: string, title: string): (outcome: string) => void {
    const call = { tool, title, timestamp: this.parts.timestamp(), outcome: "running" };
    this.shown.push(call);
    if (this.shown.length > MAX_CALLS) this.shown.shift();
    this.noteUse();
    return (outcome) => {
      call.outcome = outcome;
      this.noteUse();
    };
  }

  private noteUse(): void {
    this.parts.used();
    this.plan.changed?.();
  }
}

/** Choices: longer than a small model thinks between two calls; longer than any conversation works on one answer. */
const LONGEST_PAUSE: Millis = minutes(10);
const LONGEST_TURN: Millis = minutes(30);
/** Open turns of one token. A choice: more agents than share a token. */
const MAX_OPEN = 10;
/** As the runtime mints them. */
const TURN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Timed {
  readonly turn: OpenTurn;
  /** On the real monotonic clock. */
  readonly latest: Millis;
  ends: Millis;
  disarm: Cancel;
}

interface TurnClocks {
  /** The plants' time, which results show. */
  readonly clock: Clock;
  /** Real time, for how long a turn may take. */
  readonly realClock: Clock;
}

/**
 * The turns of agents, in memory: a turn that was open when the runtime ended is over. A turn belongs to the agent that began
 * it. There is one open turn of a chat and of a task.
 */
export class Turns implements TurnGate {
  private readonly open = new Map<string, Timed>();
  private readonly beginning = new Mutex();
  private readonly closing = new Listeners();
  private closed = false;

  constructor(
    private readonly clocks: TurnClocks,
    private readonly taint: TokenTaint,
    private readonly complain: (error: unknown) => void,
  ) {}

  turnOf({
    identity,
    instance,
    turn: named,
  }: Pick<Call, "identity" | "instance"> & { turn?: unknown }): OpenTurn | undefined {
    if (named === undefined) return undefined;
    if (typeof named !== "string" || !TURN_ID.test(named))
      throw invalidArgument("the turn in _meta is not a turn_id of begin_turn");
    const turn = this.open.get(named)?.turn;
    if (turn?.isOf({ token: identity.name, instance })) return turn;
    throw new TendrilError(TURN_ERRORS.TURN_OVER, `${identity.name} has no open turn ${named}`);
  }

  taintOf({ name, role }: Identity, turn: CallTurn | undefined): Taint {
    if (role !== "agent") return UNTAINTED;
    return turn instanceof OpenTurn ? turn.taint : this.taint.of(name);
  }

  /** What an agent reads outside of calls, such as an MCP resource: its program may show it to any of its turns. */
  async noteRead(identity: Identity, sources: readonly string[]): Promise<void> {
    const own = this.all().filter(({ owner }) => owner.token === identity.name);
    for (const taint of [...own.map((turn) => turn.taint), this.taintOf(identity, undefined)])
      await taint.add(sources);
  }

  /**
   * Begins the turn that `plan` allows at that moment. The same agent that begins it again has lost its first turn, which
   * fails. Throws TURN_TAKEN, TOO_MANY_TURNS, and what `plan` throws.
   */
  begin(kind: TurnKind, owner: TurnOwner, plan: () => TurnPlan): Promise<OpenTurn> {
    return this.beginning.run(async () => {
      const former = this.about(plan().about);
      if (former) await this.takeOver(former, owner);
      this.assertRoom(owner);
      return this.add(kind, owner, plan());
    });
  }

  ofChat(chat: string): OpenTurn | undefined {
    return this.all().find((turn) => turn.chat === chat && turn.kind === "conversation");
  }

  /** Its calls are refused from now on. Resolves once what follows from its end is on the disk. */
  async end(turn: OpenTurn, end: TurnEnd): Promise<void> {
    const timed = this.open.get(turn.id);
    if (!timed) return;
    this.open.delete(turn.id);
    timed.disarm();
    turn.outcome = end.outcome;
    await turn.plan.ended?.(turn, end);
  }

  /** When the turn ends by itself if it makes no call, ISO 8601. */
  expires(turn: OpenTurn): string {
    const { clock, realClock } = this.clocks;
    const ends = this.open.get(turn.id)?.ends ?? realClock.monotonic();
    return isoUtc(clock.now() + Math.max(0, ends - realClock.monotonic()));
  }

  /** Told when the runtime stops: whoever waits for a turn is to wait no longer. */
  watchClosing(listener: () => void): Cancel {
    return this.closing.watch(listener);
  }

  close(): void {
    this.closed = true;
    for (const { disarm } of this.open.values()) disarm();
    this.closing.tell();
  }

  private async add(kind: TurnKind, owner: TurnOwner, plan: TurnPlan): Promise<OpenTurn> {
    const { clock, realClock } = this.clocks;
    const timestamp = () => isoUtc(clock.now());
    const turn = new OpenTurn({
      ...{ kind, owner, plan, timestamp },
      began: timestamp(),
      used: () => this.arm(turn),
    });
    await plan.began?.(turn);
    const latest = millis(realClock.monotonic() + LONGEST_TURN);
    this.open.set(turn.id, { turn, latest, ends: latest, disarm: () => undefined });
    this.arm(turn);
    return turn;
  }

  private async takeOver(former: OpenTurn, owner: TurnOwner): Promise<void> {
    if (former.isOf(owner)) return this.end(former, { outcome: "failed", reason: "its agent began another" });
    const { token, instance } = former.owner;
    const who = instance === undefined ? token : `${token} (${excerpt(instance)})`;
    const until = this.expires(former);
    const details = { agent: token, ...(instance !== undefined && { instance }), until };
    throw new TendrilError(
      TURN_ERRORS.TURN_TAKEN,
      `${former.plan.about} is with ${who} until ${until} at the latest`,
      { details },
    );
  }

  private assertRoom({ token }: TurnOwner): void {
    if (this.all().filter(({ owner }) => owner.token === token).length < MAX_OPEN) return;
    throw new TendrilError(TURN_ERRORS.TOO_MANY_TURNS, `${token} has ${MAX_OPEN} open turns`);
  }

  private about(what: string): OpenTurn | undefined {
    return this.all().find(({ plan }) => plan.about === what);
  }

  private all(): readonly OpenTurn[] {
    return [...this.open.values()].map(({ turn }) => turn);
  }

  private arm(turn: OpenTurn): void {
    const timed = this.open.get(turn.id);
    if (!timed || this.closed) return;
    const { realClock } = this.clocks;
    timed.disarm();
    timed.ends = millis(Math.min(timed.latest, realClock.monotonic() + LONGEST_PAUSE));
    timed.disarm = realClock.after(millis(timed.ends - realClock.monotonic()), () => this.expire(turn));
  }

  private expire(turn: OpenTurn): void {
    this.end(turn, { outcome: "expired", reason: "its agent made no call in time" }).catch(this.complain);
  }
}

const tokenTaint = definePart("taint", (house) => TokenTaint.open(house.journal(TAINT_LOG), house.clock));

export const turns = definePart("turns", async (house) => {
  const opened = new Turns(house, await house.use(tokenTaint), house.complain);
  house.onClose(() => opened.close());
  return opened;
});

export const turnParts = [tokenTaint, turns];

/** After a loss of the journal: nobody knows who has read what. */
export const taintAfterLoss = async (...[house]: Parameters<typeof tokenTaint.open>): Promise<void> =>
  (await house.use(tokenTaint)).noteLoss();
