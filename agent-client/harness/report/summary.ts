import { listText } from "../../../runtime/wire/phrases.js";
import { onOneLine, wrapped } from "../../cycle/log.js";
import type { PlantResult, RunResult, Score } from "../result.js";
import { promptness } from "../scoring.js";
import { duration, figure, fullDay, points, several, textTable } from "./markup.js";

/** A run's summary for a terminal. */
export const summaryLines = (result: RunResult): string[] => [
  ...wrapped(verdict(result)),
  ...scoreLines(result.score),
  ...(result.plants.length === 0 ? [] : textTable([HEAD, ...result.plants.map(plantRow)])),
  labelled("alarms", alarmsInWords(result)),
  labelled("refusals", refusalsInWords(result)),
  labelled("cycles", `${figure(result.score.cycles)}, ${figure(result.score.incomplete)} incomplete`),
  labelled(
    "talk",
    `${several(result.messages.length, "message")}, ${figure(result.score.unanswered)} unanswered`,
  ),
  labelled("model", `${several(result.score.calls, "call")}, ${several(result.score.tokens, "token")}`),
];

const labelled = (label: string, text: string): string => `${label.padEnd(9)} ${onOneLine(text)}`;

function scoreLines({ total, plants, deductions }: Score): string[] {
  const amounts = deductions.map(({ points: amount }) => taken(amount));
  const width = Math.max(0, ...amounts.map(({ length }) => length));
  return [
    labelled("score", `${points(total)} of 100; the plants ${points(plants)}`),
    ...deductions.map(({ why }, at) => `${" ".repeat(10)}${amounts[at]?.padStart(width)} ${onOneLine(why)}`),
  ];
}

const HEAD = ["plant", "mean vigour", "in range", "water", "need", "state"];

const plantRow = ({ name, score }: PlantResult): string[] => [
  onOneLine(name),
  points(score.vigour),
  percent(score.inRange),
  `${figure(score.water.given)}\u00A0ml`,
  `${figure(score.water.need)}\u00A0ml`,
  score.alive ? "alive" : "died",
];

function alarmsInWords({ score, end }: RunResult): string {
  const counts = (["in time", "late", "never", "not yet due"] as const).map((kind) => {
    const count = score.alarms.filter((alarm) => promptness(alarm, end) === kind).length;
    return count > 0 ? `${count} ${kind === "never" ? "never told" : kind}` : "";
  });
  return counts.filter((words) => words !== "").join(", ") || "none were due";
}

const refusalsInWords = ({ refusals }: RunResult): string =>
  byCount(grouped(refusals, ({ code }) => code))
    .map(([code, all]) => `${figure(all.length)} ${code}`)
    .join(", ") || "none";

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
    ...(living.length > 0 ? [`${listText(living)} ${living.length === 1 ? "is" : "are"} alive`] : []),
    ...(dead.length > 0 ? [`${listText(dead)} died`] : []),
  ];
  return parts.join(", ") || "there was no plant";
}

/** A note for plants that start wet, which would look over-watered; else empty. */
function startsWet({ plants }: Pick<RunResult, "plants">): string {
  const names = plants.filter(isFreshlyWatered).map(({ name }) => name);
  if (names.length === 0) return "";
  const their = names.length === 1 ? "its" : "their";
  return ` (${listText(names)} began freshly watered, above ${their} good range until dried)`;
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
    ["score of 100", ...models.map(([model]) => onOneLine(model))],
    ...grouped(rows, ({ scenario }) => scenario.name).map(([name, runs]) => [
      onOneLine(name),
      ...runs.map((run) => points(total(run))),
    ]),
    ["mean", ...models.map(([, runs]) => points(mean(runs)))],
  ]);
  const rule = "─".repeat(Math.max(...[head, ...lines].map(({ length }) => length)));
  return [head, rule, ...lines.slice(0, -1), rule, lines.at(-1)].join("\n");
}
