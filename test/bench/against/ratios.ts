import { columns, median, times } from "../figures.js";

/** A row's figure by the row's name, in the unit that it is shown in. */
export type Rows = ReadonlyMap<string, Shown>;

interface Shown {
  readonly value: number;
  /** "ms", "/s". */
  readonly unit: string;
}

/** One round: what each side printed. */
export interface Round {
  readonly here: Rows;
  readonly there: Rows;
}

/** A figure as `figures.ts` shows it: `2,280 B`, `1.17 ms`, `3,290 /s`. */
const FIGURE = /^([\d,.]+) (\S+)$/;

/** Reads the tables that a benchmark prints: the first column names the row, the second is Tendril's figure. Any commit prints them. */
export function readRows(printed: string): Rows {
  const rows = new Map<string, Shown>();
  for (const line of printed.split("\n")) {
    const [, what = "", figure = ""] = line.split("|").map((cell) => cell.trim());
    const [, number, unit] = FIGURE.exec(figure) ?? [];
    if (number && unit) rows.set(what, { value: Number(number.replaceAll(",", "")), unit });
  }
  return rows;
}

/**
 * A choice: of ten rounds nine must agree. Two equal programs do so in one comparison of fifty [twice the binomial
 * tail: 2 × (10 + 1) / 1024].
 */
const AGREEING = 0.9;

/**
 * With fewer rounds all of them agree too often by chance: seven do so in one comparison of sixty-four [2 / 2^7]. Figures
 * that are the same in each round, such as bytes, need no more rounds.
 */
export const ENOUGH_ROUNDS = 7;

/** Rates are better where they are higher, everything else is better where it is lower. */
const isRate = ({ unit }: Shown): boolean => unit === "/s";

interface Compared {
  readonly what: string;
  /** This side's figure by that of the other, of each round. */
  readonly ratios: readonly number[];
  readonly rate: boolean;
}

/** Only rows that both sides have in every round; figures of 0 have no ratio. */
function compared(rounds: readonly Round[]): Compared[] {
  const names = [...(rounds[0]?.here.keys() ?? [])];
  return names.flatMap((what) => {
    const pairs = rounds.map(({ here, there }) => [here.get(what), there.get(what)] as const);
    const ratios = pairs.flatMap(([ours, theirs]) => ratioOf(ours, theirs));
    const first = pairs[0]?.[0];
    return first && ratios.length === rounds.length ? [{ what, ratios, rate: isRate(first) }] : [];
  });
}

const ratioOf = (ours: Shown | undefined, theirs: Shown | undefined): number[] =>
  ours && theirs && ours.unit === theirs.unit && theirs.value > 0 && ours.value > 0
    ? [ours.value / theirs.value]
    : [];

const HEADER = ["", "ratio", "least", "most", "rounds worse", ""];

/** A row each: the median of the rounds' ratios, their spread, and "worse" or "better" where nearly all of enough rounds agree. */
export const ratioTable = (rounds: readonly Round[]): string => columns(HEADER, compared(rounds).map(cells));

function cells({ what, ratios, rate }: Compared): string[] {
  const worse = ratios.filter((ratio) => (rate ? ratio < 1 : ratio > 1)).length;
  const better = ratios.filter((ratio) => (rate ? ratio > 1 : ratio < 1)).length;
  const canBeTold = ratios.length >= ENOUGH_ROUNDS || new Set(ratios).size === 1;
  const enough = canBeTold ? AGREEING * ratios.length : Number.POSITIVE_INFINITY;
  const verdict = worse >= enough ? "worse" : better >= enough ? "better" : "";
  const spread = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map(times);
  return [what, ...spread, `${worse} of ${ratios.length}`, verdict];
}

/** Rows that cannot be compared, a line each: only one side has them. */
export function unmatched(rounds: readonly Round[], ref: string): string[] {
  const known = new Set(compared(rounds).map(({ what }) => what));
  const only = (side: "here" | "there") =>
    [...(rounds[0]?.[side].keys() ?? [])].filter((what) => !known.has(what));
  const there = only("there");
  return [
    ...only("here").map((what) => `not compared: ${what}`),
    ...there.filter((what) => !only("here").includes(what)).map((what) => `only in ${ref}: ${what}`),
  ];
}
