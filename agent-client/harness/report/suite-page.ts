import { html, type Markup } from "./markup.js";
import { page } from "./page.js";
import { type Cell, cellText, type Grid, gridOf, PARTIAL, partial, type SuiteRow } from "./suite.js";
import { table } from "./table.js";
import { figure, listed, points, several } from "./words.js";

/** Several runs side by side as one HTML file, like the report of one. */
export function renderSuite(rows: readonly SuiteRow[]): string {
  const grid = gridOf(rows);
  return page(
    "Plant care: scenarios and models",
    html`
<header><h1>Scenarios and models</h1><p class="verdict">${inWords(grid)}</p></header>
<section><h2>Scores, of 100</h2>${rows.length === 0 ? html`<p class="quiet">No run.</p>` : scores(grid)}</section>
<section><h2>Each run</h2>${rows.length === 0 ? html`<p class="quiet">No run.</p>` : eachRun(rows)}</section>`,
    html`<p>Each run's own report, and everything that it holds in report.json, lies in that run's folder.</p>`,
  );
}

/** Who did best of those that ran everywhere, if there are any to compare. */
function inWords(grid: Grid): string {
  const { models, lines, mean } = grid;
  const what = `${several(models.length, "model")} in ${several(lines.length, "scenario")}`;
  const compared = models.filter((model) => !partial(grid).includes(model));
  if (compared.length < 2) return `${what}.`;
  const meanOf = (model: string) => mean[models.indexOf(model)] ?? 0;
  const best = Math.max(...compared.map(meanOf));
  const first = compared.filter((model) => meanOf(model) === best);
  return `${what}: best on the whole ${first.length === 1 ? "is" : "are"} ${listed(first)}, with a mean of ${points(best)}.`;
}

/** Scrolls by itself where many models do not fit a narrow page. */
const scores = (grid: Grid): Markup => html`
<div class="scroll" tabindex="0" role="region" aria-label="Scores"><table class="scores">
<thead><tr><th scope="col">Scenario</th>${grid.models.map((model) => html`<th scope="col" class="figures">${model}</th>`)}</tr></thead>
<tbody>${grid.lines.map(
  ({ scenario, cells }) => html`
<tr><th scope="row">${scenario.title}</th>${cells.map(scoreCell)}</tr>`,
)}</tbody>
<tfoot><tr><th scope="row">Mean</th>${grid.mean.map(scoreCell)}</tr></tfoot>
</table></div>
${partial(grid).map((model) => html`<p class="quiet">${model} ${PARTIAL}.</p>`)}`;

/** The bar under the figure lets the eye compare. */
const scoreCell = (cell: Cell): Markup => html`
<td class="figures">${cellText(cell)}${cell === undefined ? "" : bar(cell)}</td>`;

const bar = (score: number): Markup =>
  html`<svg class="bar" width="72" height="5" aria-hidden="true"><rect class="rest" width="100%" height="5"/><rect class="arrived" width="${figure(score, 1)}%" height="5"/></svg>`;

const RUNS = [
  { head: "Scenario" },
  { head: "Model" },
  ...["Score", "Plants", "Deducted", "Late or never told", "Refusals", "Incomplete", "Tokens"].map(
    (head) => ({
      head,
      figures: true,
    }),
  ),
];

const eachRun = (rows: readonly SuiteRow[]): Markup =>
  table(
    RUNS,
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
