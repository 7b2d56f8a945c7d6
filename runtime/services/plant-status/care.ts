import type { z } from "zod";
import type { Clock } from "../../../drivers/ports.js";
import { type Millis, millis } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import type { CycleStatus } from "../../safety/gate.js";
import { elapsed, stampOf } from "../../safety/stamp.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { careHolder } from "../../wire/plants.js";
import { STATUS_ERRORS, type StatusRecord } from "./declarations.js";

/** Who cares for a plant, and until when other agents are refused; a further status extends that. */
export type CareView = Readonly<z.output<typeof careHolder>>;

/** An agent: its token, and its own name if several share the token. */
export interface AgentName {
  readonly agent: string;
  readonly instance?: string | null | undefined;
}

/** By plant: the status with which an agent last took its care. Care lasts as long as a cycle of that status. */
export class Care {
  private readonly holders = new Map<string, StatusRecord>();

  constructor(
    private readonly clock: Clock,
    private readonly maxAge: Millis,
    private readonly isToken: (name: string) => boolean,
  ) {}

  keep(record: StatusRecord): void {
    if (record.care === "taken") this.holders.set(record.plant, record);
  }

  /** Ends the care, if the status of that time was the last that took it. */
  release(plant: string, status_at: string): void {
    if (this.holders.get(plant)?.timestamp === status_at) this.holders.delete(plant);
  }

  /** Undefined if the last status is too old, its age cannot be proved, or its token was removed. */
  of(plant: string): CareView | undefined {
    const record = this.holders.get(plant);
    if (!record || !this.isToken(record.agent)) return undefined;
    const { atLeast, certain } = elapsed(record.stamp, stampOf(this.clock));
    if (!certain || atLeast > this.maxAge) return undefined;
    const until = isoUtc(this.clock.now() + millis(this.maxAge - atLeast));
    return { agent: record.agent, instance: record.instance ?? null, status_at: record.timestamp, until };
  }

  ofAnother(plant: string, name: AgentName): CareView | undefined {
    const holder = this.of(plant);
    return holder && !isHeldBy(holder, name) ? holder : undefined;
  }
}

export const isHeldBy = (care: CareView, { agent, instance }: AgentName): boolean =>
  care.agent === agent && care.instance === (instance ?? null);

/** "basil is cared for by agent (attic) until 2026-06-01T08:30:00.000Z" */
function holderInWords(plant: string, { agent, instance, until }: CareView): string {
  const name = instance === null ? agent : `${agent} (${instance})`;
  return `${plant} is cared for by ${name} until ${until}`;
}

/** What an agent is told while another one cares for the plant. */
export const turnedAwayInWords = (plant: string, care: CareView): string =>
  `${holderInWords(plant, care)}. Leave its care to that agent and end this cycle; reading and logging are free. A person can end that care with \`tendril release ${plant}\`.`;

/** The same as a refusal of a call. */
export const careTaken = (plant: string, care: CareView, now: number): TendrilError =>
  new TendrilError(STATUS_ERRORS.CARE_TAKEN, holderInWords(plant, care), {
    retryAfter: Math.max(0, Date.parse(care.until) - now) / 1000,
    details: { ...care },
  });

/**
 * How many expired statuses are kept, so that their agents get the right error. A choice: more agents than a greenhouse
 * has; each name that a client invents counts as an agent.
 */
const EXPIRED_KEPT = 100;

/** The latest status of each agent for each plant. Old ones that can open nothing are forgotten. */
export class Gates {
  /** The longest unused first. */
  private readonly latest = new Map<string, CycleStatus>();

  constructor(
    private readonly clock: Clock,
    private readonly maxAge: Millis,
  ) {}

  get size(): number {
    return this.latest.size;
  }

  of(key: string): CycleStatus | undefined {
    return this.latest.get(key);
  }

  keep(key: string, status: CycleStatus): void {
    this.latest.delete(key);
    this.latest.set(key, status);
    this.forget();
  }

  end(key: string): void {
    this.latest.delete(key);
  }

  private forget(): void {
    const now = stampOf(this.clock);
    for (const [key, { stamp }] of this.latest) {
      if (this.latest.size <= EXPIRED_KEPT) return;
      const { atLeast, certain } = elapsed(stamp, now);
      if (certain && atLeast <= this.maxAge) return;
      this.latest.delete(key);
    }
  }
}
