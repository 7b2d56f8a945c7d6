import type { Clock } from "../../drivers/ports.js";
import { type Millis, millis } from "../../drivers/units.js";

/** When something happened, and what is needed to say later how long ago that was. */
export interface Stamp {
  /** Wall clock, milliseconds since 1970-01-01T00:00:00Z. */
  readonly wall_ms: number;
  /** Monotonic clock of the boot named by `boot`, milliseconds. */
  readonly mono_ms: number;
  readonly boot: string;
  /** Whether the wall clock was known to be right. */
  readonly synced: boolean;
  /** The system called the wall clock right, and it was behind earlier records: one of them was wrong, nobody knows which. */
  readonly contradicts?: true;
}

interface Elapsed {
  /** At least this much true time has passed; never negative. */
  readonly atLeast: Millis;
  /** Whether exactly `atLeast` has passed. */
  readonly certain: boolean;
}

export const stampOf = (clock: Clock): Stamp => ({
  wall_ms: clock.now(),
  mono_ms: clock.monotonic(),
  boot: clock.bootId,
  synced: clock.synchronised(),
  ...(clock.contradicts?.() && { contradicts: true }),
});

const UNKNOWN: Elapsed = { atLeast: millis(0), certain: false };

/**
 * The time from one stamp to a later one, and never too much of it. Within one boot the monotonic clock counts. Across
 * boots the wall clock counts, only if it was right at both ends. Otherwise, and if the later stamp lies before the
 * earlier one, no time can be proved.
 */
export function elapsed(from: Stamp, to: Stamp): Elapsed {
  if (from.boot === to.boot) return proven(to.mono_ms - from.mono_ms);
  return from.synced && to.synced ? proven(to.wall_ms - from.wall_ms) : UNKNOWN;
}

const proven = (difference: number): Elapsed =>
  difference >= 0 ? { atLeast: millis(difference), certain: true } : UNKNOWN;

/**
 * How long ago stamps were taken, as far as it can be proved, by three facts only:
 *
 * 1. Two stamps of one boot lie exactly as far apart as the monotonic clock says.
 * 2. A boot ends before the next one begins.
 * 3. Two stamps with a right wall clock lie as far apart as their wall times, if that contradicts nothing. A clock that
 *    claims to be right and goes back contradicts itself: then no wall time counts at all, also none from before that. The
 *    clock that went back may have been right, and an earlier one that jumped ahead wrong.
 *
 * So an age is never more than the true one, whatever the clocks did. Only marks give the order of the boots; they are
 * in the order in which they were taken. All other records may be in any order, because a record may be stamped long after
 * its place in the journal.
 */
export class ProvenAges {
  private dating: Dating | undefined;

  /** Nothing is worked out before a stamp of another boot is asked for: they are mostly of the present one. */
  constructor(
    private readonly records: readonly StampedRecord[],
    private readonly now: Stamp,
  ) {}

  /** The time since the stamp that can be proved; never negative. */
  of(stamp: Stamp): Millis {
    if (stamp.boot === this.now.boot) return since(stamp, this.now.mono_ms);
    this.dating ??= new Dating(this.records, this.now);
    return since(stamp, this.dating.sinceStartOf(stamp));
  }
}

/** A record that says only what the clocks read, for the order of the boots, is a mark. */
interface StampedRecord {
  readonly stamp: Stamp;
  readonly mark?: boolean;
}

const since = ({ mono_ms }: Stamp, sinceStart: number): Millis => millis(Math.max(0, sinceStart - mono_ms));

/** When the boots of stamps began, as far as it can be proved. */
class Dating {
  private readonly boots: readonly Boot[];
  private readonly byId: ReadonlyMap<string, Boot>;
  /** Whether all wall times that claim to be right can be right together. */
  private readonly believed: boolean;

  constructor(
    records: readonly StampedRecord[],
    private readonly now: Stamp,
  ) {
    const order = new Set(records.flatMap(({ mark, stamp }) => (mark ? [stamp.boot] : [])));
    order.delete(now.boot);
    this.byId = new Map([...order, now.boot].map((id) => [id, { sinceStart: 0, stamps: [] }]));
    for (const { stamp } of [...records, { stamp: now }]) this.byId.get(stamp.boot)?.stamps.push(stamp);
    this.boots = [...this.byId.values()];
    const contradicted = now.contradicts || records.some(({ stamp }) => stamp.contradicts);
    this.believed = !contradicted && !goesBack(this.boots.flatMap(rightStamps));
    this.dateBoots();
  }

  /** The least time from the start of the stamp's boot to now, milliseconds. */
  sinceStartOf(stamp: Stamp): number {
    return (this.byId.get(stamp.boot) ?? this.dateUnordered(stamp)).sinceStart;
  }

  /** From the present boot backwards: each boot by the next one, and by the nearest later stamp with a right clock. */
  private dateBoots(): void {
    let next: Boot | undefined;
    let right: Dated | undefined;
    for (const boot of this.boots.toReversed()) {
      boot.sinceStart = next ? startedBefore(boot, next, right) : this.now.mono_ms;
      if (this.believed) right = firstRight(boot) ?? right;
      next = boot;
    }
  }

  /** A boot without a mark is some boot before the present one. */
  private dateUnordered(stamp: Stamp): Boot {
    const boot: Boot = { sinceStart: 0, stamps: [stamp] };
    const present = this.boots.at(-1);
    const right =
      present && this.believed && !goesBack([stamp, ...rightStamps(present)])
        ? firstRight(present)
        : undefined;
    if (present) boot.sinceStart = startedBefore(boot, present, right);
    return boot;
  }
}

interface Boot {
  /** Least time from its start to now, milliseconds. */
  sinceStart: number;
  readonly stamps: Stamp[];
}

/** A stamp with a right wall clock, and the least time from the start of its boot to now. */
interface Dated {
  readonly stamp: Stamp;
  readonly sinceStart: number;
}

function startedBefore(boot: Boot, next: Boot, right: Dated | undefined): number {
  const last = Math.max(...boot.stamps.map(({ mono_ms }) => mono_ms));
  const first = Math.min(...next.stamps.map(({ mono_ms }) => mono_ms));
  const byOrder = next.sinceStart - first + last;
  const lastRight = rightStamps(boot).at(-1);
  if (!right || !lastRight) return byOrder;
  const sinceRight = right.sinceStart - right.stamp.mono_ms;
  return Math.max(byOrder, sinceRight + right.stamp.wall_ms - lastRight.wall_ms + lastRight.mono_ms);
}

function firstRight(boot: Boot): Dated | undefined {
  const [stamp] = rightStamps(boot);
  return stamp && { stamp, sinceStart: boot.sinceStart };
}

/** The stamps with a right wall clock, in order of time. */
const rightStamps = ({ stamps }: Boot): Stamp[] =>
  stamps.filter(({ synced }) => synced).sort((a, b) => a.mono_ms - b.mono_ms);

/** @param stamps in order of time */
const goesBack = (stamps: readonly Stamp[]): boolean =>
  stamps.some(({ wall_ms }, at) => wall_ms < (stamps[at - 1]?.wall_ms ?? Number.NEGATIVE_INFINITY));
