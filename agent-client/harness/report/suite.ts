import type { Score } from "../result.js";
import {
  figure,
  figures,
  html,
  listed,
  type Markup,
  plain,
  points,
  several,
  table,
  textTable,
} from "./markup.js";
import { page } from "./page.js";

export interface SuiteRow {
  readonly scenario: { readonly name: string; readonly title: string };
  readonly model: string;
  readonly score: Score;
}

/** One line per scenario, one column per model, in the order of their first row. */
interface Grid {
  readonly models: readonly string[];
  readonly lines: readonly { readonly scenario: SuiteRow["scenario"]; readonly cells: readonly Cell[] }[];
  /** The mean of each model over its scenarios. */
  readonly mean: readonly Cell[];
}

/** A total score; undefined if the model did not run in the scenario. */
type Cell = number | undefined;

/** Several runs of one model in one scenario (with different seeds) count as their mean. */
function gridOf(rows: readonly SuiteRow[]): Grid {
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

const cellText = (cell: Cell): string => (cell === undefined ? "–" : points(cell));

/** Models whose mean cannot be compared, since they ran in fewer scenarios. */
const partial = ({ lines, models }: Grid): readonly string[] =>
  models.filter((_, column) => lines.some(({ cells }) => cells[column] === undefined));

const PARTIAL = "did not run in every scenario, so its mean is over fewer";

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

export function renderSuite(rows: readonly SuiteRow[]): string {
  const grid = gridOf(rows);
  return page(
    "Plant care: scenarios and models",
    html`
<header><h1>Scenarios and models</h1><p class="verdict">${comparison(grid)}</p></header>
<section><h2>Scores, of 100</h2>${rows.length === 0 ? html`<p class="quiet">No run.</p>` : scoreTable(grid)}</section>
<section><h2>Each run</h2>${rows.length === 0 ? html`<p class="quiet">No run.</p>` : eachRun(rows)}</section>`,
    html`<p>Each run's own report, and everything that it holds in report.json, lies in that run's folder.</p>`,
  );
}

/** The best of the models that ran in every scenario, if there are two or more. */
function comparison(grid: Grid): string {
  const { models, lines, mean } = grid;
  const what = `${several(models.length, "model")} in ${several(lines.length, "scenario")}`;
  const compared = models.filter((model) => !partial(grid).includes(model));
  if (compared.length < 2) return `${what}.`;
  const meanOf = (model: string) => mean[models.indexOf(model)] ?? 0;
  const best = Math.max(...compared.map(meanOf));
  const first = compared.filter((model) => meanOf(model) === best);
  return `${what}: best on the whole ${first.length === 1 ? "is" : "are"} ${listed(first)}, with a mean of ${points(best)}.`;
}

/** Scrolls if many models do not fit a narrow page. */
const scoreTable = (grid: Grid): Markup => html`
<div class="scroll" tabindex="0" role="region" aria-label="Scores"><table class="scores">
<thead><tr><th scope="col">Scenario</th>${grid.models.map((model) => html`<th scope="col" class="figures">${model}</th>`)}</tr></thead>
<tbody>${grid.lines.map(
  ({ scenario, cells }) => html`
<tr><th scope="row">${scenario.title}</th>${cells.map(scoreCell)}</tr>`,
)}</tbody>
<tfoot><tr><th scope="row">Mean</th>${grid.mean.map(scoreCell)}</tr></tfoot>
</table></div>
${partial(grid).map((model) => html`<p class="quiet">${model} ${PARTIAL}.</p>`)}`;

/** A bar below the figure makes scores easy to compare. */
const scoreCell = (cell: Cell): Markup => html`
<td class="figures">${cellText(cell)}${cell === undefined ? "" : bar(cell)}</td>`;

const bar = (score: number): Markup =>
  html`<svg class="bar" width="72" height="5" aria-hidden="true"><rect class="rest" width="100%" height="5"/><rect class="arrived" width="${figure(score, 1)}%" height="5"/></svg>`;

const eachRun = (rows: readonly SuiteRow[]): Markup =>
  table(
    [
      "Scenario",
      "Model",
      ...figures("Score", "Plants", "Deducted", "Late or never told", "Refusals", "Incomplete", "Tokens"),
    ],
    rows.map(({ scenario, model, score }) => [
      scenario.title,
      model,
      points(score.total),
      points(score.plants),
      points(score.deductions.reduce((sum, { points }) => sum + points, 0)),
      figure(missedAlarms(score)),
      figure(score.refusals),
      figure(score.incomplete),
      figure(score.tokens),
    ]),
  );

const missedAlarms = ({ alarms }: SuiteRow["score"]): number =>
  alarms.filter(({ toldAfterHours, dueWithinHours }) => (toldAfterHours ?? Infinity) > dueWithinHours).length;
