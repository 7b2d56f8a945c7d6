import type { HistoryAnswer } from "../../wire/home.js";
import type { EntityHistory } from "../../wire/home-tools.js";

/** Changes in one answer. A choice: some 3,000 tokens. */
const BUDGET = 100;

type Change = EntityHistory["changes"][number];

/**
 * As many changes as an agent can read. Of numbers, the lowest and the highest of each stretch of time; of other states
 * the newest, since each of them may matter. `coverage` says what is shown.
 */
export function shownHistory({ changes, total, truncated, coverage }: HistoryAnswer): EntityHistory {
  const isNumeric = changes.filter(({ state }) => isNumber(state)).length > changes.length / 2;
  const shown = isNumeric ? extremes(changes, BUDGET) : changes.slice(-BUDGET);
  const isCut = shown.length < changes.length;
  const from = isCut && !isNumeric ? (shown[0]?.timestamp ?? null) : (coverage?.from ?? null);
  return {
    changes: [...shown],
    coverage: { from, to: coverage?.to ?? null, recorded: total, complete: !truncated && !isCut },
  };
}

const isNumber = (state: string): boolean => state.trim() !== "" && Number.isFinite(Number(state));

/** Of equal stretches of time the change with the lowest and the one with the highest number, in order of time. */
function extremes(changes: readonly Change[], most: number): readonly Change[] {
  if (changes.length <= most) return changes;
  const first = Date.parse(changes[0]?.timestamp ?? "");
  const span = Date.parse(changes.at(-1)?.timestamp ?? "") - first + 1;
  const stretches = new Map<number, Change[]>();
  for (const change of changes) {
    const at = Math.floor(((Date.parse(change.timestamp) - first) / span) * (most / 2));
    stretches.set(at, [...(stretches.get(at) ?? []), change]);
  }
  return [...stretches.values()].flatMap((all) => {
    const numbers = all
      .filter(({ state }) => isNumber(state))
      .sort((a, b) => Number(a.state) - Number(b.state));
    const kept = numbers.length === 0 ? all.slice(0, 1) : [numbers[0], numbers.at(-1)];
    return all.filter((change) => kept.includes(change));
  });
}
