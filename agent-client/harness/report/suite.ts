import type { Score } from "../result.js";
import { textTable } from "./text-table.js";
import { plain, points } from "./words.js";

/** What a suite keeps of each run. */
export interface SuiteRow {
  readonly scenario: { readonly name: string; readonly title: string };
  readonly model: string;
  readonly score: Score;
}

/** Scenarios down, models across, in the order in which they first occur. */
export interface Grid {
  readonly models: readonly string[];
  readonly lines: readonly GridLine[];
  /** Of each model over its scenarios: `cells` has as many values as there are models. */
  readonly mean: readonly Cell[];
}

export interface GridLine {
  readonly scenario: SuiteRow["scenario"];
  readonly cells: readonly Cell[];
}

/** A total score; undefined where the model did not run in the scenario. */
export type Cell = number | undefined;

/** Several runs of one model in one scenario, with different seeds, count as their mean. */
export function gridOf(rows: readonly SuiteRow[]): Grid {
  const models = [...new Set(rows.map(({ model }) => model))];
  const scenarios = new Map(rows.map(({ scenario }) => [scenario.name, scenario]));
  const lines = [...scenarios.values()].map((scenario) => ({
    scenario,
    cells: models.map((model) => meanScore(rows, scenario.name, model)),
  }));
  return { models, lines, mean: models.map((_, column) => mean(lines.map(({ cells }) => cells[column]))) };
}

const meanScore = (rows: readonly SuiteRow[], name: string, model: string): Cell =>
  mean(
    rows.filter((row) => row.scenario.name === name && row.model === model).map(({ score }) => score.total),
  );

function mean(cells: readonly Cell[]): Cell {
  const values = cells.filter((cell) => cell !== undefined);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export const cellText = (cell: Cell): string => (cell === undefined ? "–" : points(cell));

/** A mean over fewer scenarios than the others' cannot be held against theirs. */
export const partial = ({ lines, models }: Grid): readonly string[] =>
  models.filter((_, column) => lines.some(({ cells }) => cells[column] === undefined));

export const PARTIAL = "did not run in every scenario, so its mean is over fewer";

/** The suite for a terminal: aligned columns, without a newline at the end. */
export function suiteTable(rows: readonly SuiteRow[]): string {
  const grid = gridOf(rows);
  const table = textTable([
    ["score of 100", ...grid.models.map(plain)],
    ...grid.lines.map(({ scenario, cells }) => [plain(scenario.name), ...cells.map(cellText)]),
    ["mean", ...grid.mean.map(cellText)],
  ]);
  const rule = "─".repeat(Math.max(...table.map(({ length }) => length)));
  const notes = partial(grid).map((model) => `${plain(model)} ${PARTIAL}`);
  return [table[0], rule, ...table.slice(1, -1), rule, table.at(-1), ...notes].join("\n");
}
