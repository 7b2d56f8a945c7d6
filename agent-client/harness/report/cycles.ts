import { minutes } from "../../units.js";
import type { CycleRecord, RunResult } from "../result.js";
import { across, keyEntry, PLOT_WIDTH } from "./chart.js";
import { duration, figure } from "./format.js";
import { html, type Markup, table, when } from "./markup.js";
import { instant, type Scale } from "./scales.js";
import type { TimeFrame } from "./time-frame.js";
import { timeAxis } from "./time-frame.js";

/** When the agent looked after each plant, and whether it finished what a cycle is made of. */
export const cyclesSection = (result: RunResult, frame: TimeFrame): Markup => html`
<section><h2>Care cycles</h2>
<p class="quiet">One every ${duration(minutes(result.everyMinutes))} of the plant's time.</p>
${result.cycles.length === 0 ? html`<p class="quiet">No cycle was run.</p>` : cycleCharts(result, frame)}
</section>`;

function cycleCharts({ cycles, plants }: RunResult, frame: TimeFrame): Markup {
  const name = (id: string) => plants.find((plant) => plant.id === id)?.name ?? id;
  const rows = grouped(cycles, ({ plant }) => plant);
  return html`
<div class="chart">${rows.map((row) => cycleStrip(name(row.key), row, frame.time))}${timeAxis(frame)}</div>
${countTable(rows, name)}
${reasonTable(cycles)}`;
}

const HEIGHT = 20;
/** Cycles that were not completed reach higher: they can be told apart without their colour. */
const COMPLETED = { top: 8, height: 12 };
const INCOMPLETE = { top: 0, height: 20 };

const cycleStrip = (name: string, { members }: Group<CycleRecord>, time: Scale): Markup => {
  const [done, undone] = [true, false].map((completed) =>
    members.filter((cycle) => cycle.completed === completed),
  );
  return html`
<div class="panel"><p class="panel-head"><b>${name}</b>${keyEntry("completed", `completed: ${figure(done?.length ?? 0)}`)}${keyEntry("incomplete", `incomplete: ${figure(undone?.length ?? 0)}`)}</p>
<svg role="img" aria-label="Cycles of ${name}: ${done?.length ?? 0} completed, ${undone?.length ?? 0} incomplete" height="${HEIGHT}">
<svg width="100%" height="${HEIGHT}" viewBox="0 0 ${PLOT_WIDTH} ${HEIGHT}" preserveAspectRatio="none">
${strokes("completed", done ?? [], time, COMPLETED)}${strokes("incomplete", undone ?? [], time, INCOMPLETE)}</svg></svg></div>`;
};

interface Lane {
  readonly top: number;
  readonly height: number;
}

/** One stroke where several would fall on the same tenth of a pixel. */
function strokes(name: string, cycles: readonly CycleRecord[], time: Scale, { top, height }: Lane): Markup {
  const places = new Set(cycles.map(({ at }) => across(time, instant(at, "a cycle's time"))));
  return html`<path class="line ${name}" d="${[...places].map((x) => `M${x},${top}v${height}`).join("")}"/>`;
}

const COUNTS = [
  { head: "Plant" },
  ...["Cycles", "Completed", "Incomplete", "Rounds", "Calls", "Tokens"].map((head) => ({
    head,
    figures: true,
  })),
];

const countTable = (rows: readonly Group<CycleRecord>[], name: (id: string) => string): Markup =>
  table(
    COUNTS,
    rows.map(({ key, members }) => {
      const sum = (of: (cycle: CycleRecord) => number) =>
        members.reduce((total, cycle) => total + of(cycle), 0);
      const completed = sum((cycle) => (cycle.completed ? 1 : 0));
      const counts = [members.length, completed, members.length - completed];
      const work = [sum(({ rounds }) => rounds), sum(({ calls }) => calls), sum(({ tokens }) => tokens)];
      return [name(key), ...[...counts, ...work].map((count) => figure(count))];
    }),
  );

const REASONS = [
  { head: "What was missing" },
  { head: "Times", figures: true },
  { head: "First" },
  { head: "Last" },
];

const reasonTable = (cycles: readonly CycleRecord[]): Markup | "" => {
  const reasons = grouped(
    cycles.filter(({ completed }) => !completed),
    ({ reason }) => reason,
  );
  const rows = reasons.map(({ key, members, first, last }) => [
    key,
    figure(members.length),
    when(first),
    when(last),
  ]);
  return rows.length === 0 ? "" : table(REASONS, rows);
};

/** Records that have something in common; times of the earliest and the latest. */
export interface Group<T> {
  readonly key: string;
  readonly members: readonly T[];
  readonly first: string;
  readonly last: string;
}

/** In the order in which the keys first occur. */
export function grouped<T extends { readonly at: string }>(
  records: readonly T[],
  keyOf: (record: T) => string,
): readonly Group<T>[] {
  const groups = new Map<string, T[]>();
  for (const record of records) {
    const members = groups.get(keyOf(record));
    if (members) members.push(record);
    else groups.set(keyOf(record), [record]);
  }
  return [...groups].map(([key, members]) => ({ key, members, ...span(members.map(({ at }) => at)) }));
}

function span(times: readonly string[]): { readonly first: string; readonly last: string } {
  const ordered = [...times].sort((a, b) => instant(a, "a record's time") - instant(b, "a record's time"));
  return { first: ordered[0] ?? "", last: ordered.at(-1) ?? "" };
}

/** The most frequent first; equally frequent ones by name, so that the order is always the same. */
export const byCount = <T>(groups: readonly Group<T>[]): readonly Group<T>[] =>
  [...groups].sort((a, b) => b.members.length - a.members.length || (a.key < b.key ? -1 : 1));
