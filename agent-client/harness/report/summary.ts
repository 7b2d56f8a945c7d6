import type { PlantResult, RunResult, Score } from "../result.js";
import { promptness } from "../scoring.js";
import { duration, figure, fullDay, listed, plain, points, several, textTable, wrapped } from "./markup.js";

/** A terminal has 80 columns and 24 lines. With these limits a summary has at most 23 lines. */
const COLUMNS = 80;
const MAX_VERDICT_LINES = 4;
const MAX_DEDUCTIONS = 4;
const MAX_PLANTS = 8;
/** Longer names are cut, to fit the table into 80 columns. */
const NAME_WIDTH = 24;

/** A run's summary for a terminal: at most 23 lines of plain text, which say what they leave out. */
export const summaryLines = (result: RunResult): string[] => [
  ...wrapped(plain(verdict(result)), COLUMNS, MAX_VERDICT_LINES),
  ...scoreLines(result.score),
  ...plantLines(result.plants),
  labelled("alarms", alarmsInWords(result)),
  labelled("refusals", refusalsInWords(result)),
  labelled("cycles", `${figure(result.score.cycles)}, ${figure(result.score.incomplete)} incomplete`),
  labelled(
    "talk",
    `${several(result.messages.length, "message")}, ${figure(result.score.unanswered)} unanswered`,
  ),
  labelled("model", modelInWords(result.score)),
];

const labelled = (label: string, text: string): string => `${label.padEnd(9)} ${text}`;

function scoreLines({ total, plants, deductions }: Score): string[] {
  const rows = deductions.map(({ why, points: amount }) => [taken(amount), plain(why)] as const);
  const width = Math.max(0, ...rows.map(([amount]) => amount.length));
  const lines = rows.map(([amount, why]) => labelled("", `${amount.padStart(width)} ${why}`));
  return [
    labelled("score", `${points(total)} of 100; the plants ${points(plants)}`),
    ...atMost(MAX_DEDUCTIONS, lines, (rest) => labelled("", `and ${several(rest, "more deduction")}`)),
  ];
}

/** If there are more than `most` lines, the last one says how many are left out. */
const atMost = (most: number, lines: readonly string[], more: (rest: number) => string): readonly string[] =>
  lines.length <= most ? lines : [...lines.slice(0, most - 1), more(lines.length - most + 1)];

function plantLines(plants: readonly PlantResult[]): readonly string[] {
  if (plants.length === 0) return [];
  const [head = "", ...rows] = textTable([HEAD, ...plants.map(plantRow)]);
  return [head, ...atMost(MAX_PLANTS, rows, (rest) => `and ${several(rest, "more plant")}`)];
}

const HEAD = ["plant", "mean vigour", "in range", "water", "need", "state"];

const plantRow = ({ name, score }: PlantResult): string[] => [
  shortened(plain(name)),
  points(score.vigour),
  percent(score.inRange),
  `${figure(score.water.given)}\u00A0ml`,
  `${figure(score.water.need)}\u00A0ml`,
  score.alive ? "alive" : "died",
];

const shortened = (name: string): string =>
  [...name].length <= NAME_WIDTH ? name : `${[...name].slice(0, NAME_WIDTH - 1).join("")}…`;

function alarmsInWords({ score, end }: RunResult): string {
  const counts = (["in time", "late", "never", "not yet due"] as const).map((kind) => {
    const count = score.alarms.filter((alarm) => promptness(alarm, end) === kind).length;
    return count > 0 ? `${count} ${kind === "never" ? "never told" : kind}` : "";
  });
  return counts.filter((words) => words !== "").join(", ") || "none were due";
}

/** Further codes are counted together. */
const MAX_CODES = 3;

function refusalsInWords({ refusals }: RunResult): string {
  if (refusals.length === 0) return "none";
  const codes = byCount(grouped(refusals, ({ code }) => code)).map(
    ([code, all]) => `${figure(all.length)} ${plain(code)}`,
  );
  const rest = codes.length - MAX_CODES;
  return [...codes.slice(0, MAX_CODES), ...(rest > 0 ? [`and ${several(rest, "more code")}`] : [])].join(
    ", ",
  );
}

