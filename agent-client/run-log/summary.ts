import { priceOf } from "../spending/limits.js";
import type { CallLine, RunLine } from "./lines.js";

interface Summary {
  readonly cycles: number;
  readonly completed: number;
  /** Conversations and tasks. */
  readonly turns: number;
  readonly calls: number;
  readonly doses: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly replies: number;
  readonly failedReplies: number;
  readonly tokens: { readonly input: number; readonly output: number; readonly cached: number };
  readonly cost: number;
}

export function summaryOf(lines: readonly RunLine[]): Summary {
  const ends = lines.flatMap((line) => (line.kind === "end" ? [line] : []));
  const cycles = ends.filter(({ turn }) => turn === undefined);
  const calls = lines.flatMap((line) => (line.kind === "call" ? [line] : []));
  const replies = lines.flatMap((line) => (line.kind === "reply" ? [line] : []));
  const price = lines.find((line) => line.kind === "run")?.options.price;
  const sum = (of: (end: (typeof ends)[number]) => number) => ends.reduce((all, end) => all + of(end), 0);
  return {
    cycles: cyclesIn(lines),
    completed: cycles.filter(({ completed }) => completed).length,
    turns: ends.length - cycles.length,
    calls: calls.length,
    doses: calls.filter(({ tool, error }) => tool === "dispense_water" && !error).length,
    refusals: refusalsIn(calls),
    replies: replies.filter(({ reply }) => reply).length,
    failedReplies: replies.filter(({ reply }) => !reply).length,
    tokens: {
      input: sum(({ tokens }) => tokens.input),
      output: sum(({ tokens }) => tokens.output),
      cached: sum(({ tokens }) => tokens.cached),
    },
    cost: sum(({ tokens }) => priceOf(tokens, price)),
  };
}

/** A cycle that the fallback took over counts once. */
const cyclesIn = (lines: readonly RunLine[]): number =>
  new Set(lines.flatMap((line) => (line.kind === "cycle" ? [`${line.cycle} ${line.plant}`] : []))).size;

function refusalsIn(calls: readonly CallLine[]): Record<string, number> {
  const codes = calls.flatMap((call) => codeOf(call) ?? []);
  const counts: Record<string, number> = {};
  for (const code of codes.toSorted()) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/** A refused status is a result, not an error. */
function codeOf({ tool, result, error }: CallLine): string | undefined {
  if (error) return error.code;
  if (tool !== "write_plant_status" || typeof result !== "object" || result === null) return undefined;
  return "proceed" in result && result.proceed === false ? "STATUS_REFUSED" : undefined;
}

export function inWords(summary: Summary): readonly (readonly [string, string])[] {
  const { cycles, completed, turns, calls, doses, refusals, replies, failedReplies, tokens, cost } = summary;
  const refused = Object.entries(refusals).map(([code, count]) => `${code} ${count}`);
  return [
    ["cycles", `${cycles}, of which ${completed} completed`],
    ...(turns > 0 ? [["turns", `${turns} conversations and tasks`] as const] : []),
    ["calls", `${calls}, of which ${counted(doses, "dose")}`],
    ["refusals", refused.join(", ") || "none"],
    ["replies", `${replies}${failedReplies > 0 ? `, and ${counted(failedReplies, "failure")}` : ""}`],
    ["tokens", tokensInWords(tokens, cost)],
  ];
}

/** 12345.678 is "12 345.68". */
const grouped = (n: number): string =>
  String(Math.round(n * 100) / 100).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, " ");

/** "1 call", "1 200 calls" */
export const counted = (n: number, noun: string): string => `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;

interface Tokens {
  readonly input: number;
  readonly output: number;
  /** Of `input`. */
  readonly cached?: number | undefined;
}

/** With their cost if known, in the currency of the agent's price table. */
export const tokensInWords = ({ input, output, cached = 0 }: Tokens, cost: number): string =>
  `${grouped(input)} in${cached > 0 ? ` (${grouped(cached)} cached)` : ""}, ${grouped(output)} out${cost > 0 ? `, cost ${cost.toFixed(4)}` : ""}`;
