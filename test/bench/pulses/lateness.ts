import { columns, quantile, times } from "../figures.js";
import type { Late } from "./pulser.js";

/** "CPU starvation and event-loop stalls of the runtime don't move the off edge by more than" so many ms. */
export const MAX_LATE = 20;

/** One line of the table of pulses. */
export interface Lateness {
  readonly what: string;
  readonly late: readonly Late[];
}

const HEADER = [
  "late by, in ms",
  "least",
  "median",
  "95 %",
  "worst",
  "by stamps",
  "bare timer",
  "ratio",
  "≤ 20",
  "bench",
];

export const latenessTable = (rows: readonly Lateness[]): string => columns(HEADER, rows.map(cells));

function cells({ what, late }: Lateness): string[] {
  const guard = late.map(({ guard }) => guard);
  const worst = Math.max(...guard);
  const stamps = late.flatMap(({ stamped }) => stamped ?? []);
  const timer = Math.max(...late.map(({ timer }) => timer));
  return [
    what,
    ...[Math.min(...guard), quantile(guard, 0.5), quantile(guard, 0.95), worst].map(tenths),
    stamps.length > 0 ? tenths(Math.max(...stamps)) : "",
    tenths(timer),
    times(worst / timer),
    worst <= MAX_LATE ? "met" : "MISSED",
    tenths(Math.max(...late.map(({ bench }) => bench))),
  ];
}

const tenths = (ms: number): string => ms.toFixed(1);