const modelInWords = ({ calls, tokens }: Score): string =>
  `${several(calls, "call")}, ${several(tokens, "token")}`;

export const verdict = (result: RunResult): string =>
  `${result.model} scored ${points(result.score.total)} of 100 in “${result.scenario.title}” (seed ${result.seed}), ` +
  `${howLong(result)}: ${fates(result)}${startsWet(result)}.${missing(result)}`;

/** What the scenario is about may not have happened. */
export const missing = ({ notReached = [], days }: Pick<RunResult, "notReached" | "days">): string =>
  notReached.length === 0 ? "" : ` Not reached in ${several(days, "day")}: ${notReached.join("; ")}.`;

/** "30 days, 1 Jun 2026 to 1 Jul 2026", or how far a stopped run came. */
function howLong({ start, end, days, finished }: RunResult): string {
  if (finished) return `${several(days, "day")}, ${fullDay(start)} to ${fullDay(end)}`;
  return `stopped after ${duration(Date.parse(end) - Date.parse(start))} of ${several(days, "day")}`;
}

function fates({ plants }: Pick<RunResult, "plants">): string {
  const named = (alive: boolean) =>
    plants.filter(({ score }) => score.alive === alive).map(({ name }) => name);
  const [living, dead] = [named(true), named(false)];
  const parts = [
    ...(living.length > 0 ? [`${firstOf(living)} ${living.length === 1 ? "is" : "are"} alive`] : []),
    ...(dead.length > 0 ? [`${firstOf(dead)} died`] : []),
  ];
  return parts.join(", ") || "there was no plant";
}

/** Further plants are only counted, to keep the sentence short. */
const MAX_NAMES = 4;

const firstOf = (names: readonly string[]): string =>
  listed(atMost(MAX_NAMES, names, (rest) => several(rest, "more plant")));

/** A note for plants that start wet, which would look over-watered; else empty. */
function startsWet({ plants }: Pick<RunResult, "plants">): string {
  const names = plants.filter(isFreshlyWatered).map(({ name }) => name);
  if (names.length === 0) return "";
  const their = names.length === 1 ? "its" : "their";
  return ` (${firstOf(names)} began freshly watered, above ${their} good range until dried)`;
}

const isFreshlyWatered = ({ good, hourly }: Pick<PlantResult, "good" | "hourly">): boolean =>
  (hourly.hydration[0] ?? 0) > good.to;

/** Points of a deduction, with a minus sign. */
export const taken = (amount: number): string => (amount === 0 ? points(0) : points(-amount));

export const percent = (value: number): string => `${figure(value, 1)}\u00A0%`;

/** Records with the same key, in the order in which the keys first occur. */
export function grouped<T>(records: readonly T[], keyOf: (record: T) => string): readonly [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const record of records) groups.set(keyOf(record), [...(groups.get(keyOf(record)) ?? []), record]);
  return [...groups];
}

/** The most frequent first; equally frequent ones by name, for a fixed order. */
export const byCount = <T>(groups: readonly [string, T[]][]): readonly [string, T[]][] =>
  groups.toSorted(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1));

/** The part of a result that a suite's table shows. */
export type SuiteRow = Pick<RunResult, "scenario" | "model" | "score">;

/** Every scenario with every model, in the order of the rows, and each model's mean. Without a newline at the end. */
export function suiteTable(rows: readonly SuiteRow[]): string {
  const models = grouped(rows, ({ model }) => model);
  const total = ({ score }: SuiteRow) => score.total;
  const mean = (runs: readonly SuiteRow[]) => runs.reduce((sum, run) => sum + total(run), 0) / runs.length;
  const [head = "", ...lines] = textTable([
    ["score of 100", ...models.map(([model]) => plain(model))],
    ...grouped(rows, ({ scenario }) => scenario.name).map(([name, runs]) => [
      plain(name),
      ...runs.map((run) => points(total(run))),
    ]),
    ["mean", ...models.map(([, runs]) => points(mean(runs)))],
  ]);
  const rule = "─".repeat(Math.max(...[head, ...lines].map(({ length }) => length)));
  return [head, rule, ...lines.slice(0, -1), rule, lines.at(-1)].join("\n");
}
