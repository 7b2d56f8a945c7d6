import { type Millis, millis } from "../units.js";

/** A change of a contact, at a monotonic instant. */
export interface Edge {
  readonly level: 0 | 1;
  readonly at: Millis;
}

/** Edges kept; older ones are forgotten. */
export const EDGES_KEPT = 1000;

/** What an oscilloscope on a contact would have shown, as far back as edges are kept. */
export class EdgeHistory {
  private readonly kept: Edge[] = [];

  /** Oldest first; the last {@link EDGES_KEPT}. */
  get edges(): readonly Edge[] {
    return this.kept;
  }

  record(edge: Edge): void {
    this.kept.push(edge);
    if (this.kept.length > EDGES_KEPT) this.kept.shift();
  }

  levelAt(instant: Millis): 0 | 1 {
    for (let i = this.kept.length - 1; i >= 0; i--) {
      const edge = this.kept[i];
      if (edge && edge.at <= instant) return edge.level;
    }
    return 0;
  }

  /** How long the contact was closed between two instants. */
  onTime(from: Millis, to: Millis): Millis {
    let total = 0;
    let until: number = to;
    for (let i = this.kept.length - 1; i >= 0 && until > from; i--) {
      const edge = this.kept[i];
      if (!edge) break;
      if (edge.level === 1) total += Math.max(0, until - Math.max(edge.at, from));
      until = Math.min(until, edge.at);
    }
    return millis(total);
  }

  /** The first edge after an instant. */
  edgeAfter(instant: Millis): Millis | undefined {
    let found: Millis | undefined;
    for (let i = this.kept.length - 1; i >= 0; i--) {
      const at = this.kept[i]?.at;
      if (at === undefined || at <= instant) break;
      found = at;
    }
    return found;
  }
}

/** The first of some instants, where there is one. */
export function earliest(instants: readonly (Millis | undefined)[]): Millis | undefined {
  const known = instants.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : millis(Math.min(...known));
}
