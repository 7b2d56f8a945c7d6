import type { RefusalRecord, RunResult } from "../result.js";
import { byCount, type Group, grouped } from "./group.js";
import { html, type Markup } from "./markup.js";
import { quoted, table, when } from "./table.js";
import { figure } from "./words.js";

/** What the runtime refused, most frequent first. */
export const refusalsSection = ({ refusals }: Pick<RunResult, "refusals">): Markup => html`
<section><h2>Refusals</h2>
${refusals.length === 0 ? html`<p class="quiet">The runtime refused nothing.</p>` : refusalTable(refusals)}
</section>`;

const COLUMNS = [
  { head: "Code" },
  { head: "Times", figures: true },
  { head: "First" },
  { head: "Last" },
  { head: "The first, for example" },
];

const refusalTable = (refusals: readonly RefusalRecord[]): Markup =>
  table(COLUMNS, byCount(grouped(refusals, ({ code }) => code)).map(row));

const row = ({ key, members, first, last }: Group<RefusalRecord>) => {
  const example = members.find(({ at }) => at === first);
  return [
    html`<code>${key}</code>`,
    figure(members.length),
    when(first),
    when(last),
    html`<code>${example?.tool ?? ""}</code> ${quoted(example?.message ?? "")}`,
  ];
};
