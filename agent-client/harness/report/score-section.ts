import type { RunResult, Score } from "../result.js";
import { html, type Markup } from "./markup.js";
import { facts } from "./table.js";
import { taken } from "./verdict.js";
import { figure, points } from "./words.js";

/** The total and what it is made of. */
export const scoreSection = ({ score }: Pick<RunResult, "score">): Markup => html`
<section><h2>Score</h2>
<table class="score">
<tbody>
<tr><th scope="row">The plants: mean of their vigour and days in range</th><td class="figures">${points(score.plants)}</td></tr>
${deductions(score)}
</tbody>
<tfoot><tr><th scope="row">Score, of 100</th><td class="figures">${points(score.total)}</td></tr></tfoot>
</table>
${score.deductions.length === 0 ? html`<p class="quiet">Nothing was deducted.</p>` : ""}
${facts(work(score))}
</section>`;

const deductions = (score: Score): Markup[] =>
  score.deductions.map(
    ({ why, points: amount }) =>
      html`<tr><th scope="row">${why}</th><td class="figures">${taken(amount)}</td></tr>`,
  );

const work = (score: Score): (readonly [string, string])[] => [
  ["cycles", figure(score.cycles)],
  ["incomplete cycles", figure(score.incomplete)],
  ["refused calls", figure(score.refusals)],
  ["messages without answer", figure(score.unanswered)],
  ["statuses not from readings", figure(score.ungrounded)],
  ["tool calls", figure(score.calls)],
  ["tokens", figure(score.tokens)],
];
