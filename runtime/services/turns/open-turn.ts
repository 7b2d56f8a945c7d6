import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { errorTable, final, later, TendrilError } from "../../errors.js";
import type { Taint } from "../../tools/taint.js";
import type { CallTurn } from "../../tools/turn.js";
import type { TurnKind, TurnOutcome, turnCall } from "../../wire/chats.js";
import type { TurnPlan } from "../module.js";
import { MAX_SOURCES } from "./taint.js";

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
export interface TurnOwner {
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
