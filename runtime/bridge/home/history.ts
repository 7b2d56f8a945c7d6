import { type HistoryAnswer, type HistoryArguments, HOME_LIMITS } from "../../wire/home.js";
import type { HomeSocket } from "./socket.js";
import { cut, instantOf } from "./texts.js";

/** A recorded state; `lu` in seconds since 1970. */
interface Recorded {
  readonly s: string;
  readonly lu: number;
}

/** Milliseconds. A choice: a day of a chatty sensor is some 10,000 changes, half a megabyte. */
const STRETCH = 24 * 3_600_000;

/** Reads what Home Assistant has recorded of one entity. Rejects as HomeSocket's `ask`. */
export async function historyOf(
  socket: HomeSocket,
  { entity_id, from, to }: HistoryArguments,
  signal: AbortSignal,
): Promise<HistoryAnswer> {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const recorded: Recorded[] = [];
  for (let start = first; start < last; start += STRETCH) {
    const answer = (await socket.ask(
      "history/history_during_period",
      {
        start_time: new Date(start).toISOString(),
        end_time: new Date(Math.min(last, start + STRETCH)).toISOString(),
        entity_ids: [entity_id],
        minimal_response: true,
        no_attributes: true,
        significant_changes_only: false,
        include_start_time_state: start === first,
      },
      { signal },
    )) as Readonly<Record<string, readonly Recorded[]>>;
    recorded.push(...(answer[entity_id] ?? []));
  }
  return answerOf(recorded, first, last);
}

function answerOf(recorded: readonly Recorded[], from: number, to: number): HistoryAnswer {
  const kept = recorded.length > HOME_LIMITS.changes ? thinned(recorded, HOME_LIMITS.changes) : recorded;
  const [oldest] = recorded;
  return {
    changes: kept.map(({ s, lu }) => ({ state: cut(s, HOME_LIMITS.state), timestamp: instantOf(lu) })),
    total: recorded.length,
    truncated: kept.length < recorded.length,
    coverage: oldest
      ? { from: instantOf(Math.max(from / 1000, oldest.lu)), to: new Date(to).toISOString() }
      : null,
  };
}

/** Two of each of `most` / 2 stretches with equally many changes, in order of time. */
export function thinned(recorded: readonly Recorded[], most: number): readonly Recorded[] {
  const stretches = Math.floor(most / 2);
  const kept: Recorded[] = [];
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const start = Math.floor((stretch * recorded.length) / stretches);
    const end = Math.floor(((stretch + 1) * recorded.length) / stretches);
    kept.push(...ends(recorded.slice(start, end)));
  }
  return kept;
}

/** The lowest and the highest number, in order of time; without numbers the first and the last. */
function ends(stretch: readonly Recorded[]): readonly Recorded[] {
  const numbers = stretch.filter(({ s }) => s.trim() !== "" && Number.isFinite(Number(s)));
  const sorted = numbers.length > 0 ? [...numbers].sort((a, b) => Number(a.s) - Number(b.s)) : [...stretch];
  const two = new Set([sorted[0], sorted.at(-1)].filter((each) => each !== undefined));
  return [...two].sort((a, b) => a.lu - b.lu);
}
